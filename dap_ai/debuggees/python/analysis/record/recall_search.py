"""Finds a check whose rerun in a copy reaches the stop. The rerun's moments serve as the program's past."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns
from dap_ai.debuggees.python.analysis.record.enclosing import enclosing, own_folders
from dap_ai.debuggees.python.analysis.record.failure_check import failure_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.repeatable_run import Recalled, UnrepeatableError
from dap_ai.protocol.contracts.rewind_messages import Rewind

DEADLINE_S = 10.0
_INPUT = "EOFError"
_MAY_STAND_WITHIN = "step"
"""Stop reason at which the program may be in the middle of a line, as after a function's return. At other stops without
an exception, the line has not started."""


async def recall(debugger: Debugger, case: StopSnapshot) -> Recalled:
    """Rerun the test, or else the program, up to this stop. Raises UnrepeatableError, NotStopped, RequestFailed."""
    if why := debugger.why_no_snapshot:
        raise UnrepeatableError(why)
    runs = CheckRuns(debugger, case, failure_of(case), budget_s=3 * DEADLINE_S, folders=own_folders(case))
    reasons: list[str] = []
    for check in enclosing(case):
        for rewind in _ways(case):
            control = await runs.control(check, deadline_s=DEADLINE_S, aim=rewind)
            result, found = control.result, control.result.rewound
            if control.usable and found and found.count:
                query = check.query(rewind=rewind, deadline_s=DEADLINE_S, folders=own_folders(case))
                return Recalled(query, check.words, found, _is_within(case, found.within))
            is_read = result.raised is not None and result.raised.type == _INPUT
            input_used = f"{check.words} reads input, which is used up when it is run again"
            reasons.append(input_used if is_read else control.why_not or f"{check.words} runs no line of the program")
            was_surest = rewind.to_stop and not (found and found.within)
            if is_read or was_surest or result.status.startswith(("unavailable", "deadline")):
                break
    raise UnrepeatableError(reasons[0] if reasons else _why_nothing(case))


def _ways(case: StopSnapshot) -> Iterator[Rewind]:
    """Yield the ways in which a run can detect that it reached the stop, most certain first."""
    if failure_of(case) is not None:
        yield Rewind()
    elif case.stop.reason == _MAY_STAND_WITHIN and not _is_in_library(case):
        yield Rewind(to_stop=True)
    yield Rewind(to_stop=True, at_line=True)


def _is_in_library(case: StopSnapshot) -> bool:
    return bool(case.frames) and not case.frames[0].user


def _is_within(case: StopSnapshot, found: bool) -> bool:
    return case.exception is not None or _is_in_library(case) or (found and case.stop.reason == _MAY_STAND_WITHIN)


def _why_nothing(case: StopSnapshot) -> str:
    if not any(frame.user for frame in case.frames):
        return "no frame of this stop is in a file of yours"
    return "neither a program from its start nor a test stands on this thread's stack, so there is nothing to run again"
