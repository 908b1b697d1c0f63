"""Clients that join a session: they ask and read, and the session's own client sees nothing of it."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.asks.reads import MAX_WAITING
from dap_ai.adapter.state.effects import StartAsk
from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook

RUNNING = """
    >> client request 1 initialize {"clientName": "an editor"}
    << backend request 1 initialize {"clientName": "an editor"}
    >> backend response 1 initialize ok {}
    << client response 1 initialize ok {"supportsAskRequest": true, "supportsCancelRequest": true}
    >> client request 2 launch {"program": "/shop/cart.py"}
    << prepare launch {"program": "/shop/cart.py"}
    >> prepared {"program": "/shop/cart.py"}
    << backend request 2 launch {"program": "/shop/cart.py"}
    >> backend event process {"name": "cart.py", "systemProcessId": 77}
    << client event process {"name": "cart.py", "systemProcessId": 77}
    >> backend response 2 launch ok {}
    << client response 2 launch ok {}
"""
STOP = """
    >> backend event stopped {"reason": "exception", "text": "KeyError", "threadId": 5}
    << client event stopped {"reason": "exception", "text": "KeyError", "threadId": 5}
"""
JOINED = """
    >> guest g request 1 attach {}
    << guest g response 1 attach ok {}
    << guest g event initialized {}
"""


@pytest.fixture
def running() -> Playbook:
    book = Playbook(options=SessionOptions(session_id="ab12", backend="debugpy", started=5.0))
    book.play(RUNNING)
    return book


@pytest.fixture
def stopped(running: Playbook) -> Playbook:
    running.play(STOP)
    return running


def test_a_guest_asks_and_alone_hears_the_answer(stopped: Playbook):
    stopped.play("""
        >> guest g request 2 ask {"question": "why"}
        << guest g response 2 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 5 epoch 2
        >> agent output dap-ai-ask-1 status looking
        << guest g event askOutput {"askId": "dap-ai-ask-1", "category": "status", "output": "looking"}
        >> agent output dap-ai-ask-1 answer Because.
        >> fired asks.flush:dap-ai-ask-1
        << guest g event askOutput {"askId": "dap-ai-ask-1", "category": "answer", "output": "Because."}
        >> agent ended dap-ai-ask-1
        << guest g event askEnded ...
    """)


def test_who_joins_a_stopped_session_is_told_the_stop(stopped: Playbook):
    stopped.play(
        JOINED
        + """
        << guest g event stopped {"allThreadsStopped": false, "reason": "exception", "text": "KeyError", "threadId": 5}
    """
    )


def test_guests_are_told_what_becomes_of_the_debuggee(running: Playbook):
    running.play(JOINED)
    running.play(
        STOP
        + """
        << guest g event stopped {"allThreadsStopped": false, "reason": "exception", "text": "KeyError", "threadId": 5}
        >> client request 3 continue {"threadId": 5}
        << backend request 3 continue {"threadId": 5}
        << guest g event continued {"allThreadsContinued": true, "threadId": 0}
        >> backend event terminated {}
        << client event terminated {}
        << guest g event terminated {}
    """
    )


def test_a_guest_that_leaves_ends_its_asks_and_nothing_else(stopped: Playbook):
    stopped.play("""
        >> client request 3 ask {}
        << client response 3 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 5 epoch 2
        >> guest g request 2 ask {}
        << guest g response 2 ask ok {"askId": "dap-ai-ask-2", "conversationId": "conversation-2"}
        << start dap-ai-ask-2 thread 5 epoch 2
        >> guest g request 3 disconnect {}
        << guest g response 3 disconnect ok
        << cancel dap-ai-ask-2
        << guest g event askEnded ...
        << guest g close
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
    """)


def test_a_guest_reads_through_the_backend_under_seqs_of_its_own(stopped: Playbook):
    stopped.play("""
        >> fired slots.quiet
        >> guest g request 7 stackTrace {"threadId": 5}
        << backend request 3 stackTrace {"threadId": 5}
        >> client request 3 threads {}
        << backend request 4 threads {}
        >> backend response 3 stackTrace ok {"stackFrames": []}
        << guest g response 7 stackTrace ok {"stackFrames": []}
        >> backend response 4 threads ok {}
        << client response 3 threads ok {}
    """)


@pytest.mark.parametrize(
    "command", ["continue", "setBreakpoints", "variables", "terminate", "setVariable", "evaluate", "pause", "restart"]
)
def test_a_guest_cannot_disturb_the_session(stopped: Playbook, command: str):
    stopped.play(f"""
        >> guest g request 2 {command} {{"expression": "f()", "context": "repl"}}
        << guest g response 2 {command} fail notSupported ...
    """)


def test_a_guest_never_acts_on_the_program_whatever_the_session_may(stopped: Playbook):
    stopped.session.options.level = "mutate"
    stopped.play("""
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped {"reason": "pause", "threadId": 1}
        >> guest g request 2 ask {"level": "mutate"}
        << guest g response 2 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent act dap-ai-ask-1 9 2 Step {"how": "next"}
        << agent 9 error refused
    """)


def test_a_guest_cannot_cancel_the_clients_ask(stopped: Playbook):
    stopped.play("""
        >> client request 3 ask {}
        << client response 3 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 5 epoch 2
        >> guest g request 2 cancel {"progressId": "dap-ai-ask-1"}
        << guest g response 2 cancel ok
    """)


def test_a_guest_learns_what_the_session_is(stopped: Playbook):
    (effect,) = stopped.session.receive(stopped.event("guest g request 2 askSession {}"))
    body = json.loads(effect.body)["body"]  # type: ignore[union-attr]
    assert body == {
        "id": "ab12",
        "parent": "",
        "pid": 77,
        "program": "/shop/cart.py",
        "backend": "debugpy",
        "client": "an editor",
        "state": "stopped",
        "stop": {"threadId": 5, "reason": "exception", "description": "", "text": "KeyError"},
        "started": 5.0,
    }


def test_a_guest_waits_for_the_backend_no_longer_than_it_lives(stopped: Playbook):
    stopped.play("""
        >> fired slots.quiet
        >> guest g request 2 threads {}
        << backend request 3 threads {}
        >> guest g request 3 threads {}
        >> backend closed gone
        << guest g response 3 threads fail backendDied ...
        << guest g response 2 threads fail backendDied ...
        << client event output ...
        << client event terminated {}
    """)


def test_a_guests_reads_wait_for_the_clients(stopped: Playbook):
    stopped.play("""
        >> client request 3 stackTrace {"threadId": 5}
        << backend request 3 stackTrace {"threadId": 5}
        >> guest g request 2 stackTrace {"threadId": 5}
        >> guest h request 2 threads {}
        >> client request 4 scopes {"frameId": 1}
        << backend request 4 scopes {"frameId": 1}
        >> backend response 3 stackTrace ok {"stackFrames": [{"id": 1}]}
        << client response 3 stackTrace ok {"stackFrames": [{"id": 1}]}
        >> backend response 4 scopes ok {"scopes": []}
        << client response 4 scopes ok {"scopes": []}
        >> fired slots.quiet
        << backend request 5 stackTrace {"threadId": 5}
        >> backend response 5 stackTrace ok {"stackFrames": [{"id": 1}]}
        << guest g response 2 stackTrace ok {"stackFrames": [{"id": 1}]}
        >> fired slots.quiet
        << backend request 6 threads {}
    """)


def test_a_read_that_waits_is_sent_no_more_once_its_guest_is_gone(stopped: Playbook):
    stopped.play("""
        >> guest g request 2 threads {}
        >> guest g closed
        >> fired slots.quiet
    """)


def test_a_read_that_the_backend_must_not_see_when_its_turn_comes_is_refused(stopped: Playbook):
    stopped.session.rules.wedged_while_running = frozenset({"stackTrace"})  # type: ignore[misc]
    stopped.play("""
        >> guest g request 2 stackTrace {"threadId": 5}
        >> guest g request 3 threads {}
        >> backend event continued {"threadId": 5, "allThreadsContinued": true}
        << client event continued {"threadId": 5, "allThreadsContinued": true}
        >> fired slots.quiet
        << guest g response 2 stackTrace fail notStopped ...
        << backend request 3 threads {}
    """)


def test_a_guest_that_asks_for_more_and_more_is_refused_after_a_while(stopped: Playbook):
    for number in range(MAX_WAITING):
        stopped.play(f">> guest g request {number + 2} threads {{}}")
    stopped.play("""
        >> guest g request 999 threads {}
        << guest g response 999 threads fail busy ...
    """)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("stackTrace", "[1]"),
        ("evaluate", "[{}]"),
        ("askApprove", '{"x": 1}'),
        ("askApprove", "[]"),
        ("ask", "[1]"),
        ("askTool", '{"name": 3}'),
        ("cancel", "[1]"),
        ("initialize", "[1]"),
        ("attach", "[1]"),
    ],
)
@pytest.mark.parametrize("guest", ["g", "relative:mum"])
def test_what_cannot_be_read_is_refused_and_never_reaches_the_backend(
    stopped: Playbook, guest: str, command: str, arguments: str
):
    stopped.play(f"""
        >> fired slots.quiet
        >> guest {guest} request 2 {command} {arguments}
        << guest {guest} response 2 {command} fail invalidArguments ...
    """)


def test_a_guest_that_leaves_while_a_snapshot_is_ended_is_served_what_it_said_before(stopped: Playbook):
    stopped.play("""
        >> client request 3 ask {}
        << client response 3 ask ok ...
        << start dap-ai-ask-1 thread 5 epoch 2
        >> agent job dap-ai-ask-1 J 2
        >> client request 4 continue {"threadId": 5}
        << backend request 3 evaluate {"kill": "J"}
        >> guest g request 2 askSession {}
        >> guest g closed
        >> fired slots.quiet
        >> backend response 3 evaluate ok {}
        << backend request 4 continue {"threadId": 5}
        << guest g response 2 askSession ok ...
    """)
    assert not stopped.session._out.seqs.knows_guest("g")


def test_guests_hear_of_a_stop_once_also_while_a_snapshot_is_ended(stopped: Playbook):
    stopped.play(JOINED + "<< guest g event stopped ...")
    stopped.play("""
        >> client request 3 ask {}
        << client response 3 ask ok ...
        << start dap-ai-ask-1 thread 5 epoch 2
        >> agent job dap-ai-ask-1 J 2
        >> client request 4 continue {"threadId": 5}
        << backend request 3 evaluate {"kill": "J"}
        >> backend response 3 evaluate ok {}
        << backend request 4 continue {"threadId": 5}
        << guest g event continued {"allThreadsContinued": true, "threadId": 0}
    """)


def test_guests_hear_of_each_thread_that_stops_or_goes_on(stopped: Playbook):
    stopped.play(JOINED + "<< guest g event stopped ...")
    stopped.play("""
        >> backend event stopped {"reason": "step", "threadId": 6}
        << client event stopped {"reason": "step", "threadId": 6}
        << guest g event stopped {"allThreadsStopped": false, "reason": "step", "threadId": 6}
        >> backend event continued {"threadId": 5}
        << client event continued {"threadId": 5}
        << guest g event continued {"allThreadsContinued": false, "threadId": 5}
    """)


def test_nobody_goes_on_with_the_conversation_of_another(stopped: Playbook):
    stopped.play("""
        >> client request 3 ask {}
        << client response 3 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 5 epoch 2
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        >> guest g request 2 ask {"conversationId": "conversation-1"}
        << guest g response 2 ask fail invalidArguments ...
        >> guest g request 3 ask {}
        << guest g response 3 ask ok {"askId": "dap-ai-ask-2", "conversationId": "conversation-2"}
        << start dap-ai-ask-2 thread 5 epoch 2
        >> agent ended dap-ai-ask-2
        << guest g event askEnded ...
        >> guest h request 2 askTool {"name": "stack", "conversationId": "conversation-2"}
        << guest h response 2 askTool fail invalidArguments ...
        >> guest g request 4 ask {"conversationId": "conversation-2"}
        << guest g response 4 ask ok {"askId": "dap-ai-ask-3", "conversationId": "conversation-2"}
        << start dap-ai-ask-3 thread 5 epoch 2
    """)


@pytest.mark.parametrize(("guest", "hears"), [("g", False), ("relative:mum", True)])
def test_what_the_client_has_asked_is_told_to_nobodys_model_but_its_own(stopped: Playbook, guest: str, hears: bool):
    stopped.session.receive(stopped.event('client request 3 ask {"question": "is this mine?"}'))
    effects = stopped.session.receive(stopped.event(f'guest {guest} request 2 ask {{"question": "and mine?"}}'))
    (start,) = [effect for effect in effects if isinstance(effect, StartAsk)]
    assert ("is this mine?" in [item.text for item in start.history]) is hears
    effects = stopped.session.receive(stopped.event(f'guest {guest} request 3 ask {{"question": "again"}}'))
    (start,) = [effect for effect in effects if isinstance(effect, StartAsk)]
    assert "and mine?" in [item.text for item in start.history]


@pytest.mark.parametrize(("who", "joined"), [("client", False), ("guest g", True), ("guest relative:mum", False)])
def test_an_ask_says_whether_a_client_that_has_joined_asks(stopped: Playbook, who: str, joined: bool):
    effects = stopped.session.receive(stopped.event(f"{who} request 3 ask {{}}"))
    (start,) = [effect for effect in effects if isinstance(effect, StartAsk)]
    assert start.ask.joined is joined


def test_nothing_is_kept_of_guests_that_have_gone(stopped: Playbook):
    stopped.session.options.level = "mutate"
    for number in range(50):
        for line in (
            "request 1 attach {}",
            'request 2 evaluate {"expression": "??why", "context": "repl"}',
            "request 3 threads {}",
        ):
            stopped.session.receive(stopped.event(f"guest g{number} {line}"))
        stopped.session.receive(stopped.event(f"guest g{number} closed"))
    asks = stopped.session._asks
    assert (asks.running, asks.consoles, asks.conversations) == ({}, {}, {})
    assert stopped.session.history._told == {}


def test_a_guest_asks_in_its_own_console_conversation(stopped: Playbook):
    stopped.play("""
        >> client request 3 evaluate {"expression": "??", "context": "repl"}
        << client response 3 evaluate ok {"result": "dap-ai-ask-1: Why did it stop here?", "variablesReference": 0}
        << start dap-ai-ask-1 thread 5 epoch 2
        >> guest g request 2 evaluate {"expression": "??stop", "context": "repl"}
        << guest g response 2 evaluate ok {"result": "nothing is being answered", "variablesReference": 0}
        >> guest g request 3 evaluate {"expression": "??who", "context": "repl"}
        << guest g response 3 evaluate ok {"result": "dap-ai-ask-2: who", "variablesReference": 0}
        << start dap-ai-ask-2 thread 5 epoch 2
    """)


def test_an_error_of_ours_at_a_guests_request_is_that_guests_alone(stopped: Playbook, monkeypatch: pytest.MonkeyPatch):
    stopped.session.receive(stopped.event("guest g request 1 initialize {}"))
    monkeypatch.setattr(stopped.session._desk, "accept", None)
    with pytest.raises(TypeError):
        stopped.session.receive(stopped.event('guest g request 2 ask {"question": "why"}'))
    effects = stopped.session.answer_failure("TypeError")
    assert effects is not None
    assert [(stopped.render(effect) or "").split()[:6] for effect in effects] == [
        ["guest", "g", "response", "2", "ask", "fail"]
    ]
