"""How much a fix changes of what went well before."""

from __future__ import annotations

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.record.impact import change
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult, TracedCall, TracedLine

EDIT = SourceEdit(SourceFile("/x/p.py", "\n" * 9), 5, 5, ["x"])


def run(*calls: tuple[str, str], lines: tuple[int, ...] = (), printed: str = "", events: int = 0) -> SnapshotResult:
    traced = RunTrace(
        [TracedLine("/x/p.py", n, "f") for n in lines],
        [TracedCall("f", "/x/p.py", 1, 0, [given], gave) for given, gave in calls],
        events,
    )
    return SnapshotResult("ok", printed=printed, trace=traced)


def test_a_run_that_goes_on_where_the_other_failed_changes_nothing():
    before = run(("x=1", "2"), lines=(1, 2), printed="one\n", events=5)
    after = run(("x=1", "2"), ("x=2", "4"), lines=(1, 2, 3), printed="one\ntwo\n", events=9)
    assert change(before, after, EDIT) == 0


def test_a_call_that_gives_something_else_counts():
    assert change(run(("x=1", "2"), ("x=2", "4")), run(("x=1", "2"), ("x=2", "5")), EDIT) == 0.5


def test_output_that_differs_counts():
    assert change(run(printed="one\ntwo\n"), run(printed="one\nthree\n"), EDIT) == 0.5


def test_lines_above_the_edit_that_do_not_run_any_more_count():
    assert change(run(lines=(1, 2)), run(lines=(1,)), EDIT) == 1.0


def test_lines_below_the_edit_may_move():
    assert change(run(lines=(1, 7)), run(lines=(1, 8)), EDIT) == 0


def test_a_run_that_is_shorter_than_the_one_that_failed_counts():
    assert change(run(events=100), run(events=25), EDIT) == 0.75
