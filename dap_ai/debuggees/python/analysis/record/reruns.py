"""Reruns the failure and its neighbour tests for callers that try no fixes."""

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
    """Rerun a failed `assert` or `raise` with the widest check that reproduces it.

    Returns None for other failures, if no check reproduces the failure, or if the rerun calls no function.
    """
    failure = failure_of(case)
    control = await run_again(debugger, case) if failure and failure.is_demand else None
    return control if control and control.trace.calls else None


async def beside_again(debugger: Debugger, case: StopSnapshot) -> NeighbourTests | None:
    """Run the neighbour tests in a copy; None if the tests cannot be run."""
    if not case.exception or debugger.why_no_snapshot:
        return None
    try:
        return await neighbours_of(CheckRuns(debugger, case, None, _AGAIN_S, folders=own_folders(case)))
    except NotStopped:
        return None


async def run_again(debugger: Debugger, case: StopSnapshot) -> Control | None:
    """Rerun the failure with the widest check that reproduces it; None if no check does or nothing can be run."""
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
