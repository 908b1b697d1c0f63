"""Records the run that led to a stop, by rerunning the program or test in a copy until it reaches the stop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.enclosing import enclosing, own_folders
from dap_ai.debuggees.python.analysis.record.executions import executions, line_counts
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck, failure_of
from dap_ai.debuggees.python.analysis.record.trace_record import StatementRun, TraceRecord
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotQuery

DEADLINE_S = 5.0


@dataclass
class RerunToStop:
    """The recording of a rerun up to the stop."""

    case: StopSnapshot
    record: TraceRecord
    """The events of the run's last steps; earlier steps are only counted."""
    control: Control

    @property
    def trace(self) -> RunTrace:
        """The trace of the run: its lines and calls."""
        return self.control.trace

    @property
    def files(self) -> dict[str, SourceFile]:
        """Path -> source file, for each file that the run recorded."""
        return {run.source.path: run.source for run in self.record.runs.values()}

    @property
    def end(self) -> StatementRun | None:
        """The last run of the stop's statement, or None if it was not recorded."""
        place = self.case.places[0] if self.case.places else None
        return self.record.end(place.frame.path, place.statement) if place and place.statement else None

    def count(self, source: SourceFile, statement: ast.stmt) -> int:
        """Return how often a statement ran."""
        return executions(self.trace.lines, source, statement)


class NotRerunnable(Exception):  # noqa: N818  an answer, not an error
    """The program cannot be rerun to this stop; the message is the reason, as a clause."""


async def rerun_to_stop(debugger: Debugger, case: StopSnapshot, known: Sequence[Control] = ()) -> RerunToStop:
    """Rerun the program up to the stop and return the recording. Raises NotRerunnable, NotStopped, RequestFailed.

    `known`: earlier runs of the failure, reused if a recording of the whole program or test is among them.
    """
    checks = _wholes(debugger, case)
    found = next((c for c in reversed(known) if c.check.whole and c.usable and c.trace.history), None)
    if found is None:
        come = _to_failure if failure_of(case) else _to_stop
        found = await come(debugger, case, checks)
    if found.trace.history is None:
        raise NotRerunnable(f"{found.check.words} does too much to be recorded")
    return RerunToStop(case, TraceRecord(found.trace.history, case.sources), found)


async def timed(debugger: Debugger, case: StopSnapshot) -> tuple[RunTrace, str]:
    """Rerun the program and return a trace with the time of each line, and a description of the rerun code.

    Raises NotRerunnable, NotStopped, RequestFailed.
    """
    reasons: list[str] = []
    for check in _wholes(debugger, case):
        query = _anew(check.query(deadline_s=DEADLINE_S, folders=own_folders(case)))
        result = await _runs(debugger, case).run(replace(query, timed=True))
        if result.trace and result.trace.lines:
            return result.trace, check.words
        reasons.append(f"{check.words} could not be run again")
    raise NotRerunnable(reasons[0])


def why_not_rerunnable(debugger: Debugger, case: StopSnapshot) -> str:
    """Return a clause on why nothing can be rerun, as far as known before trying; empty if a rerun may work."""
    if debugger.why_no_snapshot:
        return debugger.why_no_snapshot
    if case.edited:
        return "a value was set in the debugger, and a rerun would not have it"
    return "" if any(check.whole for check in enclosing(case)) else "what led to this stop cannot be run again"


def _wholes(debugger: Debugger, case: StopSnapshot) -> list[FailureCheck]:
    """Return the checks of the whole program and the whole test, in this order. Raises NotRerunnable."""
    if why := why_not_rerunnable(debugger, case):
        raise NotRerunnable(why)
    return [check for check in enclosing(case) if check.whole][::-1]


def _anew(query: SnapshotQuery) -> SnapshotQuery:
    """Make a query that runs the whole program reload all user modules, so that no old state remains."""
    begun = query.statements
    return replace(query, statements=replace(begun, anew=True)) if begun and begun.fresh else query


def _runs(debugger: Debugger, case: StopSnapshot) -> CheckRuns:
    return CheckRuns(debugger, case, failure_of(case), 2 * DEADLINE_S, folders=own_folders(case))


async def _to_failure(debugger: Debugger, case: StopSnapshot, checks: Sequence[FailureCheck]) -> Control:
    runs, reasons = _runs(debugger, case), list[str]()
    for check in checks:
        control = await runs.control(check, deadline_s=DEADLINE_S)
        if control.usable or control.fails_there:
            return control
        reasons.append(control.why_not)
    raise NotRerunnable(reasons[0])


async def _to_stop(debugger: Debugger, case: StopSnapshot, checks: Sequence[FailureCheck]) -> Control:
    runs = _runs(debugger, case)
    for check in checks:
        query = _anew(check.query(trace=True, deadline_s=DEADLINE_S, folders=own_folders(case)))
        result = await runs.run(replace(query, to_stop=True))
        trace = result.trace
        if trace and trace.arrived:
            return Control(check, result, "", line_counts(trace))
    raise NotRerunnable(f"{checks[0].words} does not come to this stop with the same values when it is run again")
