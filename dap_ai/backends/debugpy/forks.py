"""Lets a forked child that is not debugged run without the debugger.

With `subProcess: false` debugpy leaves its trace function in a child of `os.fork`, but no code that could resume a
stopped thread. At a breakpoint or an uncaught exception the child hangs, and its parent with it.
"""

from __future__ import annotations

_LET_GO = r"""
import os, sys

def stop_tracing(pydevd_tracing=__import__("pydevd_tracing"), frame_eval=sys.modules.get(
        "_pydevd_frame_eval.pydevd_frame_eval_main")):
    stop_frame_eval = getattr(frame_eval, "stop_frame_eval", None)
    if stop_frame_eval is not None:
        stop_frame_eval()
    pydevd_tracing.SetTrace(None)

def stop_monitoring(monitoring=getattr(sys, "monitoring", None)):
    # Without a callback an event costs nothing; pydevd's own function would wait for a lock that the parent held.
    for event in vars(monitoring.events).values():
        if isinstance(event, int) and event and not event & (event - 1):
            monitoring.register_callback(monitoring.DEBUGGER_ID, event, None)

def let_go():
    try:
        (stop_monitoring if uses_monitoring else stop_tracing)()
    except Exception:
        pass  # the child is then as debugpy leaves it

from _pydevd_bundle.pydevd_constants import PYDEVD_USE_SYS_MONITORING as uses_monitoring
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=let_go)
"""

INSTALL = f"__import__('builtins').exec({_LET_GO!r}, {{}})"
"""An expression that installs this fix; evaluate it without a frameId before the program starts.

Works in Python 3.8 to 3.14.
"""
