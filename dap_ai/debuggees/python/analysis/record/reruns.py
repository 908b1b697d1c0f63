"""Runs again what failed, and the tests beside it, where no fix is tried: for a first context, for a value's path."""

from __future__ import annotations

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.enclosing import own_folders
from dap_ai.debuggees.python.analysis.record.failure_check import failure_of
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests, neighbours_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

_AGAIN, _AGAIN_S = 2, 1.0


async def demand_again(debugger: Debugger, case: StopSnapshot) -> Control | None:
    """The widest check that shows a failed assertion or a raise again; None: there is none, or nothing is called."""
    failure = failure_of(case)
    control = await run_again(debugger, case) if failure and failure.is_demand else None
    return control if control and control.trace.calls else None


async def beside_again(debugger: Debugger, case: StopSnapshot) -> NeighbourTests | None:
    """The tests beside the one that failed, run in a copy; None where that is not possible."""
    if not case.exception or debugger.why_no_snapshot:
        return None
    try:
        return await neighbours_of(CheckRuns(debugger, case, None, _AGAIN_S, folders=own_folders(case)))
    except NotStopped:
        return None


async def run_again(debugger: Debugger, case: StopSnapshot) -> Control | None:
    """The widest check that shows the failure again; None where there is none, or nothing can be run."""
    failure = failure_of(case) if case.exception and not debugger.why_no_snapshot else None
    if failure is None:
        return None
    runs = CheckRuns(debugger, case, failure, _AGAIN_S, folders=own_folders(case))
    for check in reversed(checks_of(case)[-_AGAIN:]):
        try:
            control = await runs.control(check)
        except (NotStopped, RequestFailed):
            return None
        if control.usable:
            return control
    return None
