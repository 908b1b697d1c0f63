"""Whether what failed still runs with a fix: the trap that tells it."""

from __future__ import annotations

import ast
import asyncio

import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit, text_after
from dap_ai.agent.source.source_file import SourceFile, Sources
from dap_ai.debuggees.python.analysis.experiments.evaded_failure import evaded, with_trap
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.failure_check import Failure, FailureCheck
from dap_ai.protocol.contracts.inspection import FrameFacts, Inspection
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.contracts.snapshot_messages import (
    RaisedException,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    TracedCall,
)

PATH = "/x/bill.py"
TEXT = """\
def total(rows, kind):
    wanted = [row for row in rows if row[0] == kind]
    return sum(float(row[1]) for row in wanted if row)


def main(rows):
    print(total(rows, "sale"))
"""
FAILED = 3
BROKEN = "float(row[1])"
TRAP = "(_ for _ in ()).throw(KeyboardInterrupt)"


def failed() -> tuple[StopSnapshot, Failure]:
    sources = Sources()
    source = sources.add(PATH, TEXT)
    statement = source.statement_at(FAILED)
    assert statement is not None
    node = next(n for n in ast.walk(statement) if isinstance(n, ast.expr) and ast.unparse(n) == BROKEN)
    position = [node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0]
    frame = StackFrame(1, "<genexpr>", PATH, FAILED, user=True)
    facts = FrameFacts(frame_id=1, name="<genexpr>", file=PATH, line=FAILED, position=position)
    place = FramePlace(frame, source, facts)
    case = StopSnapshot(StopEvent(1, 1, None, "exception"), sources, [frame], [place], Inspection(frames=[]))
    return case, Failure(place, statement)


def change(failure: Failure, line: int, *new: str, last: int | None = None) -> SourceEdit:
    assert failure.place.source is not None
    return SourceEdit(failure.place.source, line, line if last is None else last, list(new))


def trapped(line: int, *new: str, last: int | None = None) -> list[str]:
    """The rows of the program with the edit and the trap; empty: there is none."""
    _, failure = failed()
    edits = with_trap(change(failure, line, *new, last=last), failure, BROKEN)
    return text_after(failure.place.source, edits).splitlines() if edits and failure.place.source else []


def test_the_trap_stands_where_the_operation_stood_and_the_edit_stays():
    rows = trapped(FAILED, "    return sum(float(row[1]) for row in wanted if not row)")
    assert rows[2] == f"    return sum({TRAP} for row in wanted if not row)"


@pytest.mark.parametrize(
    ("line", "new", "last", "at"),
    [
        (2, ["    wanted = []"], 2, 3),
        (2, ["    wanted = []", "    print(kind)"], 2, 4),
        (2, ["    print(kind)"], 1, 4),
        (7, ["    print(total(rows, 0))"], 7, 3),
    ],
)
def test_an_edit_elsewhere_in_the_file_stays_too(line: int, new: list[str], last: int, at: int):
    rows = trapped(line, *new, last=last)
    assert rows[at - 1] == f"    return sum({TRAP} for row in wanted if row)"
    assert [row for row in rows if row in new] == new


def test_an_edit_of_another_file_is_beside_the_trap():
    _, failure = failed()
    other = SourceEdit(SourceFile("/x/other.py", "x = 1\n"), 1, 1, ["x = 2"])
    edits = with_trap(other, failure, BROKEN)
    assert edits[0] is other
    assert TRAP in edits[1].lines[0]


def test_an_operation_that_the_edit_has_changed_itself_proves_nothing():
    assert trapped(FAILED, "    return sum(float(row[1] or 0) for row in wanted if row)") == []


class Copies:
    """A debugger whose copies end so."""

    why_no_snapshot = ""

    def __init__(self, result: SnapshotResult) -> None:
        self.result = result

    async def snapshot(self, _query: SnapshotQuery) -> SnapshotResult:
        return self.result


def doubt(result: SnapshotResult, *, gave: str = "2.0", now: str = "2.0", at: int = FAILED) -> str:
    """`result`: of the run with the trap. `gave`, `now`: what a call gave before the failure, and with the edit."""
    case, failure = failed()
    place, new = case.places[0], {FAILED: "    return sum(float(row[1]) for row in wanted if not row)"}
    before = SnapshotResult("raised", trace=called(gave))
    control = Control(FailureCheck(place, failure.place.source or SourceFile("", ""), 7, 7, "it"), before)
    edit = change(failure, at, new.get(at, "    wanted = []"))
    runs = CheckRuns(Copies(result), case, failure)  # type: ignore[arg-type]
    return asyncio.run(evaded(runs, control, edit, SnapshotResult("ok", trace=called(now))))


def called(result: str) -> RunTrace:
    return RunTrace(calls=[TracedCall("total", PATH, 1, 0, ["rows=[...]"], result)])


COMES_BY = SnapshotResult("raised", error="KeyboardInterrupt", raised=RaisedException("KeyboardInterrupt"))


def test_the_same_operation_on_other_values_is_doubted_where_a_call_that_had_returned_gives_something_else():
    told = "`total` gives something else for earlier arguments"
    assert doubt(COMES_BY, now="7.0") == told


def test_an_edit_elsewhere_may_change_what_calls_gave():
    assert doubt(COMES_BY, now="7.0", at=2) == ""


def test_an_object_at_another_address_is_nothing_else():
    assert doubt(COMES_BY, gave="<Row at 0x7f0000000001>", now="<Row at 0x7f0000000002>") == ""


def test_a_run_that_ends_well_with_the_trap_has_not_come_by():
    assert doubt(SnapshotResult("ok")) == "`float(row[1])`, which failed, does not run any more"


@pytest.mark.parametrize(
    "result",
    [
        COMES_BY,
        SnapshotResult("deadline"),
        SnapshotResult("unavailable: busy"),
    ],
)
def test_any_other_end_tells_nothing_against_the_fix(result: SnapshotResult):
    assert doubt(result) == ""


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("return a.n + f(a)", "return a.n", "f(a)"),
        ("return a.n + f(a)", "return f(a)", "a.n"),
        ("x = (a - b) * c", "x = a * c", "b"),
        ("return a.n + f(a)", "return a.n - f(a)", ""),
        ("return a.n + f(a)", "return a.m + f(a)", ""),
        ("assert a + b == 3", "assert a == 3", ""),
    ],
)
def test_an_operand_that_is_left_out_of_what_failed_is_told(old: str, new: str, gone: str):
    sources = Sources()
    source = sources.add(PATH, f"def work(a, b, c, f):\n    {old}\n")
    statement = source.statement_at(2)
    assert statement is not None
    frame = StackFrame(1, "work", PATH, 2, user=True)
    failure = Failure(FramePlace(frame, source), statement)
    case = StopSnapshot(StopEvent(1, 1, None, "exception"), sources, [frame], [failure.place], Inspection(frames=[]))
    control = Control(FailureCheck(failure.place, source, 1, 2, "it"), SnapshotResult("raised"))
    runs = CheckRuns(Copies(SnapshotResult("ok")), case, failure)  # type: ignore[arg-type]
    told = asyncio.run(evaded(runs, control, change(failure, 2, f"    {new}"), SnapshotResult("ok")))
    assert told == (f"`{gone}` is left out" if gone else "")
