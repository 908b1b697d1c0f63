"""Runs the tests near the failed test, to find which lines passing tests run and which fixes break a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from msgspec.structs import replace

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, FixVerdict, Unavailable
from dap_ai.debuggees.python.analysis.record.enclosing import TEST_FILE, whole_test
from dap_ai.protocol.contracts.snapshot_messages import NeighbourOutcomes, NeighbourQuery, Ran, SnapshotResult
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.texts import code

Spot = tuple[str, int]

_RUN_S, _DEADLINE_S = 0.25, 1.5
"""Limits in processor seconds: no test starts after `_RUN_S`, and the run ends after `_DEADLINE_S`."""
_BY_CLOCK_S, _OF_THE_TIME = 10.0, 0.35
"""Wall-clock limits: maximum seconds, and maximum share of the time left."""
_MOST_JUDGES, _JUDGE_S = 20, 0.3
_PAIRS = ("passed", "passed"), ("failed", "passed"), ("failed", "failed")
"""Pairs of a test's outcomes: without an edit, and with the edit."""
_NOT_RUN = "the other tests of its file could not be run in a copy, without it or with it"


@dataclass(frozen=True)
class NeighbourVerdict:
    """The effect of an edit on the neighbour tests that run an edited line."""

    held: int = 0
    """Number of tests that pass with and without the edit."""
    mended: int = 0
    """Number of tests that pass only with the edit."""
    failing: int = 0
    """Number of tests that fail with and without the edit."""
    broken: str = ""
    """Name of a test that fails only with the edit; empty if no test does."""
    why_not: str = ""
    """Why the neighbour tests could not be run; else empty."""

    @property
    def words(self) -> str:
        """A clause on how many neighbour tests pass with the edit; empty if a test fails or no test ran."""
        if self.failing or self.broken:
            return ""
        counts = [(self.mended, "that failed"), (self.held, "that passed")]
        told = [f"{count} {which}" for count, which in counts if count]
        return f"of the tests beside it that run this line, {' and '.join(told)} pass with it" if told else ""


@dataclass(frozen=True)
class NeighbourTests:
    """Outcomes of the failed test and its neighbours. Sets of tests are bit masks; bit 0 is the failed test."""

    tests: NeighbourOutcomes
    passed: int
    failed: int
    ran: dict[Spot, int]
    """(file, line) -> bit mask of the tests that ran the line."""
    unsteady: set[int] = field(default_factory=set[int])
    """Numbers of tests whose outcome depends on earlier tests, so that these tests cannot judge edits."""

    @property
    def compare(self) -> bool:
        """Whether other tests ran: the failed test alone shows which lines ran, but not which lines to suspect."""
        return len(self.tests.tests) > 1

    @property
    def can_judge(self) -> bool:
        """Whether other tests ran, or the test file has no other tests."""
        return self.compare or self.tests.whole

    def of_the_failed(self) -> set[Spot]:
        """Return the lines that the failed test ran."""
        return {spot for spot, tests in self.ran.items() if tests & 1}

    def judges(self, edits: Sequence[SourceEdit]) -> list[Ran]:
        """Return at most `_MOST_JUDGES` other tests that run an edited line, with their outcomes without the edit."""
        bits = 0
        for path, line in {(edit.source.path, line) for edit in edits for line in _lines(edit)}:
            bits |= self.ran.get((path, line), 0) & (self.passed | self.failed)
        ran = [test for bit, test in enumerate(self.tests.tests) if bit and bits >> bit & 1]
        return [test for test in ran if test.number not in self.unsteady][:_MOST_JUDGES]

    def ochiai(self, spot: Spot) -> float:
        """Return a line's Ochiai coefficient, 0..1; it is 0 if the failed test did not run the line.

        It is 1 if all failing tests and no passing tests ran the line.
        """
        tests = self.ran.get(spot, 0)
        if not tests & 1:
            return 0.0
        failing = (tests & self.failed).bit_count()
        return failing / sqrt(self.failed.bit_count() * (failing + (tests & self.passed).bit_count()))

    def describe_line(self, spot: Spot) -> str:
        """Return a clause on which tests run a line."""
        passing, beside = (self.ran.get(spot, 0) & self.passed).bit_count(), self.passed.bit_count()
        if not beside:
            return "runs in the test that failed"
        return f"runs in the test that failed, and in {passing or 'none'} of the {beside} beside it that pass"


def _lines(edit: SourceEdit) -> set[int]:
    """Return the edit's lines and its statement's first line: a run may not reach each line of a long statement."""
    statement = edit.source.statement_at(edit.first)
    return {*range(edit.first, max(edit.first, edit.last) + 1), statement.lineno if statement else edit.first}


def read(tests: NeighbourOutcomes) -> NeighbourTests | None:
    """Convert the outcomes of a test run in a copy; None if the failed test did not fail again."""
    if not tests.tests or not tests.lines or tests.tests[0].number != 0 or tests.tests[0].outcome != "failed":
        return None
    passed, failed = (
        sum(1 << bit for bit, test in enumerate(tests.tests) if test.outcome == outcome)
        for outcome in ("passed", "failed")
    )
    ran: dict[Spot, int] = {}
    for each in tests.lines:
        bits = int(each.tests, 16)
        for line in each.lines:
            ran[each.file, line] = ran.get((each.file, line), 0) | bits
    return NeighbourTests(tests, passed, failed, ran)


async def neighbours_of(runs: CheckRuns) -> NeighbourTests | None:
    """Run the neighbour tests in a copy; None if no test failed or the tests cannot be run. Raises NotStopped."""
    result = await _run(runs, NeighbourQuery(_RUN_S, _by_clock_s(runs), lines=True))
    return read(result.beside) if result and result.beside else None


async def judged(runs: CheckRuns, neighbours: NeighbourTests | None, edits: Sequence[SourceEdit]) -> NeighbourVerdict:
    """Run the tests of an edited line with the edit, and return the edit's effect on them. Raises NotStopped.

    A failing test runs again without the edit, since it may fail only because an earlier test did not run.
    """
    if neighbours is None or not neighbours.can_judge:
        return NeighbourVerdict(why_not=_NOT_RUN)
    judges = neighbours.judges(edits)
    after = await _outcomes(runs, [test.number for test in judges], edits) if judges else {}
    if judges and not after:
        return NeighbourVerdict(why_not=_NOT_RUN)
    counts = Counter((test.outcome, after.get(test.number)) for test in judges)
    failed = [test for test in judges if (test.outcome, after.get(test.number)) == ("passed", "failed")]
    again = await _outcomes(runs, [test.number for test in failed], []) if failed else {}
    broken = [test.name for test in failed if again.get(test.number) == "passed"]
    neighbours.unsteady.update(test.number for test in failed if again.get(test.number) != "passed")
    held, mended, failing = (counts[pair] for pair in _PAIRS)
    return NeighbourVerdict(held, mended, failing, next(iter(broken), ""))


def upheld(verdict: FixVerdict, judgement: NeighbourVerdict) -> FixVerdict:
    """Return the verdict, corrected by the neighbour tests.

    If the edit breaks a test, the verdict is "not verified". If the tests could not run, a verified fix only "passes".
    """
    if judgement.broken:
        why = f"the test {code(judgement.broken)}, which passes without it, fails with it"
        return FixVerdict("not verified", why, verdict.check, verdict.result)
    if judgement.why_not and verdict.verified and verdict.check and verdict.check.file == TEST_FILE:
        text = f"it passes one check: {verdict.text}, but {judgement.why_not}"
        return FixVerdict("passes", text, verdict.check, verdict.result)
    return verdict


async def _outcomes(runs: CheckRuns, numbers: list[int], edits: Sequence[SourceEdit]) -> dict[int, str]:
    """Map the number of each test that ran to its outcome; after a deadline, all tests count as failed."""
    result = await _run(runs, NeighbourQuery(_JUDGE_S, _by_clock_s(runs), only=numbers), edits)
    if result and result.status == "deadline":
        return dict.fromkeys(numbers, "failed")
    return {test.number: test.outcome for test in result.beside.tests} if result and result.beside else {}


def _by_clock_s(runs: CheckRuns) -> float:
    return min(_BY_CLOCK_S, _OF_THE_TIME * runs.left_s)


async def _run(runs: CheckRuns, beside: NeighbourQuery, edits: Sequence[SourceEdit] = ()) -> SnapshotResult | None:
    """Run the neighbour tests in a copy of the process; None if no test failed or the copy is impossible."""
    test = whole_test(runs.case)
    if test is None:
        return None
    try:
        query = test.query(edits, deadline_s=_DEADLINE_S, folders=runs.folders)
        return await runs.run(replace(query, statements=None, beside=beside))
    except (Unavailable, RequestFailed, ValueError):
        return None
