"""Runs checks in snapshots, first without and then with edits, and judges the outcome."""

from __future__ import annotations

import ast
import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec.structs import replace

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut, show
from dap_ai.agent.report.source_edits import SourceEdit, moved
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.record.data_changes import changes_data
from dap_ai.debuggees.python.analysis.record.enclosing import changes_a_check
from dap_ai.debuggees.python.analysis.record.executions import line_counts
from dap_ai.debuggees.python.analysis.record.failure_check import Failure, FailureCheck
from dap_ai.debuggees.python.analysis.record.same_failure import SameFailure, is_data, not_arrived
from dap_ai.debuggees.python.analysis.syntax.nodes import header_lines, lines_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.rewind_messages import Rewind
from dap_ai.protocol.contracts.snapshot_messages import FollowQuery, RunTrace, SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.load_limits import Limit
from dap_ai.system.texts import code

RUN_DEADLINE_S = 1.0
BUDGET_S = 1.2
"""Processor seconds that copies may use, so that a busy machine tries as many fixes as an idle one. 120 fixes of a
program that reruns quickly need 0.6 to 1 s; twice the time finds hardly more fixes. The wall-clock limit is _BY_CLOCK
times this budget, and more on a busy machine."""
AT_ONCE = 4
_LEAST_DEADLINE_S, _PATIENCE, _BY_CLOCK = 0.3, 8, 1.15
_LEAST_RUN_S = 0.05

CANNOT: Final = "cannot be verified here"
Outcome = Literal["verified", "passes", "not verified", "cannot be verified here"]
"""verified: the whole program or test succeeds when it runs as the user runs it. passes: only a part of the program, or
the caller's own check, succeeds; or the whole program succeeds with changed or omitted data."""


@dataclass
class Control:
    """The result of a check that ran without edits."""

    check: FailureCheck
    result: SnapshotResult
    why_not: str = ""
    """Why the run does not reproduce the failure; empty if the run reproduces it."""
    counts: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """(file, line) -> how often the line ran."""
    fails_there: bool = False
    """Whether the run fails in the same statement with the same exception type, possibly with other values."""

    @property
    def usable(self) -> bool:
        """Whether the run fails as the program did."""
        return not self.why_not

    @property
    def patience_s(self) -> float:
        """Maximum seconds that the check may take with an edit."""
        return min(RUN_DEADLINE_S, max(_LEAST_DEADLINE_S, _PATIENCE * self.result.processor_ms / 1000))

    @property
    def trace(self) -> RunTrace:
        """The trace of the run; empty if the run was not traced."""
        return self.result.trace or RunTrace()

    def ran(self, source: SourceFile, first: int, last: int) -> bool:
        """Whether a statement at one of the lines ran; a function counts if any of its lines ran."""
        lines = {line for path, line in self.counts if path == source.path}
        for line in range(first, max(first, last) + 1):
            statement = source.statement_at(line)
            if line in lines or (statement and lines & set(_own_lines(statement))):
                return True
        return False


def _own_lines(statement: ast.stmt) -> range:
    """Return the lines of a simple statement, of a compound statement's header, or of a whole function."""
    return lines_of(statement) if isinstance(statement, FunctionNode) else header_lines(statement)


@dataclass
class FixVerdict:
    """The effect of a fix on a check."""

    outcome: Outcome
    text: str
    """A clause on what the check did with the fix, or on why the fix could not be tried."""
    check: FailureCheck | None = None
    result: SnapshotResult | None = None

    @property
    def verified(self) -> bool:
        """Whether the whole failing program or test succeeds with the fix."""
        return self.outcome == "verified"

    @property
    def passes(self) -> bool:
        """Whether the check, whole or partial, passes with the fix."""
        return self.outcome in ("verified", "passes")


class Unavailable(Exception):  # noqa: N818  names what is so
    """The debuggee cannot be copied; the message is the reason."""


class CheckRuns:
    """Runs checks in copies of the process at one stop, within a time budget."""

    def __init__(
        self,
        debugger: Debugger,
        case: StopSnapshot,
        failure: Failure | None,
        budget_s: float = BUDGET_S,
        *,
        clock_s: float = math.inf,
        folders: Sequence[str] = (),
    ) -> None:
        """Set up the runs for one stop.

        `clock_s`: maximum wall-clock seconds, since the caller waits no longer. `folders`: folders that the program's
        own statements may read, with or without the analysis's edits.
        """
        self.failure = failure
        self._same = SameFailure(case, failure)
        self.folders = folders
        self._debugger = debugger
        self.case = case
        self._left_s = budget_s
        self._by_clock = Limit(_BY_CLOCK * budget_s)
        self._ends = time.monotonic() + clock_s
        self._slots = asyncio.Semaphore(AT_ONCE)

    @property
    def has_time(self) -> bool:
        """Whether processor time and wall-clock time are left."""
        return self._left_s > 0 and self._by_clock.left_s > 0 and self.left_s > 0

    @property
    def left_s(self) -> float:
        """Wall-clock seconds left until the caller stops waiting."""
        return self._ends - time.monotonic()

    async def run(self, query: SnapshotQuery) -> SnapshotResult:
        """Run a query in a copy; at most AT_ONCE copies run together. Raises Unavailable, NotStopped, RequestFailed."""
        async with self._slots:
            limit_s = max(_LEAST_RUN_S, self.left_s)
            if query.deadline_s > limit_s:
                query = replace(query, deadline_s=limit_s)
            result = await self._debugger.snapshot(query)
        self._left_s -= query.deadline_s if result.status == "deadline" else result.processor_ms / 1000
        if result.status.startswith("unavailable") and not query.is_trial:
            raise Unavailable(result.reason)
        return result

    async def control(
        self,
        check: FailureCheck,
        *,
        deadline_s: float = RUN_DEADLINE_S,
        own: bool = False,
        aim: FollowQuery | Rewind | None = None,
    ) -> Control:
        """Run the check without edits, traced, and compare its failure with the program's.

        `own`: whether the caller wrote the check, so that only the exception type is compared. `aim`: what to follow or
        count up to the failure or the stop, instead of a trace. Raises NotStopped, RequestFailed.
        """
        differs = self._same.differs_from_own if own else self._same.differs
        query = check.query(
            trace=aim is None,
            follow=aim if isinstance(aim, FollowQuery) else None,
            rewind=aim if isinstance(aim, Rewind) else None,
            watch=self.failure.watch if self.failure else [],
            deadline_s=deadline_s,
            folders=self.folders,
        )
        try:
            result = await self.run(query)
        except Unavailable as error:
            return Control(check, SnapshotResult(f"unavailable: {error}"), str(error))
        why_not = not_arrived(check, result) if aim and aim.to_stop else differs(check, result)
        counts = line_counts(result.trace or RunTrace())
        return Control(check, result, why_not, counts, not self._same.is_elsewhere(result))

    async def attempt(
        self, edits: Sequence[SourceEdit], control: Control, *, deadline_s: float = 0.0, trace: bool = False
    ) -> FixVerdict:
        """Run the check with the edits and return the verdict, also if the copy refuses the request. Raises NotStopped.

        `trace`: whether to trace the first run, for an edit that is likely to pass. Otherwise only an edit that passes
        runs again with a trace: most edits fail, and run faster without a trace. `deadline_s`: 0 means a multiple of
        the control run's time, so that an endless loop does not cost a full second.
        """
        deadline_s = deadline_s or control.patience_s
        check = control.check
        needs_trace = bool(self.failure and (check.whole or not check.text))
        verdict = await self._attempt(edits, control, deadline_s, trace=trace)
        if verdict.passes and needs_trace and not trace:
            return await self._attempt(edits, control, deadline_s, trace=True)
        return verdict

    async def _attempt(
        self, edits: Sequence[SourceEdit], control: Control, deadline_s: float, *, trace: bool
    ) -> FixVerdict:
        check = control.check
        watch = self.failure.watch if self.failure else []
        try:
            if why := self.edits_check(edits):
                return FixVerdict(CANNOT, why, check)
            query = check.query(edits, trace=trace, watch=watch, deadline_s=deadline_s, folders=self.folders)
        except ValueError as error:
            return FixVerdict(CANNOT, str(error), check)
        try:
            result = await self.run(query)
        except NotStopped:
            raise
        except (Unavailable, RequestFailed) as error:
            reason = error.user_text if isinstance(error, RequestFailed) else str(error)
            return FixVerdict(CANNOT, reason, check)
        outcome, text = self._judge(edits, control, result, deadline_s)
        return FixVerdict(outcome, text, check, result)

    def edits_check(self, edits: Sequence[SourceEdit]) -> str:
        """Return why a pass with these edits proves nothing, or an empty string. Raises ValueError if edits overlap."""
        if self.failure and self.failure.is_touched(edits):
            return "the edit changes the failing check itself"
        return changes_a_check(self.case, edits)

    def _judge(
        self, edits: Sequence[SourceEdit], control: Control, result: SnapshotResult, deadline_s: float
    ) -> tuple[Outcome, str]:
        if result.status.startswith("unavailable"):
            return CANNOT, result.reason
        if result.unknown and not set(result.refusals) <= set(control.result.refusals):
            return CANNOT, f"what {control.check.words} does with it is not known: {result.unknown}"
        if result.status == "deadline":
            return "not verified", f"it had not finished after {deadline_s:g} s"
        if not _passes(result):
            return "not verified", f"it still fails with {self._failure_text(result)}"
        whole = control.check.whole
        missed = "" if control.check.text and not whole else self._missed(edits, control, result)
        if missed:
            return "not verified", missed
        if whole and (data := changes_data(edits)):
            return "passes", f"{control.check.words} succeeds with it, but {data}"
        within = f" ({result.unknown}, with the fix or without it)" if result.unknown else ""
        if whole:
            return "verified", f"{control.check.words} succeeds with it{within}"
        return "passes", f"{control.check.words} passes with it when it is run alone; the whole was not run{within}"

    def _missed(self, edits: Sequence[SourceEdit], control: Control, result: SnapshotResult) -> str:
        """Return a clause if the edited run no longer reaches the failing assertion or a function on the stack.

        Returns an empty string if the run reaches all of these.
        """
        failure, trace = self.failure, result.trace
        if failure is None or trace is None or trace.lines_truncated:
            return ""
        now = line_counts(trace)
        if isinstance(failure.statement, ast.Assert):
            path, line = failure.place.frame.path, failure.statement.lineno
            if now.get((path, moved(path, line, edits)), 0) < control.counts.get((path, line), 0):
                return "the failing assertion is not reached as often as before"
        for place in self.case.places:
            path, function = place.frame.path, place.function
            first, last = (function.lineno + 1, last_line(function)) if function else (0, -1)
            if not any((path, n) in control.counts for n in range(first, last + 1)):
                continue
            if not any((path, n) in now for n in range(moved(path, first, edits), moved(path, last, edits) + 1)):
                return f"{code(place.frame.name)} is not reached any more"
        return ""

    def _failure_text(self, result: SnapshotResult) -> str:
        raised, failure = result.raised, self.failure
        text = code(cut(result.error, 160))
        values = raised.watched if raised else []
        pairs = zip(failure.watch if failure else [], values, strict=False)
        told = [(name, value) for name, value in pairs if value and is_data(value) and value.text != name]
        shown = [f"{code(name)} is {code(show(value, 60))}" for name, value in told]
        return f"{text}: {', '.join(shown[:2])}" if shown else text


def _passes(result: SnapshotResult) -> str:
    """Return a clause stating that the check passes; an empty string if the check fails."""
    raised = result.raised
    if result.status == "ok":
        return "it does not fail when it is run"
    quiet = raised and raised.type == "SystemExit" and raised.message in ("", "0", "None")
    return "it ends the program without an error when it is run" if quiet else ""
