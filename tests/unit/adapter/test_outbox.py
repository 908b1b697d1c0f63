"""The effects of one event, in the order in which they are carried out."""

from __future__ import annotations

from dap_ai.adapter.state.effects import Close, Log
from dap_ai.adapter.state.outbox import Outbox

FIRST, SECOND, THIRD = Log("1"), Log("2"), Log("3")


def outbox(*effects: Log | Close) -> Outbox:
    out = Outbox()
    out.do(*effects)
    return out


def test_a_guest_hears_an_event_that_the_client_would_not_survive():
    out = Outbox()
    out.client.id = "hx"
    assert not out.reads("askOutput")
    assert out.reads("askOutput", "guest-1")


def test_the_link_is_closed_after_everything_else_is_done():
    assert outbox(FIRST, Close(), SECOND, THIRD).take() == [FIRST, SECOND, THIRD, Close()]


def test_what_is_taken_is_not_taken_again():
    out = outbox(FIRST)
    assert (out.take(), out.take()) == ([FIRST], [])


def test_the_effects_since_a_count_are_taken_and_those_before_stay():
    out = outbox(FIRST)
    count = out.count
    out.do(SECOND, THIRD)
    assert (out.take_since(count), out.take()) == ([SECOND, THIRD], [FIRST])
