"""What is known of a frame at its failure where cleanup has run since, without a capture (Python 3.11 and older)."""

from __future__ import annotations

import contextlib

import pytest

from dap_ai.debuggees.python.inspector.frame_differences import FramesAtRaise
from dap_ai.debuggees.python.inspector.stored.values import ValueDescriber, VisitBudget
from dap_ai.debuggees.python.inspector.thread_facts import live_frames

_log: list[str] = []
_LIMITS = {"max_text": 60, "max_items": 6, "max_depth": 2, "max_fields": 6}


class Store:
    def given(self):
        with contextlib.nullcontext():
            yield 1


def closing():
    try:
        yield 1
    finally:
        _log.append("closed")


def plain():
    try:
        yield 1
    except ValueError:
        _log.append("no")


def over_closing(rows):
    for row in closing():
        rows.append(1 / (row - 1))


def over_closing_method(rows):
    store = Store()
    for row in store.given():
        rows.append(1 / (row - 1))


def over_plain(rows):
    for row in plain():
        rows.append(1 / (row - 1))


def cleaning(rows):
    try:
        rows.append(1 / 0)
    finally:
        rows.append(2)


def calls_cleaning(rows):
    row = 1
    cleaning(rows)
    return row


def calls_plain(rows):
    row = 1
    over_plain(rows)
    return row


@pytest.mark.parametrize(
    ("function", "time"),
    [
        (over_closing, "now"),
        (over_closing_method, "now"),
        (over_plain, None),
        (calls_cleaning, "now"),
        (calls_plain, None),
    ],
)
def test_what_a_cleanup_may_have_changed_is_known_of_now_alone(function, time):
    with pytest.raises(ZeroDivisionError) as caught:
        function([])
    entries, entry = [], caught.value.__traceback__
    while entry := entry.tb_next:
        entries.append((0, entry.tb_frame, entry.tb_lineno, entry.tb_lasti))
    _, frame, _, at = entries[0]
    then = FramesAtRaise(caught.value, entries, live_frames()).of(
        describer := ValueDescriber(_LIMITS, VisitBudget(1 << 30, 1e9)), frame, {}, at
    )
    assert (then and then.variable(describer, "rows", [1]).get("time")) == time


def test_a_number_is_as_it_was_in_a_frame_that_waited_for_a_callee_that_cleaned_up():
    with pytest.raises(ZeroDivisionError) as caught:
        calls_cleaning([])
    outer = caught.value.__traceback__.tb_next
    entries = [(0, e.tb_frame, e.tb_lineno, e.tb_lasti) for e in (outer, outer.tb_next)]
    then = FramesAtRaise(caught.value, entries, live_frames()).of(None, outer.tb_frame, {"row": 1}, outer.tb_lasti)
    assert "time" not in then.variable(ValueDescriber(_LIMITS, VisitBudget(1 << 30, 1e9)), "row", 1)


def translates(rows):
    try:
        rows[0]
    except IndexError:
        raise ZeroDivisionError from None


def test_a_frame_that_translates_an_error_has_run_on_since_the_first_alone():
    with pytest.raises(ZeroDivisionError) as caught:
        translates([])
    first, second = caught.value.__context__.__traceback__, caught.value.__traceback__.tb_next
    entries = [(n, entry.tb_frame, entry.tb_lineno, entry.tb_lasti) for n, entry in enumerate((second, first))]
    assert second.tb_frame is first.tb_frame
    past, describer = (
        FramesAtRaise(caught.value, entries, live_frames()),
        ValueDescriber(_LIMITS, VisitBudget(1 << 30, 1e9)),
    )
    assert past.of(describer, second.tb_frame, {}, second.tb_lasti) is None
    assert past.of(describer, first.tb_frame, {}, first.tb_lasti).variable(describer, "rows", [1])["time"] == "now"
