"""Session: an error of dap_ai's own at each step of a request; the request fails once, and nothing of it is left."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook, Rules
from tests.unit.adapter.test_session_passthrough import stopped

MOST_STEPS = 500
"""No request takes so many; what fails to end would."""


class OwnError(Exception):
    """What only a mistake of ours could raise."""


def fails_at(session: Session, event: fx.Event, step: int) -> bool:
    """Whether telling the session has as many steps: then an error is raised at this one, a call within the adapter."""
    steps = 0

    def count(frame: Any, what: str, _argument: Any) -> None:
        nonlocal steps
        if what == "call" and "dap_ai/adapter" in frame.f_code.co_filename.replace("\\", "/"):
            steps += 1
            if steps == step:
                raise OwnError

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        session.receive(event)
    except OwnError:
        return True
    finally:
        sys.setprofile(before)
    return False


def survived(event: str, prepared: Any) -> Iterator[tuple[Playbook, list[fx.Effect]]]:
    """A session after an error at each step of an event, where it goes on; and what was left to do then."""
    count = 0
    for step in range(1, MOST_STEPS):
        play = prepared()
        if not fails_at(play.session, play.event(event), step):
            break
        left = play.session.answer_failure("OwnError")
        if left is not None:
            count += 1
            yield play, left
    assert count


def answers(effects: list[fx.Effect], seq: int) -> list[bool]:
    """Whether the request succeeded, by each of its responses."""
    messages = [json.loads(each.body) for each in effects if isinstance(each, fx.ToClient | fx.ToGuest)]
    return [each["success"] for each in messages if each["type"] == "response" and each["request_seq"] == seq]


def at_stop(capabilities: str = "{}") -> Playbook:
    play = stopped(Playbook(Rules(), SessionOptions(level="mutate")), capabilities)
    play.session._desk._shows_progress.add("")
    return play


def asked() -> Playbook:
    play = at_stop()
    play.session.receive(play.event('client request 5 ask {"question": "why"}'))
    return play


def joined() -> Playbook:
    play = at_stop()
    play.session.receive(play.event("guest g request 1 attach {}"))
    return play


@pytest.mark.parametrize(
    ("prepared", "event"),
    [
        (at_stop, 'client request 5 ask {"question": "why"}'),
        (at_stop, 'client request 5 askTool {"name": "stack"}'),
        (at_stop, 'client request 5 evaluate {"expression": "??why", "context": "repl"}'),
        (joined, 'guest g request 5 ask {"question": "why"}'),
    ],
)
def test_a_question_at_which_we_fail_fails_once_and_another_is_answered(prepared: Any, event: str):
    for play, left in survived(event, prepared):
        asks = play.session._asks
        assert answers(left, 5) == [False]
        assert (asks.running, asks.conversations, asks.consoles) == ({}, {}, {})
        assert not [each for each in left if isinstance(each, fx.StartAsk | fx.SetTimer)]
        later = play.session.receive(play.event(event.replace("request 5", "request 6")))
        assert answers(later, 6) == [True]
        (start,) = [each for each in later if isinstance(each, fx.StartAsk)]
        ended = play.session.receive(play.event(f"agent ended {start.ask.ask_id}"))
        assert any(b"askEnded" in each.body for each in ended if isinstance(each, fx.ToClient | fx.ToGuest)) or (
            "??" in event
        )
        assert asks.running == {}


def test_a_follow_up_at_which_we_fail_leaves_its_conversation_to_the_next():
    def answered() -> Playbook:
        play = asked()
        play.session.receive(play.event("agent ended dap-ai-ask-1"))
        return play

    follow_up = 'client request 6 ask {"conversationId": "conversation-1"}'
    for play, left in survived(follow_up, answered):
        assert answers(left, 6) == [False]
        assert answers(play.session.receive(play.event(follow_up.replace("6", "7", 1))), 7) == [True]


def test_an_ask_whose_cancel_fails_ends_once_all_the_same():
    for play, left in survived('client request 6 cancel {"progressId": "dap-ai-ask-1"}', asked):
        assert answers(left, 6) == [False]
        done = [json.loads(each.body).get("event") for each in left if isinstance(each, fx.ToClient)]
        running = "dap-ai-ask-1" in play.session._asks.running
        assert done.count("askEnded") == done.count("progressEnd") == (0 if running else 1)
        assert running or fx.CancelAsk("dap-ai-ask-1") in left
        assert running or fx.CancelTimer("asks.limit:dap-ai-ask-1") in left


def test_an_action_whose_consent_fails_is_answered_or_waits_on():
    def waiting() -> Playbook:
        play = asked()
        wanted = '{"kind": "step", "action": "next", "reason": ""}'
        play.session.receive(play.event(f"agent approval dap-ai-ask-1 1 2 {wanted}"))
        return play

    given = 'client request 6 askApprove {"approvalId": "dap-ai-approval-1", "allow": true}'
    for play, left in survived(given, waiting):
        assert answers(left, 6) == [False]
        again = play.session.receive(play.event(given.replace("6", "7", 1)))
        settled = [each for each in left + again if isinstance(each, fx.Settled)]
        assert len(settled) == 1


def test_a_lent_models_last_word_at_which_we_fail_comes_once():
    def lent() -> Playbook:
        play = at_stop()
        play.session.receive(play.event('client request 5 ask {"providers": ["editor"]}'))
        play.session.receive(play.event("agent model dap-ai-ask-1 1"))
        return play

    end = 'client request 6 askModelEnd {"requestId": "dap-ai-model-1"}'
    for play, left in survived(end, lent):
        assert answers(left, 6) == [False]
        again = play.session.receive(play.event(end.replace("6", "7", 1)))
        assert len([each for each in left + again if isinstance(each, fx.Settled)]) == 1


@pytest.mark.parametrize("command", ["continue", "restart", "stackTrace", "vendorSpecial"])
def test_a_request_at_which_we_fail_is_not_forwarded_and_works_when_it_is_sent_again(command: str):
    for play, left in survived(f'client request 6 {command} {{"threadId": 1}}', able):
        assert answers(left, 6) == [False]
        assert not [each for each in left if isinstance(each, fx.ToBackend)]
        assert play.session.state.stopped
        again = play.session.receive(play.event(f'client request 7 {command} {{"threadId": 1}}'))
        (sent,) = [json.loads(each.body) for each in again if isinstance(each, fx.ToBackend)]
        assert sent["command"] == command
        late = play.session.receive(play.event(f"backend response {sent['seq']} {command} ok"))
        assert answers(late, 7) == [True]
        ended = play.session.receive(play.event("backend closed"))
        assert answers(ended, 6) == answers(ended, 7) == []


def able() -> Playbook:
    return at_stop('{"supportsRestartRequest": true}')


def test_the_agent_reads_as_quickly_after_a_request_at_which_we_have_failed():
    for play, _left in survived('client request 6 stackTrace {"threadId": 1}', asked):
        play.session.receive(play.event("fired slots.quiet"))
        read = play.session.receive(play.event('agent request dap-ai-ask-1 1 2 stackTrace {"threadId": 1}'))
        assert [each for each in read if isinstance(each, fx.ToBackend)]


@pytest.mark.parametrize(
    "event", ["client request 6 disconnect {}", "backend event stopped {}", "agent ended dap-ai-ask-1"]
)
def test_an_error_at_what_others_wait_for_ends_the_session(event: str):
    play = asked()
    step = 0
    while fails_at(play.session, play.event(event), step := step + 1):
        assert play.session.answer_failure("OwnError") is None
        play = asked()
    assert step > 1
