"""Why a pass may prove nothing, by what ran and what was given without the fix and with it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.python.analysis.experiments.plausibility import doubt_of
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult, TracedCall, TracedLine

PATH = "/x/shop.py"
TEXT = """\
def total(prices):
    amount = 0
    if prices:
        amount = prices[3]
    else:
        amount = 1
    for price in prices:
        send(price)
    return amount
"""
FAILED = 4
Gave = tuple[list[str], list[str]]


def calls(results: list[str]) -> list[TracedCall]:
    return [TracedCall("total", PATH, 1, result=result) for result in results]


def told(
    line: int,
    new: list[str],
    before: Mapping[int, int],
    after: Mapping[int, int],
    *,
    truncated: bool = False,
    gave: Gave = ([], []),
    text: str = TEXT,
) -> str:
    """`before`, `after`: how often each line runs. `gave`: what the calls gave, before and after."""
    sources = Sources()
    source = sources.add(PATH, text)
    frame = StackFrame(1, "total", PATH, FAILED, user=True)
    place = FramePlace(frame, source)
    case = StopSnapshot(StopEvent(1, 1, None, "exception"), sources, [frame], [place], Inspection(frames=[]))
    control = Control(
        FailureCheck(place, source, 1, 9, "it"),
        SnapshotResult("raised", trace=RunTrace(calls=calls(gave[0]))),
        counts={(PATH, n): c for n, c in before.items()},
    )
    lines = [TracedLine(PATH, n, "total", count) for n, count in after.items()]
    result = SnapshotResult("ok", trace=RunTrace(lines, calls(gave[1]), truncated=truncated))
    return doubt_of(case, control, result, SourceEdit(source, line, line, new))


def test_a_failing_line_that_is_not_reached_any_more_is_told():
    after = {2: 1, 3: 1, 7: 1, 8: 1, 9: 1}
    assert told(3, ["    if not prices:"], {2: 1, 3: 1, 4: 1}, after) == "line 4, which failed, is no longer reached"


def test_what_runs_because_nothing_fails_any_more_takes_no_lines_place():
    after = {2: 1, 3: 1, 7: 3, 8: 3, 9: 1}
    assert "no longer reached" in told(3, ["    if len(prices) > 3:"], {2: 1, 3: 1, 4: 1}, after)


def test_another_branch_taken_instead_is_no_doubt():
    assert not told(3, ["    if not prices:"], {2: 1, 3: 1, 4: 1}, {2: 1, 3: 1, 6: 1, 9: 1})


def test_a_failing_line_that_succeeds_is_no_doubt():
    assert not told(2, ["    amount = 2"], {2: 1, 3: 1, 4: 1}, {2: 1, 3: 1, 4: 1, 7: 1, 9: 1})


def test_a_loop_that_does_not_run_any_more_is_told():
    before, after = {2: 1, 3: 1, 4: 1, 7: 3, 8: 2, 9: 1}, {2: 1, 3: 1, 4: 1, 7: 1, 9: 1}
    assert told(7, ["    for price in []:"], before, after) == "line 8 no longer runs"


def test_a_loop_that_runs_once_less_is_no_doubt():
    before, after = {2: 1, 3: 1, 4: 1, 7: 4, 8: 3}, {2: 1, 3: 1, 4: 1, 7: 3, 8: 2, 9: 1}
    assert not told(7, ["    for price in prices[1:]:"], before, after)


def test_a_call_that_is_taken_away_is_told():
    assert told(8, ["        pass"], {7: 3, 8: 2}, {7: 3, 8: 2, 9: 1}) == "`send(price)` is removed"


def test_lines_after_an_edit_that_adds_some_are_still_the_same_lines():
    after = {2: 1, 3: 1, 4: 1, 5: 1, 8: 2, 9: 1, 10: 1}
    assert not told(2, ["    amount = 0", "    prices = prices or [0]"], {2: 1, 3: 1, 4: 1, 7: 2, 8: 1}, after)


def test_of_a_trace_that_was_cut_nothing_is_told():
    assert not told(3, ["    if not prices:"], {2: 1, 3: 1, 4: 1}, {2: 1}, truncated=True)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (["20", "80"], ["False", "True"], "`total` returns only `True` or `False`"),
        (["20", "80"], ["-20", "-80"], "`total` returns negative numbers"),
        (["20", "80", "9"], ["0", "0", "0"], "`total` returns `0` each time"),
        (["20", "80", "9"], ["2", "8", "9"], ""),
        (["-20", "8"], ["20", "8"], ""),
        (["True", "True"], ["False", "False"], ""),
        (["None", "None"], ["[1]", "[]"], ""),
        (["<Order id=1>", "<Order id=2>"], ["<Order id=3>", "<Order id=3>"], ""),
    ],
)
def test_results_that_tell_nothing_any_more_are_told(before: list[str], after: list[str], words: str):
    assert told(2, ["    amount = 1"], {2: 1, 4: 1}, {2: 1, 4: 1, 9: 1}, gave=(before, after)) == words


TWINS = """\
def earn(account, amount):
    account.points += amount
    account.moves += 1


def spend(account, amount):
    account.points -= amount
    account.moves += 1
"""


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("    account.points += amount", "`spend` does the same as `earn`"),
        ("    account.moves += 1", "line 7 only repeats line 8"),
        ("    account.points -= 1", ""),
    ],
)
def test_a_change_that_makes_one_thing_the_same_as_another_is_told(new: str, words: str):
    assert told(7, [new], {7: 1}, {7: 1}, text=TWINS) == words


FILLS = """\
def clean(rows):
    cleaned = []
    for row in rows:
        cleaned.append(row)
    return sorted(cleaned)
"""


@pytest.mark.parametrize(
    ("new", "doubt"),
    [
        ("    return sorted(rows)", "what `cleaned` is set to is no longer used"),
        ("    return sorted(cleaned, key=str)", ""),
    ],
)
def test_a_list_that_is_filled_for_nothing_is_told(new: str, doubt: str):
    assert told(5, [new], {}, {}, text=FILLS) == doubt
