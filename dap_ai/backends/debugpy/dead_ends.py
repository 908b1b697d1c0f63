"""Errors that end a program or a thread, and at which debugpy does not stop: the debuggee stops at them itself.

pydevd looks for uncaught exceptions while they are raised. It does so neither for a RecursionError, at which there is
no room left to look, nor for Ctrl-C, nor for what the interpreter itself catches: the error of a finalizer. There the
frames have been left when anybody hears of the error, but its traceback still holds them with their variables, so
pydevd is given those. It stops as at any uncaught exception, if such stops are wanted.

Heard of are: what leaves the program's main module, where debugpy called it; `threading.excepthook`;
`sys.unraisablehook`. What debugpy has stopped at, also `sys.exit("no such file")`, is not stopped at again.
"""

from __future__ import annotations

_HOOK = r"""
import os, sys, threading, types
from _pydevd_bundle import pydevd_constants
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info

traceback_of = BaseException.__dict__["__traceback__"].__get__
current_thread, get_ident = threading.current_thread, threading.get_ident
getpid, pid = os.getpid, os.getpid()
debugger = pydevd_constants.get_global_debugger()
monitoring = pydevd_constants.PYDEVD_USE_SYS_MONITORING and sys.modules.get(
    "_pydevd_sys_monitoring.pydevd_sys_monitoring")
stopped_at = [0]  # the id of the exception at which the debugger stopped last: to keep it would keep its frames
standing = []  # threads that are stopped: what runs in one meanwhile is evaluated, or runs in a copy of the process

def frames_of(tb):
    while tb is not None:
        yield tb.tb_frame
        tb = tb.tb_next

def is_failure(exc):
    return not isinstance(exc, (SystemExit, GeneratorExit))

def wanted(exc):
    filters = debugger.break_on_uncaught_exceptions
    if debugger.pydb_disposed:
        return None
    return filters and debugger.get_exception_breakpoint(type(exc), filters)

def stop(exc):
    if get_ident() in standing or getpid() != pid or not is_failure(exc):
        return
    if stopped_at[0] == id(exc):
        stopped_at[0] = 0
        return
    found = wanted(exc)
    users = [frame for frame in frames_of(traceback_of(exc)) if debugger.in_project_scope(frame)]
    if not found or not users:
        return
    thread = current_thread()
    info = set_additional_thread_info(thread)
    info.pydev_message = found.qname
    paused = hasattr(monitoring, "suspend_current_thread_tracing") and monitoring.suspend_current_thread_tracing()
    info.is_tracing += 1
    before = stopped_at[0]
    try:
        debugger.do_stop_on_unhandled_exception(thread, users[-1], None, (type(exc), exc, traceback_of(exc)))
    finally:
        info.is_tracing -= 1
        stopped_at[0] = before  # nobody hears of this one again, and another may get its id
        if paused:
            monitoring.resume_current_thread_tracing()

def look_at(exc):
    try:
        if isinstance(exc, BaseException):
            stop(exc)
    except Exception:
        pass  # the program's own end matters more

def note_stops(plain):
    def do_wait_suspend(thread, frame, event, arg, *more, **options):
        if event == "exception" and arg is not None:
            stopped_at[0] = id(arg[1])
        standing.append(get_ident())
        try:
            return plain(thread, frame, event, arg, *more, **options)
        finally:
            standing.remove(get_ident())

    return do_wait_suspend

def watched(run):
    def call(*arguments, **options):
        try:
            return run(*arguments, **options)
        except BaseException as exc:
            look_at(exc)
            raise

    return call

def heard(hook):
    def call(about):
        look_at(about.exc_value)
        hook(about)

    return call

def install():
    cli = sys.modules.get("debugpy.server.cli")
    if debugger is None or cli is None or not isinstance(getattr(cli, "runpy", None), types.ModuleType):
        return
    debugger.do_wait_suspend = note_stops(debugger.do_wait_suspend)
    runpy, names = cli.runpy, ("run_path", "run_module", "_run_module_as_main")
    cli.runpy = types.SimpleNamespace(**{name: watched(getattr(runpy, name)) for name in names if hasattr(runpy, name)})
    sys.unraisablehook = heard(sys.unraisablehook)
    threading.excepthook = heard(threading.excepthook)

install()
"""

INSTALL = (
    f"(lambda b: b.exec(b.compile({_HOOK!r}, '<frozen dap_ai>', 'exec'), "
    "{'__builtins__': b.__dict__.copy()}))(__import__('builtins'))"
)
"""Evaluated without a frameId before the program starts; Python 3.8 to 3.14. debugpy steps over a file so named."""
