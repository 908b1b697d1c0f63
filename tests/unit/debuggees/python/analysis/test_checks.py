"""Which checks of a failed program are run again, and what a control run must show."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT, CheckRuns
from dap_ai.debuggees.python.analysis.record.enclosing import changes_a_check, own_folders
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck, failure_of
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.snapshot_messages import (
    RaisedException,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    Statements,
    TracedLine,
)
from tests.unit.agent.harness import Stopped, case_of, fail

BILL = """
def price(name, prices):
    found = prices[name]
    return found


def bill(order):
    prices = {"tea": 3}
    total = 0
    for name in order:
        total += price(name, prices)
    assert total == 7, "the bill"
    return total


bill(["tea", "tea"])
"""


@pytest.fixture
def bill(tmp_path: Path) -> Stopped:
    program = tmp_path / "bill.py"
    program.write_text(BILL)
    return fail(program)


def spans(stopped: Stopped) -> list[tuple[int, int, bool]]:
    return [(check.first, check.last, check.fresh) for check in checks_of(case_of(stopped))]


def test_checks_go_from_the_failing_statement_to_the_whole_program(bill: Stopped):
    assert spans(bill) == [(12, 12, False), (8, 12, False), (16, 16, False), (1, 16, True)]


def test_a_program_that_is_no_main_module_is_not_run_afresh(bill: Stopped):
    bill.program = "/elsewhere/runner.py"
    assert not any(fresh for _, _, fresh in spans(bill))


def test_a_raise_alone_is_no_check_but_the_if_around_it_is(tmp_path: Path):
    program = tmp_path / "guard.py"
    program.write_text("def f(n):\n    limit = 3\n    if n > limit:\n        raise ValueError(n)\n\n\nf(4)\n")
    assert spans(fail(program))[:2] == [(3, 4, False), (2, 4, False)]


def test_a_part_of_a_loop_that_leaves_it_is_not_run_alone(tmp_path: Path):
    program = tmp_path / "leaves.py"
    program.write_text(
        "for n in [1, 0]:\n    half = n\n    if n > 5:\n        break\n    for k in [half]:\n        1 / k\n"
    )
    assert (2, 6, False) not in spans(fail(program))


def test_statements_are_dedented_and_keep_their_line(bill: Stopped):
    case = case_of(bill)
    query = checks_of(case)[0].query()
    expected = Statements('assert total == 7, "the bill"\n', 12, bill.program)
    assert query.statements == expected


def test_an_edit_among_the_statements_of_a_check_is_in_its_text(bill: Stopped):
    check = checks_of(case_of(bill))[1]
    query = check.query([SourceEdit(check.source, 8, 8, ["    prices = {}", '    prices["tea"] = 3'])])
    assert query.statements is not None
    assert query.statements.source.splitlines()[:3] == ["prices = {}", 'prices["tea"] = 3', "total = 0"]


def test_statements_below_an_edit_name_their_new_line(bill: Stopped):
    check = checks_of(case_of(bill))[0]
    query = check.query([SourceEdit(check.source, 2, 2, ["# new", "def price(name, prices):"])])
    assert query.statements is not None and query.statements.line == 13


def test_the_operands_of_an_assertion_are_watched(bill: Stopped):
    failure = failure_of(case_of(bill))
    assert failure is not None and failure.watch == ["total"]


def control_of(stopped: Stopped, result: SnapshotResult, check: int = 1):
    """The control run of a check in a debuggee whose copies do this."""
    stopped.why_no_snapshot = ""
    stopped.copy = lambda query: result
    case = case_of(stopped)
    runs = CheckRuns(stopped, case, failure_of(case))
    return asyncio.run(runs.control(checks_of(case)[check]))


def raised(stopped: Stopped, **changes: object) -> SnapshotResult:
    wanted = {"type": "AssertionError", "message": "the bill", "file": stopped.program, "line": 12}
    return SnapshotResult("raised", error="AssertionError: the bill", raised=RaisedException(**(wanted | changes)))  # type: ignore[arg-type]


def test_a_check_that_fails_as_the_program_did_is_usable(bill: Stopped):
    assert control_of(bill, raised(bill)).usable


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"type": "KeyError"}, "fails with"),
        ({"message": "another"}, "another message"),
        ({"line": 11}, "another line"),
        ({"watched": [Value("9", "int", "int")]}, "the state has changed"),
    ],
)
def test_a_check_that_fails_otherwise_is_not_usable(bill: Stopped, changes: dict[str, object], why: str):
    assert why in control_of(bill, raised(bill, **changes)).why_not


def test_a_check_that_passes_now_is_not_usable(bill: Stopped):
    assert "does not fail" in control_of(bill, SnapshotResult("ok")).why_not


def test_addresses_in_a_message_may_differ(bill: Stopped):
    assert bill.error is not None
    bill.error.args = ("<Bill at 0x7f00aa>",)
    assert control_of(bill, raised(bill, message="<Bill at 0x7f11bb>")).usable


@pytest.mark.parametrize(
    ("then", "now", "usable"),
    [
        ("the bill\nassert 6 == 7", "the bill", True),
        ("assert 6 == 7\n + where 6 = f()", "", True),
        ("the bill", "", False),
        ("the bill\n  of today\nassert 6 == 7", "the bill\nof today", True),
        ("the bill " * 60, "the bill " * 50, True),
        ("the bill " * 50 + "x", "the bill " * 50 + "y", False),
    ],
)
def test_what_pytest_adds_to_a_message_or_what_is_cut_may_differ(bill: Stopped, then: str, now: str, usable: bool):
    assert bill.error is not None
    bill.error.args = (then,)
    assert control_of(bill, raised(bill, message=now)).usable == usable


def test_a_snapshot_that_cannot_be_made_says_why(bill: Stopped):
    assert control_of(bill, SnapshotResult("unavailable: no seccomp")).why_not == "no seccomp"


def attempt_with(stopped: Stopped, after: SnapshotResult, edit: tuple[int, int, list[str]], check: int = 1):
    """The verdict of an edit in a debuggee that fails without edits, and does `after` with them."""
    lines = [TracedLine(stopped.program, line, "bill") for line in (3, 8, 9, 10, 11, 12)]
    before = raised(stopped)
    before.trace = RunTrace(lines)
    stopped.why_no_snapshot = ""
    stopped.copy = lambda query: after if query.edits else before
    case = case_of(stopped)
    runs = CheckRuns(stopped, case, failure_of(case))

    async def both():
        chosen: FailureCheck = checks_of(case)[check]
        control = await runs.control(chosen)
        return await runs.attempt([SourceEdit(chosen.source, *edit)], control)

    return asyncio.run(both())


FIX = (8, 8, ['    prices = {"tea": 3.5}'])


def passed(stopped: Stopped, *lines: int) -> SnapshotResult:
    return SnapshotResult("ok", trace=RunTrace([TracedLine(stopped.program, line, "bill") for line in lines]))


def test_a_fix_with_which_the_whole_program_ends_well_is_verified(bill: Stopped):
    assert attempt_with(bill, passed(bill, 3, 8, 9, 10, 11, 12), FIX, check=-1).outcome == "verified"


def test_a_fix_with_which_only_a_part_passes_is_not_called_verified(bill: Stopped):
    assert attempt_with(bill, passed(bill, 3, 8, 9, 10, 11, 12), FIX).outcome == "passes"


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("assert a == 1\nb = 2\n", "assert a == 1\nb = 3\n", ""),
        ("assert a == 1\n", "assert a == a\n", "the edit changes what is asserted"),
        ("def f():\n    assert a\n", "def f():\n    pass\n", "the edit changes what is asserted"),
        ("assert a\n", "assert b\nassert a\n", ""),
    ],
)
def test_an_edit_of_what_is_asserted_proves_nothing(bill: Stopped, before: str, after: str, changes: str):
    source = SourceFile("/x/shop.py", before)
    edit = SourceEdit(source, 1, len(source.lines), after.splitlines())
    assert changes_a_check(case_of(bill), [edit]) == changes


def test_an_edit_of_a_test_file_proves_nothing_where_a_test_fails(tmp_path: Path):
    test = tmp_path / "test_shop.py"
    test.write_text("def price():\n    return 3\n\n\ndef test_price():\n    assert price() == 4\n\n\ntest_price()\n")
    case = case_of(fail(test))
    edit = SourceEdit(SourceFile(str(test), test.read_text()), 2, 2, ["    return 4"])
    assert changes_a_check(case, [edit]) == "the edit changes the test itself"


def test_a_fix_that_does_not_reach_the_assertion_is_not_verified(bill: Stopped):
    verdict = attempt_with(bill, passed(bill, 8), FIX)
    assert (verdict.outcome, verdict.text) == (
        "not verified",
        "the failing assertion is not reached as often as before",
    )


def test_a_wrong_fix_is_told_with_the_error_and_the_watched_value(bill: Stopped):
    verdict = attempt_with(bill, raised(bill, watched=[Value("8", "int", "int")]), FIX)
    assert verdict.outcome == "not verified"
    assert verdict.text == "it still fails with `AssertionError: the bill`: `total` is `8`"


def test_a_fix_that_does_not_end_is_not_verified(bill: Stopped):
    verdict = attempt_with(bill, SnapshotResult("deadline"), FIX)
    assert (verdict.outcome, verdict.text) == ("not verified", "it had not finished after 0.3 s")


def test_an_edit_that_cannot_be_applied_cannot_be_verified(bill: Stopped):
    verdict = attempt_with(bill, SnapshotResult("unavailable: its closure differs"), FIX)
    assert (verdict.outcome, verdict.text) == (CANNOT, "its closure differs")


def test_the_failing_assertion_itself_may_not_be_edited(bill: Stopped):
    verdict = attempt_with(bill, passed(bill), (12, 12, ["    assert True"]))
    assert (verdict.outcome, verdict.text) == (CANNOT, "the edit changes the failing check itself")


def test_a_stop_without_an_exception_has_no_failure(bill: Stopped):
    bill.error = None
    assert failure_of(case_of(bill)) is None


def test_an_asked_check_is_a_snapshot_query_of_its_own_text(bill: Stopped):
    case = case_of(bill)
    place = case.places[0]
    assert place.source is not None
    query: SnapshotQuery = FailureCheck(place, place.source, 12, 12, "mine", text="assert (total == 7)\n").query()
    assert query.statements is not None and query.statements.source == "assert (total == 7)\n"


def test_what_a_program_read_beside_itself_may_be_read_again_and_never_a_home_folder(bill: Stopped, monkeypatch):
    case = case_of(bill)
    folder = Path(bill.program).parent
    assert own_folders(case) == [str(folder.resolve())]
    monkeypatch.setenv("HOME", str(folder / "ada"))
    assert own_folders(case) == []
