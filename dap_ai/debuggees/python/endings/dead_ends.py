"""Stops the debuggee at errors that end a program or a thread and that debugpy misses.

pydevd looks for uncaught exceptions while they are raised. It misses three: a RecursionError, because no stack is left
to look; Ctrl-C; and a finalizer's error, which the interpreter catches. When such an error is reported, its frames have
ended, but the traceback still holds them with their variables, so pydevd gets those frames. pydevd then stops as at any
uncaught exception, if such stops are enabled.

The hooks are: the exit from the program's main module, where debugpy called it; `threading.excepthook`;
`sys.unraisablehook`, also after the main thread ends and functions of `atexit` run; and errors that the standard
library reports as a last resort: a task's exception that was never retrieved, a doctest that raises, the failure of a
multiprocessing child. An error that ends a test of unittest, pytest or Twisted's trial is handled before the test's
cleanup (debuggees/python/hosts/cleanup_hooks.py), or else when it is reported. Code that did not compile has no frame,
so the hook makes a frame at the line with the syntax error. debugpy does not stop a second time at the same error,
including `sys.exit("no such file")`. An exception group stops where its first member failed.
"""

from __future__ import annotations

from dap_ai.backends.debugpy.imports import IMPORTS
from dap_ai.backends.debugpy.running_text import expression_of
from dap_ai.debuggees.python.endings.dead_children import CHILDREN
from dap_ai.debuggees.python.endings.dead_ranks import RANKS
from dap_ai.debuggees.python.endings.dead_tests import CLEANUPS, TESTS

_HOOK = r"""
import builtins, functools, os, sys, threading, traceback, types
from _pydevd_bundle import pydevd_constants
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info

traceback_of = BaseException.__dict__["__traceback__"].__get__
current_frame = sys._getframe
current_thread, get_ident = threading.current_thread, threading.get_ident
getpid, pid = os.getpid, os.getpid()
debugger = pydevd_constants.get_global_debugger()
monitoring = pydevd_constants.PYDEVD_USE_SYS_MONITORING and sys.modules.get(
    "_pydevd_sys_monitoring.pydevd_sys_monitoring")
group = getattr(builtins, "BaseExceptionGroup", None)  # since Python 3.11
stopped_at = [0]  # the id of the exception at which the debugger stopped last: to keep it would keep its frames
standing = []  # threads that are stopped: what runs in one meanwhile is evaluated, or runs in a copy of the process

def frames_of(tb):
    while tb is not None:
        yield tb.tb_frame
        tb = tb.tb_next

# Who reports what nobody else is told of: the end of a file's name, and a function.
REPORTERS = (
    ("/asyncio/base_events.py", "default_exception_handler"),
    ("/unittest/result.py", "_exc_info_to_string"),
    ("/doctest.py", "report_unexpected_exception"),
)
EXPECTED = ("addExpectedFailure", "addSkip")

def is_reported_last():
    frame = current_frame(2)
    for _ in range(40):
        if frame is None:
            return False
        code = frame.f_code
        for file, function in REPORTERS:
            if code.co_name == function and code.co_filename.replace("\\", "/").endswith(file):
                return frame.f_back is None or frame.f_back.f_code.co_name not in EXPECTED
        frame = frame.f_back

def frame_of_source(exc):
    file, line = exc.filename, exc.lineno
    if type(file) is not str or not os.path.isfile(file):
        return None
    names = {"__name__": "__main__", "__file__": file, "error": exc}
    before = traceback_of(exc)
    try:
        exec(compile("\n" * ((line or 1) - 1) + "raise error", file, "exec"), names)
    except SyntaxError:
        made = traceback_of(exc).tb_next
    exc.__traceback__ = before
    del names["error"]
    return made

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
    found, tb = wanted(exc), traceback_of(exc)
    users = [frame for frame in frames_of(tb) if debugger.in_project_scope(frame)]
    if not users and isinstance(exc, SyntaxError):
        tb = frame_of_source(exc)
        users = list(frames_of(tb))
    if not found or not users:
        return
    thread = current_thread()
    info = set_additional_thread_info(thread)
    info.pydev_message = found.qname
    paused = hasattr(monitoring, "suspend_current_thread_tracing") and monitoring.suspend_current_thread_tracing()
    info.is_tracing += 1
    before = stopped_at[0]
    try:
        debugger.do_stop_on_unhandled_exception(thread, users[-1], None, (type(exc), exc, tb))
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

def look_at_exit(exc):
    try:
        stop_at_exit(exc)
    except Exception:
        pass  # as above

def leaves_of(exc):
    members = getattr(exc, "exceptions", None)
    if group is None or not isinstance(exc, group) or type(members) is not tuple:
        return [exc]
    return [leaf for member in members for leaf in leaves_of(member)]

def of_a_member(frame, arg):
    # What a group collects has failed elsewhere, and earlier: its first member tells where.
    leaves = leaves_of(arg[1])
    for leaf in leaves if leaves != [arg[1]] else ():
        tb = traceback_of(leaf)
        users = [each for each in frames_of(tb) if debugger.in_project_scope(each)]
        if users:
            others = ["%s: %s" % (type(each).__name__, each) for each in leaves if each is not leaf]
            told = "%s: %s" % (type(arg[1]).__name__, arg[1])
            told += "; this is " + type(leaf).__name__ + (", beside " + "; ".join(others[:5]) if others else "")
            debugger.writer.add_command(debugger.cmd_factory.make_warning_message(told[:1000] + "\n"))
            return users[-1], (type(leaf), leaf, tb)
    return frame, arg

def note_stops(plain):
    def do_wait_suspend(thread, frame, event, arg, *more, **options):
        if event == "exception" and arg is not None:
            stopped_at[0] = id(arg[1])
            try:
                frame, arg = of_a_rank(*of_a_member(frame, arg))
            except Exception:
                pass  # then it is the group that is shown
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
            look_at_exit(exc)
            raise

    return call

def heard(hook):
    def call(about):
        look_at(about.exc_value)
        hook(about)

    return call

def look_at_reported(exc):
    if getpid() == pid and id(exc) not in held and is_reported_last():
        look_at(exc)

def outlive_main_thread(modules=list(sys.modules.items()), main=threading.main_thread(), current=current_thread):
    # Functions of `atexit` run after the main thread, behind which pydevd would end the session: it does so by itself
    # as the last of them. Only the thread that keeps the process from ending may know.
    pydevd = sys.modules["pydevd"]
    plain, dispose = pydevd.is_thread_alive, debugger.dispose_and_kill_all_pydevd_threads
    waiting = pydevd.CheckAliveThread

    def is_thread_alive(thread):
        return plain(thread) or thread is main and not isinstance(current(), waiting)

    def dispose_and_kill_all_pydevd_threads(*arguments, **options):
        if not isinstance(current(), waiting):
            dispose(*arguments, **options)

    debugger.dispose_and_kill_all_pydevd_threads = dispose_and_kill_all_pydevd_threads
    for name, module in modules:
        if type(module) is types.ModuleType and "pydev" in name and vars(module).get("is_thread_alive") is plain:
            module.is_thread_alive = is_thread_alive

def install():
    cli = sys.modules.get("debugpy.server.cli")
    if debugger is None or cli is None or not isinstance(getattr(cli, "runpy", None), types.ModuleType):
        return
    debugger.do_wait_suspend = note_stops(debugger.do_wait_suspend)
    outlive_main_thread()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before_fork)
    watch_spawned()
    watch_ranks()
    kind = traceback.TracebackException
    kind.__init__ = telling(kind.__init__, end_of_child, look_at_reported)
    runpy, names = cli.runpy, ("run_path", "run_module", "_run_module_as_main")
    cli.runpy = types.SimpleNamespace(**{name: watched(getattr(runpy, name)) for name in names if hasattr(runpy, name)})
    watch_tests()
    sys.unraisablehook = heard(sys.unraisablehook)
    threading.excepthook = heard(threading.excepthook)
"""

_TEXT = CLEANUPS + _HOOK + CHILDREN + RANKS + TESTS + IMPORTS + "install()"
INSTALL = expression_of(_TEXT)
"""The expression that installs the hooks; evaluate it without a frameId before the program starts.

Supports Python 3.8 to 3.14. debugpy steps over the file name under which the code is compiled.
"""
