"""Session: what is ended with it, and what is to live on; disconnects that cross each other, or come too late."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state import effects as fx
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

_PARTS = {
    "launch": [("{}", ""), ('{"terminateDebuggee": true}', ""), ('{"terminateDebuggee": false}', "launch")],
    "attach": [("{}", "attach"), ('{"terminateDebuggee": true}', ""), ('{"terminateDebuggee": false}', "attach")],
}


def started(command: str) -> Playbook:
    play = Playbook()
    play.play(
        f"""
        >> client request 1 {command} {{}}
        << prepare {command} {{}}
        >> prepared {{}}
        << backend request 1 {command} {{}}
        >> backend response 1 {command} ok
        << client response 1 {command} ok
        """
    )
    return play


@pytest.mark.parametrize(
    ("command", "arguments", "spares"),
    [(command, arguments, spares) for command, parts in _PARTS.items() for arguments, spares in parts],
)
def test_what_lives_on_is_what_the_client_says_else_what_was_attached_to(command: str, arguments: str, spares: str):
    play = started(command)
    play.play(
        f"""
        >> client request 2 disconnect {arguments}
        << backend request 2 disconnect {arguments}
        """
    )
    assert play.session.spares == spares


@pytest.mark.parametrize(("command", "spares"), [("launch", ""), ("attach", "attach")])
def test_of_a_client_that_just_goes_only_what_it_has_launched_is_ended(command: str, spares: str):
    play = started(command)
    assert play.session.spares == spares
    ends = "false" if spares else "true"
    play.play(
        f"""
        >> client closed
        << backend request 2 disconnect {{"terminateDebuggee": {ends}}}
        """
    )
    assert play.session.spares == spares


def test_a_program_that_has_ended_is_not_spared():
    play = started("attach")
    play.play(
        """
        >> backend event terminated
        << client event terminated
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        """
    )
    assert not play.session.spares


def test_a_spared_program_lives_on_though_the_adapter_says_terminated_as_it_parts():
    play = started("launch")
    play.play(
        """
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> backend event terminated
        << client event terminated
        >> client request 3 disconnect {}
        << backend request 3 disconnect {}
        """
    )
    assert play.session.spares == "launch"


def test_who_disconnects_once_more_may_have_the_program_ended_after_all():
    play = started("launch")
    play.play(
        """
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> client request 3 disconnect {"terminateDebuggee": true}
        << backend request 3 disconnect {"terminateDebuggee": true}
        """
    )
    assert not play.session.spares


def test_after_an_answered_disconnect_the_end_of_the_client_sends_no_other_one():
    started("launch").play(
        """
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> backend response 2 disconnect ok
        << client response 2 disconnect ok
        >> client closed
        << end backend
        << close
        """
    )


def test_a_client_that_goes_before_its_disconnect_is_answered_sends_no_other_one():
    started("launch").play(
        """
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> client closed
        >> backend response 2 disconnect ok
        << client response 2 disconnect ok
        << end backend
        << close
        """
    )


def test_a_backend_that_never_answers_the_disconnect_of_a_client_that_is_gone_is_ended():
    started("launch").play(
        """
        >> client request 2 disconnect {"terminateDebuggee": false}
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> client closed
        >> fired session.disconnect
        << end backend
        >> backend closed it was ended
        << client response 2 disconnect ok
        << end backend
        << close
        """
    )


def test_of_two_disconnects_the_late_answer_to_the_second_changes_nothing():
    stopped(Playbook()).play(
        """
        >> client request 7 disconnect {}
        << backend request 3 disconnect {}
        >> client request 8 disconnect {}
        << backend request 4 disconnect {}
        >> backend response 3 disconnect ok
        << client response 8 disconnect ok
        << client response 7 disconnect ok
        >> backend response 4 disconnect ok
        """
    )


def test_an_initialize_that_the_disconnect_has_overtaken_may_be_answered_late():
    Playbook().play(
        """
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> client request 2 disconnect {}
        << backend request 2 disconnect {}
        >> backend response 2 disconnect ok
        << client response 1 initialize fail backendDied ...
        << client response 2 disconnect ok
        >> backend response 1 initialize ok {}
        """
    )


def test_a_disconnect_after_the_death_of_the_backend_ends_the_session():
    stopped(Playbook()).play(
        """
        >> backend closed segfault
        << client event output {"category": "important", "output": "The debug adapter has ended: segfault. So has this debug session.\\n"}
        << client event terminated
        >> client request 9 disconnect
        << client response 9 disconnect ok
        << end backend
        << close
        """
    )


def test_an_adapter_that_dies_in_a_second_launch_is_told_of_as_in_the_first():
    stopped(Playbook()).play(
        """
        >> backend event terminated {"restart": true}
        << client event terminated {"restart": true}
        >> client request 8 launch {"program": "a.py", "__restart": true}
        << prepare launch {"__restart": true, "program": "a.py"}
        >> prepared {"program": "a.py", "__restart": true}
        << backend request 3 launch {"__restart": true, "program": "a.py"}
        >> backend response 3 launch ok
        << client response 8 launch ok
        >> backend closed segfault
        << client event output {"category": "important", "output": "The debug adapter has ended: segfault. So has this debug session.\\n"}
        << client event terminated
        """
    )


TERMINATED = "backend event terminated {}"
DISCONNECT = "client request 7 disconnect {}"
THREADS = "client request 8 threads {}"
CLOSED = "backend closed"


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        ((TERMINATED, THREADS, CLOSED), False),
        ((TERMINATED, CLOSED, THREADS), False),
        ((DISCONNECT, THREADS, CLOSED), False),
        ((DISCONNECT, CLOSED, THREADS), False),
        ((THREADS, DISCONNECT, "backend response 4 disconnect ok", CLOSED), False),
        ((THREADS, CLOSED), True),  # before that, nobody knows of an end
        ((CLOSED, THREADS), False),  # it was told of in the console
    ],
)
def test_a_request_that_crosses_the_end_of_its_session_fails_without_a_word_to_the_user(
    steps: tuple[str, ...], shown: bool
):
    play = stopped(Playbook())
    effects = [effect for step in steps for effect in play.session.receive(play.event(step))]
    bodies = [json.loads(effect.body) for effect in effects if isinstance(effect, fx.ToClient)]
    (refused,) = [m for m in bodies if m.get("request_seq") == 8]
    assert refused["message"] == "backendDied"
    assert refused["body"]["error"]["showUser"] is shown


@pytest.mark.parametrize("parts", ["client request 2 disconnect {}", "client closed"])
def test_an_adapter_that_children_of_an_ended_program_need_is_not_told_that_its_client_leaves(parts: str):
    play = started("launch")
    response = "<< client response 2 disconnect ok" if "request" in parts else ""
    play.play(
        f"""
        >> relatives need
        >> backend event terminated
        << client event terminated
        >> {parts}
        {response}
        << end backend
        << close
        """
    )


def test_what_waits_is_answered_when_the_client_leaves_an_adapter_that_children_need():
    play = started("launch")
    effects = [
        effect
        for step in (
            "relatives need",
            "client request 2 source {}",
            "guest g request 1 initialize {}",
            "guest g request 2 threads {}",
            "backend event exited",
            "client request 3 disconnect {}",
        )
        for effect in play.session.receive(play.event(step))
    ]
    sent = [json.loads(e.body) for e in effects if isinstance(e, fx.ToClient | fx.ToGuest)]
    answers = [(m["command"], m["success"]) for m in sent if m["type"] == "response"]
    assert sorted(answers) == [("disconnect", True), ("initialize", True), ("source", False), ("threads", False)]


def test_a_client_that_leaves_asks_no_relative():
    play = stopped(Playbook())
    steps = (
        "client request 8 disconnect {}",
        'backend event continued {"threadId": 1}',
        "relatives kid",
        "client request 9 ask {}",
    )
    effects = [effect for step in steps for effect in play.session.receive(play.event(step))]
    assert not any(isinstance(effect, fx.ToRelative) for effect in effects)


@pytest.mark.parametrize(("relatives", "ends"), [("relatives need", ""), ("relatives", ">> backend event terminated")])
def test_an_adapter_whose_own_program_runs_or_that_nobody_needs_is_told(relatives: str, ends: str):
    play = started("launch")
    play.play(
        f"""
        >> {relatives}
        {ends}
        {"<< client event terminated" if ends else ""}
        >> client request 2 disconnect {{}}
        << backend request 2 disconnect {{}}
        """
    )
