"""Trying fixes, over a debuggee whose copies are made up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import pytest

from dap_ai.adapter.io.ask_debugger import SWITCHED_OFF
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.report.wording import ADVICE, CAUSE, GUESS, HAPPENED, UNKNOWN
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.claims.advice import recommendation
from dap_ai.debuggees.python.analysis.ranking.ranking import IF_IT_RAN, analyse
from dap_ai.debuggees.python.analysis.ranking.reranking import changed_words, rerank
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate, Trial, Trials
from dap_ai.debuggees.python.analysis.ranking.what_ran import settle
from dap_ai.debuggees.python.analysis.record.check_runs import BUDGET_S, Control, FixVerdict
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck
from dap_ai.protocol.contracts.snapshot_messages import (
    RaisedException,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    TracedCall,
    TracedLine,
)
from dap_ai.protocol.wire.errors import NotStopped
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import Stopped, ask, case_of, fail

TOTAL = """
def total(prices):
    amount = 0
    for price in prices:
        amount = price
    return amount


def unused(prices):
    return prices - 1


amount = total([1, 2, 3])
assert amount == 6, "the bill"
"""
REPEATED = """
def sizes(values):
    found = [[]] * 2
    for value in values:
        found[value % 2].append(value)
    return found


made = sizes([1, 2, 3])
assert made == [[2], [1, 3]], "the bill"
"""
REPEATED_RAN = (2, 3, 4, 5, 6, 9, 10)
Copy = Callable[[SnapshotQuery], SnapshotResult]


@pytest.fixture
def total(tmp_path: Path) -> Stopped:
    program = tmp_path / "total.py"
    program.write_text(TOTAL)
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    return stopped


@pytest.fixture
def repeated(tmp_path: Path) -> Stopped:
    program = tmp_path / "repeated.py"
    program.write_text(REPEATED)
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    return stopped


def copies(program: str, right: str, ran: Sequence[int] = (2, 3, 4, 5, 6, 13, 14)) -> Copy:
    """Copies that fail as the program did, at the last of the lines that ran, until `right` stands in the file."""

    def run(query: SnapshotQuery) -> SnapshotResult:
        lines = [TracedLine(program, n, "total") for n in ran]
        trace = RunTrace(lines, [TracedCall("total", program, 2, 0, ["prices=[1, 2, 3]"], "3")])
        if any(right in edit.new for edit in query.edits):
            return SnapshotResult("ok", trace=trace)
        raised = RaisedException("AssertionError", "the bill", program, ran[-1])
        return SnapshotResult("raised", error="AssertionError: the bill", raised=raised, trace=trace)

    return run


def test_a_fix_that_passes_in_a_snapshot_is_the_recommendation(total: Stopped):
    total.copy = copies(total.program, "amount += price")
    answer, _ = ask(total)
    assert answer.fixes[0].verified
    assert "+        amount += price" in answer.fixes[0].diff
    assert "Verified in a snapshot: the whole program `total.py` succeeds with it; no change to another" in answer.text


def test_the_line_of_a_verified_fix_is_the_first_suspect(total: Stopped):
    total.copy = copies(total.program, "amount += price")
    assert ask(total)[0].suspects[0].line == 5


def test_what_a_blind_change_makes_pass_is_a_guess(total: Stopped):
    total.copy = copies(total.program, "amount += price")
    text = ask(total)[0].text
    assert f"{GUESS} `total.py:5`" in text
    assert "A guess, found by trying small changes" in text


def test_a_new_number_that_meets_the_only_check_is_no_fix_and_its_line_is_not_told_as_the_cause(total: Stopped):
    total.copy = copies(total.program, "amount = 1")
    answer, _ = ask(total)
    assert answer.fixes == []
    assert UNKNOWN in answer.text
    assert "- `total.py:3`: `amount = 1` (nothing else speaks for it)" in answer.text


def test_what_a_rule_knows_and_a_snapshot_verifies_is_no_guess(repeated: Stopped):
    repeated.copy = copies(repeated.program, "[[] for _ in range(2)]", REPEATED_RAN)
    assert f"{CAUSE} `repeated.py:3`" in ask(repeated)[0].text


def test_changes_of_a_line_that_pass_and_do_different_things_are_told_as_no_proof(total: Stopped):
    fails = copies(total.program, "nothing like this")

    def copy(query: SnapshotQuery) -> SnapshotResult:
        new = query.edits[0].new if query.edits else ""
        gave = next((gave for text, gave in (("amount += price", "7"), ("amount = max(", "5")) if text in new), "")
        result = fails(query)
        if not gave or result.trace is None:
            return result
        call = TracedCall("total", total.program, 2, 0, ["prices=[1, 2, 3]"], gave)
        return SnapshotResult("ok", trace=RunTrace(result.trace.lines, [call]))

    total.copy = copy
    text = ask(total)[0].text
    assert "A guess: 2 different changes make the check pass" in text


def two_at_a_line(case: StopSnapshot, source: SourceFile, line: int) -> Trials:
    """The likelier change proves nothing, the other one something; both make the whole program succeed."""
    whole = FailureCheck(case.places[0], source, 1, 14, "the whole program", whole=True)
    passed = FixVerdict("verified", "the whole program succeeds with it", whole)
    edits = [SourceEdit(source, line, line, [f"    amount {sign}= price"]) for sign in "+*"]
    likely, proved = (Candidate(edit, "", prior, 1.0, line) for edit, prior in zip(edits, (0.9, 0.5), strict=True))
    control = Control(
        whole, SnapshotResult("raised", trace=RunTrace([TracedLine(source.path, n, "total") for n in range(2, 15)]))
    )
    control.counts = {(source.path, n): 1 for n in range(2, 15)}
    return Trials([control], [Trial(likely, passed), Trial(proved, passed, proof="a test says so")])


def test_a_line_is_blamed_for_the_change_that_is_proved_beside_a_likelier_one(total: Stopped):
    analysis = analyse(case_of(total))
    assert analysis is not None
    source = analysis.case.sources.read(total.program)
    assert source is not None
    rerank(analysis, two_at_a_line(analysis.case, source, 5))
    assert (total.program, 5) in analysis.founded
    assert "amount *= price" in analysis.reasons[total.program, 5]


def test_where_no_cause_is_known_no_fix_is_shown(total: Stopped):
    analysis = analyse(case_of(total))
    assert analysis is not None
    source = analysis.case.sources.read(total.program)
    assert source is not None
    trials = two_at_a_line(analysis.case, source, 5)
    rerank(analysis, trials)
    assert recommendation(analysis, trials)[1]
    analysis.founded.clear()
    assert recommendation(analysis, trials)[1] == []


def test_a_fix_with_which_a_line_does_not_run_any_more_never_leads(total: Stopped):
    fails = copies(total.program, "nothing like this")

    def copy(query: SnapshotQuery) -> SnapshotResult:
        result = fails(query)
        if result.trace is None or not any("amount = 1\n" in edit.new for edit in query.edits):
            return result
        return SnapshotResult("ok", trace=RunTrace([t for t in result.trace.lines if t.line != 5]))

    total.copy = copy
    answer, _ = ask(total)
    assert f"{ADVICE} Next steps:" in answer.text
    assert "passes with `amount = 1`" not in answer.text
    assert "(hardly meant: line 5 no longer runs with it)" in answer.text
    assert answer.fixes == []


def test_a_change_that_only_breaks_its_own_function_elsewhere_is_no_fix(total: Stopped):
    fails = copies(total.program, "nothing like this")

    def copy(query: SnapshotQuery) -> SnapshotResult:
        result = fails(query)
        if not any("amount = 1\n" in edit.new for edit in query.edits):
            return result
        if query.statements and not query.statements.fresh:
            return SnapshotResult("ok", trace=result.trace)
        raised = RaisedException("UnboundLocalError", "price", total.program, 5)
        return SnapshotResult("raised", error="UnboundLocalError: price", raised=raised, trace=result.trace)

    total.copy = copy
    assert not any(fix.verified for fix in ask(total)[0].fixes)


def test_a_division_by_zero_is_not_tried_away(tmp_path: Path):
    program = tmp_path / "mean.py"
    program.write_text("def mean(found):\n    return sum(found) / len(found)\n\nmean([])\n")
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    tried: list[str] = []

    def copy(query: SnapshotQuery) -> SnapshotResult:
        tried.extend(edit.new for edit in query.edits)
        lines = [TracedLine(str(program), n, "mean") for n in (2, 4)]
        raised = RaisedException("ZeroDivisionError", "division by zero", str(program), 2)
        error = "ZeroDivisionError: division by zero"
        return SnapshotResult("raised", error=error, raised=raised, trace=RunTrace(lines, []))

    stopped.copy = copy
    ask(stopped)
    assert tried
    assert all("/" in text or "%" in text for text in tried if "def mean" in text)


def test_what_a_rule_knows_is_a_guess_once_its_fix_has_failed(repeated: Stopped):
    repeated.copy = copies(repeated.program, "nothing like this", REPEATED_RAN)
    assert f"{GUESS} `repeated.py:3`" in ask(repeated)[0].text


def test_the_calls_behind_a_failed_assertion_are_told(total: Stopped):
    total.copy = copies(total.program, "amount += price")
    assert "`total(prices=[1, 2, 3])` returned `3`" in ask(total)[0].text


def test_what_is_tried_is_told_meanwhile_and_the_verdict_comes_first(total: Stopped):
    total.copy = copies(total.program, "amount += price")
    answer, heard = ask(total)
    tried = next(n for n, item in enumerate(heard.items) if "snapshot" in item[1] and item[0] == "status")
    told = next(n for n, item in enumerate(heard.items) if item[0] == "answer")
    assert tried < told
    assert heard.items[told][1].strip() == answer.text.splitlines()[0]


def test_how_many_were_tried_is_told_when_none_passed(total: Stopped):
    total.copy = copies(total.program, "nothing like this")
    answer, _ = ask(total)
    assert "tried in snapshots of the stopped program; none passed" in answer.text
    assert not any(fix.verified for fix in answer.fixes)


def test_functions_that_never_ran_are_not_changed(total: Stopped):
    seen: list[str] = []
    run = copies(total.program, "nothing like this")

    def copy(query: SnapshotQuery) -> SnapshotResult:
        seen.extend(edit.new for edit in query.edits)
        return run(query)

    total.copy = copy
    ask(total)
    assert seen and all("return prices - 1" in text for text in seen if "def unused" in text)


def test_at_observe_nothing_is_tried_and_that_is_said(total: Stopped):
    answer, _ = ask(total, level="observe")
    assert "snapshot" not in total.calls
    assert "No fix was tried: at the level observe" in answer.text


def test_without_snapshots_nothing_is_tried_and_that_is_said(total: Stopped):
    total.why_no_snapshot = SWITCHED_OFF
    assert f"No fix was tried: {SWITCHED_OFF}." in ask(total)[0].text


def test_where_no_snapshot_can_be_made_the_reason_is_said(total: Stopped):
    total.copy = lambda query: SnapshotResult("unavailable: there is no seccomp")
    assert "No fix was tried: there is no seccomp" in ask(total)[0].text


def test_a_failure_that_does_not_come_again_is_said(total: Stopped):
    total.copy = lambda query: SnapshotResult("ok")
    assert "does not fail when it is run again" in ask(total)[0].text


def test_at_a_breakpoint_nothing_is_run(total: Stopped):
    total.error, total.reason = None, "breakpoint"
    ask(total)
    assert "snapshot" not in total.calls


def test_a_resume_meanwhile_ends_the_trials_and_the_answer_stands(total: Stopped):
    def gone(query: SnapshotQuery) -> SnapshotResult:
        raise NotStopped("snapshot")

    total.copy = gone
    answer, heard = ask(total)
    assert answer.text.count(HAPPENED) == 1
    assert heard.text("answer").count(HAPPENED) == 1


@pytest.mark.parametrize(
    ("first", "last", "lines", "words"),
    [
        (2, 2, ["    return 2"], "the failing check passes with `return 2` here"),
        (2, 2, ["    return 1", "return 1"], "the failing check passes with `return 1` added after line 2"),
        (2, 2, [], "the failing check passes without `return 1`"),
    ],
)
def test_a_change_is_told_by_what_it_adds_and_where(first: int, last: int, lines: list[str], words: str):
    source = SourceFile("shop.py", "def f():\n    return 1\n")
    candidate = Candidate(SourceEdit(source, first, last, lines), "", 1.0, 1.0, first)
    trial = Trial(candidate, FixVerdict("verified", ""))
    assert changed_words(trial) == words


def test_another_question_at_the_same_stop_tries_nothing_again(total: Stopped):
    copied: list[SnapshotQuery] = []
    copy = copies(total.program, "amount += price")

    def counted(query: SnapshotQuery) -> SnapshotResult:
        copied.append(query)
        return copy(query)

    total.copy = counted
    agent = SessionAgent(Settings(provider="offline"))
    first = ask(total, agent=agent)[0]
    count = len(copied)
    assert ask(total, "what should I do next?", agent=agent)[0].text == first.text
    assert len(copied) == count
    total.epoch += 1
    ask(total, agent=agent)
    assert len(copied) > count


def test_the_budget_is_work_so_a_slow_machine_tries_as_much(total: Stopped):
    copy, tried = copies(total.program, "nothing like this"), list[int]()
    for elapsed_ms in (150.0, 900.0):
        took = partial(msgspec.structs.replace, milliseconds=elapsed_ms, processor_ms=150.0)
        total.copy = lambda query, took=took: took(copy(query))
        found = re.search(r"(\d+) small fixes were tried", ask(total)[0].text)
        tried.append(int(found[1]) if found else 0)
    assert 1 < tried[0] <= BUDGET_S * 1000 / 150
    assert tried[0] == tried[1]


def test_more_is_tried_where_that_is_wanted_and_where_nothing_passed_that_is_said(total: Stopped):
    copy = copies(total.program, "nothing like this")
    total.copy = lambda query: msgspec.structs.replace(copy(query), processor_ms=150.0)
    usual, more = (ask(total, agent=SessionAgent(Settings(thorough=wanted)))[0].text for wanted in (False, True))
    tried = [int(found[1]) for found in re.finditer(r"(\d+) small fixes were tried", usual + more)]
    assert tried[0] < tried[1]
    assert "none passed. The setting `thorough` (`dap-ai ask --thorough`) tries more." in usual
    assert "--thorough" not in more


def test_of_a_function_that_a_part_of_the_failure_entered_what_did_not_run_is_known_and_of_one_that_nothing_leads_to(
    total: Stopped,
):
    case = case_of(total)
    analysis, source = analyse(case), case.places[0].source
    assert analysis and source
    part = FailureCheck(case.places[0], source, 13, 14, "a part")
    control = Control(part, SnapshotResult("raised"), "another message", {(source.path, 3): 1}, fails_there=True)
    settle(analysis, Trials([control]))
    assert [analysis.never_ran(source.path, line) for line in (3, 5, 10)] == [False, True, True]


SIZES = """
def parsed(text):
    if not text:
        return []
    return text.split()


def size(text):
    found = parsed(text)
    return len(found)


assert size("a b") == 3
"""


def test_where_nothing_could_be_run_again_what_need_not_have_run_is_no_suspect_without_saying_so(tmp_path: Path):
    program = tmp_path / "sizes.py"
    program.write_text(SIZES)
    analysis = analyse(case_of(fail(program)))
    assert analysis
    assert (str(program), 4) in analysis.scores
    settle(analysis, Trials())
    told = {s.line: s.reason.endswith(IF_IT_RAN) for s in analysis.suspects if s.line in (3, 4, 5, 9, 10)}
    assert told.items() <= {3: False, 4: True, 5: True, 9: False, 10: False}.items()
    assert {4, 10} <= told.keys()


@pytest.mark.parametrize("raised", ["", "GeneratorExit"])
def test_a_call_that_the_failure_has_found_open_had_not_returned(raised: str, total: Stopped):
    known = copies(total.program, "amount += price")

    def run(query: SnapshotQuery) -> SnapshotResult:
        result = known(query)
        assert result.trace is not None
        result.trace.calls.append(TracedCall("rows", total.program, 2, raised=raised))
        return result

    total.copy = run
    assert "`rows()` had not returned (`total.py:2`)" in ask(total)[0].text
