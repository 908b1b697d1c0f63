"""What a client says around its launch: nothing overtakes it, and nothing is left unanswered when the session ends."""

from __future__ import annotations

from dap_ai.adapter.state import effects as fx
from tests.playbook import Playbook, Rules
from tests.unit.adapter.test_session_passthrough import stopped


def test_the_configuration_waits_for_a_launch_that_is_being_prepared():
    Playbook().play("""
        >> client request 1 launch {"program": "x"}
        << prepare launch {"program": "x"}
        >> client request 2 setBreakpoints {"source": {"path": "a"}, "breakpoints": []}
        >> client request 3 configurationDone {}
        >> client request 4 threads {}
        << backend request 1 threads {}
        >> prepared {"program": "x"}
        << backend request 2 launch {"program": "x"}
        << backend request 3 setBreakpoints {"source": {"path": "a"}, "breakpoints": []}
        << backend request 4 configurationDone {}
    """)


def test_the_configuration_goes_on_when_a_launch_cannot_be_prepared():
    Playbook().play("""
        >> client request 1 launch {"program": "x"}
        << prepare launch {"program": "x"}
        >> client request 2 configurationDone {}
        >> prepared error no such program
        << client response 1 launch fail startFailed...
        << backend request 1 configurationDone {}
    """)


def test_what_waits_behind_a_launch_is_answered_when_the_adapter_dies():
    Playbook().play("""
        >> client request 1 launch {"program": "x"}
        << prepare launch {"program": "x"}
        >> client request 2 configurationDone {}
        >> backend closed crashed
        << client response 1 launch fail backendDied...
        << client event output ...
        << client event terminated {}
        << client response 2 configurationDone fail backendDied...
    """)


def test_after_a_disconnect_nothing_is_left_unanswered_and_a_late_answer_is_swallowed():
    Playbook().play("""
        >> client request 1 launch {}
        << prepare launch {}
        >> prepared {}
        << backend request 1 launch {}
        >> client request 2 disconnect {}
        << backend request 2 disconnect {}
        >> backend response 2 disconnect ok
        << client response 1 launch fail backendDied...
        << client response 2 disconnect ok
        >> backend response 1 launch ok
    """)


def test_arguments_that_are_no_object_never_reach_the_backend():
    playbook = Playbook()
    for arguments in (b"0", b'"x"', b"[]", b"true", b" [{}]"):
        body = b'{"seq":1,"type":"request","command":"pause","arguments":' + arguments + b"}"
        assert [type(effect) for effect in playbook.session.receive(fx.FromClient(body))] == [fx.ToClient]


def test_a_cancel_that_names_nothing_of_the_backends_is_answered_here():
    playbook = Playbook()
    playbook.play("""
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> backend response 1 initialize ok {"supportsCancelRequest": true}
        << client response 1 initialize ok...
        >> client request 2 cancel
        << client response 2 cancel ok
        >> client request 3 cancel {"progressId": "dap-ai-ask-9"}
        << client response 3 cancel ok
        >> client request 4 cancel {"progressId": "theirs"}
        << backend request 2 cancel {"progressId": "theirs"}
    """)


def test_a_continue_while_nothing_is_stopped_is_refused_where_it_wedges_the_adapter():
    rules = Rules()
    rules.wedged_while_running = frozenset({"continue"})
    Playbook(rules).play("""
        >> client request 2 continue {"threadId": 1}
        << client response 2 continue fail notStopped...
        >> backend event stopped {"reason": "x", "threadId": 1}
        << client event stopped {"reason": "x", "threadId": 1}
        >> client request 3 continue {"threadId": 7}
        << backend request 1 continue {"threadId": 7}
        >> client request 4 continue {"threadId": 1}
        << client response 4 continue fail notStopped...
    """)


SLOW = '{"category": "important", "output": "Evaluating: x.y\\\\nz did not finish after 3.00 seconds.\\\\nThis may mean ..."}'


def asked_and_evaluating() -> Playbook:
    """A question whose agent evaluates."""
    stopped(play := Playbook()).play(
        """
        >> client request 8 ask {"question": "why"}
        << client response 8 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent request dap-ai-ask-1 1 2 evaluate {"context": "hover"}
        << backend request 3 evaluate {"context": "hover"}
        """
    )
    return play


def test_the_user_is_not_warned_of_a_slow_evaluation_that_is_the_agents():
    asked_and_evaluating().play(
        f"""
        >> backend event output {SLOW}
        >> fired slots.request
        << agent 1 error timeout
        >> backend event output {SLOW}
        """
    )


def test_other_important_output_is_shown_while_the_agent_evaluates():
    asked_and_evaluating().play(
        """
        >> backend event output {"category": "important", "output": "Frame skipped from debugging during step-in."}
        << client event output ...
        >> backend event output {"output": "Evaluating: the model did not finish after 3.00 seconds."}
        << client event output ...
        """
    )


def test_the_user_is_warned_of_a_slow_evaluation_that_may_be_his_own():
    asked_and_evaluating().play(
        f"""
        >> client request 9 evaluate {{"expression": "x.y", "context": "watch"}}
        << backend request 4 evaluate {{"expression": "x.y", "context": "watch"}}
        >> backend event output {SLOW}
        << client event output ...
        """
    )
