"""The tests beside the one that failed: what they say of lines and of fixes, over copies that are made up."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

import pytest

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.contrast.spectrum import spectrum
from dap_ai.debuggees.python.analysis.ranking.rank_update import apply_spectrum
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.ranking.reranking import rerank
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.record import enclosing, neighbour_tests
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, FixVerdict
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests, NeighbourVerdict, judged, upheld
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.snapshot_messages import (
    Covered,
    NeighbourOutcomes,
    RaisedException,
    Ran,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    TracedCall,
    TracedLine,
)
from tests.unit.agent.harness import Stopped, ask, case_of, fail

SHOP = """\
def total(prices, discount):
    amount = sum(prices)
    if discount:
        amount = amount + discount
    return amount


def test_total():
    assert total([3], 2) == 1, "the bill"


test_total()
"""
TESTED = """\
exec(SHOP)
def test_total():
    assert total([3], 2) == 1, "the bill"
test_total()
"""
TURNED = "if not (discount):"
FAILED, PASSED = Ran(0, "test_discount", "failed"), Ran(3, "test_sum", "passed")


@pytest.fixture
def stopped(tmp_path: Path) -> Stopped:
    program = tmp_path / "shop.py"
    program.write_text(SHOP)
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    return stopped


@pytest.fixture
def case(stopped: Stopped) -> StopSnapshot:
    return case_of(stopped)


def seen(program: str) -> NeighbourTests:
    """Line 4 runs in the test that failed alone, 2, 3 and 5 in another one, too."""
    covered = [Covered(program, "3", [2, 3, 5]), Covered(program, "1", [4, 9])]
    found = neighbour_tests.read(NeighbourOutcomes([FAILED, PASSED], covered))
    assert found
    return found


def judgement(stopped: Stopped, case: StopSnapshot, outcome: Callable[[SnapshotQuery], str]) -> NeighbourVerdict:
    """Of a change of line 2, which `test_sum` runs; `outcome` is what becomes of that in each copy."""
    edit = SourceEdit(SourceFile(stopped.program, SHOP), 2, 2, ["    amount = max(prices)"])

    def copy(query: SnapshotQuery) -> SnapshotResult:
        assert query.beside
        assert query.beside.only == [3]
        return SnapshotResult("ok", beside=NeighbourOutcomes([Ran(3, "test_sum", outcome(query))]))  # pyright: ignore[reportArgumentType]  as its callers say

    stopped.copy = copy
    return asyncio.run(judged(CheckRuns(cast("Debugger", stopped), case, None), seen(stopped.program), [edit]))


def test_what_runs_in_the_failing_test_alone_is_the_most_suspicious(stopped: Stopped):
    found = seen(stopped.program)
    assert found.ochiai((stopped.program, 4)) == 1.0
    assert 0 < found.ochiai((stopped.program, 2)) < 1
    assert found.ochiai((stopped.program, 1)) == 0.0


def test_a_line_of_the_test_itself_comes_after_those_of_what_it_tests(stopped: Stopped, case: StopSnapshot):
    scores = spectrum(case, {}, {}, seen(stopped.program))
    assert max(scores, key=lambda spot: scores[spot]) == (stopped.program, 4)
    assert scores[stopped.program, 9] < min(scores[stopped.program, line] for line in (2, 3, 4))


def test_what_did_not_run_in_the_failed_test_is_no_suspect_where_its_run_is_too_long_to_be_traced(
    stopped: Stopped, case: StopSnapshot
):
    analysis = analyse(case)
    assert analysis
    covered = [Covered(stopped.program, "3", [2, 3, 5]), Covered(stopped.program, "1", [9])]
    beside = neighbour_tests.read(NeighbourOutcomes([FAILED, PASSED], covered))
    rerank(analysis, Trials(why_not="no time", neighbours=beside))
    assert [analysis.never_ran(stopped.program, line) for line in (2, 4, 5)] == [False, True, False]


def test_the_failed_test_alone_tells_what_ran_and_ranks_nothing(stopped: Stopped, case: StopSnapshot):
    analysis = analyse(case)
    beside = neighbour_tests.read(NeighbourOutcomes([FAILED], [Covered(stopped.program, "1", [2, 3, 5, 9])]))
    assert analysis and beside and not beside.compare
    before = dict(analysis.scores)
    apply_spectrum(analysis, [], beside)
    assert analysis.scores == before
    rerank(analysis, Trials(why_not="no time", neighbours=beside))
    assert [analysis.never_ran(stopped.program, line) for line in (2, 4, 5)] == [False, True, False]


def test_without_another_test_or_where_the_failed_one_passes_nothing_is_known():
    assert neighbour_tests.read(NeighbourOutcomes([FAILED])) is None
    assert neighbour_tests.read(NeighbourOutcomes([Ran(0, "test_discount", "passed"), PASSED])) is None


def test_a_test_that_passes_without_a_fix_and_fails_with_it_refutes_it(stopped: Stopped, case: StopSnapshot):
    found = judgement(stopped, case, lambda query: "failed" if query.edits else "passed")
    assert found.broken == "test_sum"


def test_a_test_that_fails_by_itself_in_a_copy_is_no_judge(stopped: Stopped, case: StopSnapshot):
    found = judgement(stopped, case, lambda _: "failed")
    assert (found.broken, found.words) == ("", "")


def test_a_test_that_still_passes_counts(stopped: Stopped, case: StopSnapshot):
    found = judgement(stopped, case, lambda _: "passed")
    assert found.words == "of the tests beside it that run this line, 1 that passed pass with it"


def test_a_test_that_failed_and_still_does_keeps_the_others_from_speaking_for_a_fix():
    assert NeighbourVerdict(held=2, mended=1).words
    assert not NeighbourVerdict(held=2, mended=1, failing=1).words


def test_a_fix_that_no_other_test_could_judge_passes_one_check_and_is_not_verified(
    stopped: Stopped, case: StopSnapshot
):
    whole = enclosing.whole_test(case)
    assert whole
    for unknown in (None, neighbour_tests.read(NeighbourOutcomes([FAILED], [Covered(stopped.program, "1", [2])]))):
        found = asyncio.run(judged(CheckRuns(cast("Debugger", stopped), case, None), unknown, []))
        left = upheld(FixVerdict("verified", "the whole test succeeds with it", whole), found)
        assert left.passes and not left.verified
        assert left.text.startswith(
            "it passes one check: the whole test succeeds with it, but the other tests of its file"
        )


def test_judges_that_a_copy_could_not_run_have_judged_nothing(stopped: Stopped, case: StopSnapshot):
    stopped.copy = lambda _: SnapshotResult("unavailable: no room")
    edit = SourceEdit(SourceFile(stopped.program, SHOP), 2, 2, ["    amount = max(prices)"])
    found = asyncio.run(judged(CheckRuns(cast("Debugger", stopped), case, None), seen(stopped.program), [edit]))
    assert found.why_not and not found.words


def test_the_only_test_of_its_file_needs_no_other_to_judge(stopped: Stopped, case: StopSnapshot):
    alone = neighbour_tests.read(NeighbourOutcomes([FAILED], [Covered(stopped.program, "1", [2])], whole=True))
    found = asyncio.run(judged(CheckRuns(cast("Debugger", stopped), case, None), alone, []))
    verdict = FixVerdict("verified", "the whole test succeeds with it", enclosing.whole_test(case))
    assert upheld(verdict, found) is verdict


def test_of_a_whole_program_no_test_is_a_judge():
    verdict = FixVerdict("verified", "the whole program succeeds with it")
    assert upheld(verdict, NeighbourVerdict(why_not="they could not be run")) is verdict


def answered(stopped: Stopped, tmp_path: Path, judge: Literal["passed", "failed"]) -> Answer:
    """The answer where copies fail until the condition of `total` is turned round, which `test_sum` runs, too."""
    shop, test = str(tmp_path / "shop.py"), str(tmp_path / "test_shop.py")
    covered = [Covered(shop, "3", [2, 3, 5]), Covered(shop, "1", [4]), Covered(test, "1", [3])]
    lines = [TracedLine(shop, n, "total") for n in (2, 3, 4, 5)]
    trace = RunTrace(
        [TracedLine(test, 3, "test_total"), *lines], [TracedCall("total", shop, 1, 0, ["prices=[3]"], "5")]
    )
    failed = SnapshotResult("raised", raised=RaisedException("AssertionError", "the bill", test, 3), trace=trace)

    def copy(query: SnapshotQuery) -> SnapshotResult:
        if query.beside is None:
            return SnapshotResult("ok", trace=trace) if any(TURNED in edit.new for edit in query.edits) else failed
        ran = (
            [FAILED, PASSED] if query.beside.only is None else [Ran(3, "test_sum", judge if query.edits else "passed")]
        )
        return SnapshotResult("ok", beside=NeighbourOutcomes(ran, covered))

    stopped.copy = copy
    return ask(stopped)[0]


@pytest.fixture
def tested(tmp_path: Path) -> Stopped:
    """As `stopped`, with the test in a file of its own."""
    (tmp_path / "shop.py").write_text(SHOP)
    program = tmp_path / "test_shop.py"
    program.write_text(TESTED.replace("SHOP", repr(SHOP.partition("\n\n\n")[0])))
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    return stopped


def test_a_fix_is_shown_with_what_the_tests_beside_it_say(tested: Stopped, tmp_path: Path):
    answer = answered(tested, tmp_path, "passed")
    assert f"+    {TURNED}" in answer.fixes[0].diff
    assert "of the tests beside it that run this line, 1 that passed pass with it" in answer.text


def test_a_fix_with_which_a_test_beside_it_fails_is_not_shown(tested: Stopped, tmp_path: Path):
    answer = answered(tested, tmp_path, "failed")
    assert answer.fixes == []
    assert "none passed" in answer.text


def test_what_the_failing_test_alone_runs_is_the_first_suspect(tested: Stopped, tmp_path: Path):
    first = answered(tested, tmp_path, "failed").suspects[0]
    assert (Path(first.file).name, first.line) == ("shop.py", 4)


def test_what_stands_in_a_folder_of_tests_is_of_a_test_whatever_its_name(tmp_path: Path):
    (tmp_path / "tests").mkdir()
    program = tmp_path / "tests" / "tables.py"
    program.write_text(SHOP.replace("test_total", "row"))
    case = case_of(fail(program))
    case.frames = [frame for frame in case.frames if frame.name != "<module>"]
    case.inspection.cwd = str(tmp_path)
    assert enclosing.test_of(case)
    case.inspection.cwd = str(tmp_path / "tests")
    assert enclosing.test_of(case) is None
