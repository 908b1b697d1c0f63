"""Makes a debuggee report each traceback that it formats, including those of caught exceptions.

An exception that a test runner, a web framework, a pool or an event loop catches does not reach the debugger, so the
program may not stop where it was raised. But each of them formats the exception with the standard library's `traceback`
(pytest only its last line). At that point the debuggee reports types, files and lines in an `output` event that no
client sees; this also works if the program writes to its own terminal. None of the program's code runs: the message is
the text that `traceback` has just made. A process reports at most 50 exceptions; a fork without a debugger, such as a
snapshot, reports none.
"""

from __future__ import annotations

from dap_ai.backends.debugpy.running_text import expression_of
from dap_ai.protocol.wire.caught_messages import KEY

_HOOK = r"""
import functools, os, sys, traceback, types
from _pydevd_bundle.pydevd_constants import get_global_debugger
from _pydevd_bundle.pydevd_comm_constants import CMD_WRITE_TO_CONSOLE
from _pydevd_bundle.pydevd_net_command import NetCommand
from _pydevd_bundle._debug_adapter.pydevd_schema import OutputEvent, OutputEventBody

getcwd, current_frame = os.getcwd, sys._getframe  # the program may put others in their place
name_of = type.__dict__["__name__"].__get__
module_of = type.__dict__["__module__"].__get__
traceback_of = BaseException.__dict__["__traceback__"].__get__
no_failures = ("Skipped", "XFailed", "Exit")  # pytest's: each is an exception that it reports
MOST_FRAMES = 100

def rows_of(tb, in_project):
    rows = []
    while type(tb) is types.TracebackType:
        code = tb.tb_frame.f_code
        rows.append((code.co_filename, tb.tb_lineno or 0, code.co_name, bool(in_project(tb.tb_frame))))
        tb = tb.tb_next
    half = MOST_FRAMES // 2
    return rows if len(rows) <= MOST_FRAMES else rows[:half] + rows[-half:]

def is_running(wanted):
    frame = current_frame(2)
    while frame is not None and frame is not wanted:
        frame = frame.f_back
    return frame is not None

def filter_for(rows, outermost):
    # What leaves the user's code is "userUnhandled"; what it catches itself stops only where it is raised.
    leaves = any(inner[3] and not outer[3] for outer, inner in zip(rows, rows[1:]))
    return "raised" if rows[0][3] and not leaves and is_running(outermost) else "userUnhandled"

def tell(made, kind, value, tb, state):
    if tb is None:
        tb = traceback_of(value)
    debugger = get_global_debugger()
    if debugger is None or type(tb) is not types.TracebackType:
        return
    name, module = name_of(kind), module_of(kind)
    if name in no_failures and module == "_pytest.outcomes":
        return
    rows = rows_of(tb, debugger.in_project_scope)
    if not any(row[3] for row in rows):
        return
    said = getattr(made, "_str", "")
    about = {
        "type": name if module in ("builtins", "__main__") else "%s.%s" % (module, name),
        "message": said[:2000] if type(said) is str else "",
        "frames": rows,
        "filter": filter_for(rows, tb.tb_frame),
        "cwd": getcwd(),
    }
    if about == state["last"]:  # pytest makes the same text several times
        return
    state["last"] = about
    state["left"] -= 1
    body = OutputEventBody("", "telemetry", data={"@KEY@": about})
    debugger.writer.add_command(NetCommand(CMD_WRITE_TO_CONSOLE, 0, OutputEvent(body), is_json=True))

def install(kind, getpid=os.getpid):
    state = getattr(kind.__init__, "dap_ai_state", None)
    if state is not None:  # inherited by a fork that has a debugger of its own, or attached to once more
        state.update(pid=getpid(), left=50)
        return
    made_by = kind.__init__
    state = {"pid": getpid(), "left": 50, "last": None}

    @functools.wraps(made_by)
    def __init__(self, exc_type, exc_value, exc_traceback, *args, **options):
        made_by(self, exc_type, exc_value, exc_traceback, *args, **options)
        if options.get("_seen") is None and state["left"] > 0 and state["pid"] == getpid():
            try:
                tell(self, exc_type, exc_value, exc_traceback, state)
            except Exception:
                pass  # the program's own traceback matters more

    __init__.dap_ai_state = state
    kind.__init__ = __init__

install(traceback.TracebackException)
""".replace("@KEY@", KEY)

INSTALL = expression_of(_HOOK)
"""An expression that installs the reports; evaluate it without a frameId before the program starts.

Works in Python 3.8 to 3.14. debugpy steps over files with the name that the code is compiled under.
"""
