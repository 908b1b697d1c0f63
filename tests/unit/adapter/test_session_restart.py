"""Session: what is begun a second time on one connection, and a resume of one thread only."""

from __future__ import annotations

from dap_ai.adapter.state.debuggee import Phase
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

RESTARTS = '{"supportsRestartRequest": true}'


def ended(play: Playbook) -> Playbook:
    stopped(play, RESTARTS).play(
        """
        >> backend event terminated
        << client event terminated
        >> client request 8 restart {}
        << backend request 3 restart {}
        """
    )
    return play


def test_an_initialize_that_failed_may_be_tried_again():
    Playbook().play(
        """
        >> client request 1 initialize {"clientID": 5}
        << backend request 1 initialize {"clientID": 5}
        >> backend response 1 initialize fail no
        << client response 1 initialize fail no
        >> client request 2 initialize {"clientID": "x"}
        << backend request 2 initialize {"clientID": "x"}
        >> backend response 2 initialize ok {}
        << client response 2 initialize ok ...
        >> client request 3 initialize {"clientID": "x"}
        << client response 3 initialize fail invalidArguments ...
        """
    )


def test_an_initialize_that_was_refused_is_not_taken_for_one_that_was_sent():
    play = Playbook()
    play.play(
        """
        >> backend unstarted no such file
        >> client request 1 initialize {}
        << client response 1 initialize fail backendDied ...
        >> client request 2 initialize {}
        << client response 2 initialize fail backendDied ...
        """
    )


def test_a_second_launch_after_terminated_with_restart_starts_an_epoch_and_is_asked_about():
    play = stopped(Playbook())
    play.play(
        """
        >> backend event terminated {"restart": {"port": 7}}
        << client event terminated {"restart": {"port": 7}}
        >> client request 8 launch {"program": "a.py", "__restart": {"port": 7}}
        << prepare launch {"__restart": {"port": 7}, "program": "a.py"}
        >> prepared {"program": "a.py", "__restart": {"port": 7}}
        << backend request 3 launch {"__restart": {"port": 7}, "program": "a.py"}
        >> backend response 3 launch ok
        << client response 8 launch ok
        >> backend event stopped {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true}
        << client event stopped ...
        >> client request 9 ask {"question": "why"}
        << client response 9 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 5
        """
    )


def test_a_stop_that_comes_before_the_response_to_restart_holds():
    ended(play := Playbook()).play(
        """
        >> backend event stopped {"reason": "entry", "threadId": 1}
        << client event stopped ...
        >> backend response 3 restart ok
        << client response 8 restart ok
        """
    )
    assert list(play.session.state.stops) == [1]


def test_a_restarted_program_runs():
    ended(play := Playbook()).play(
        """
        >> backend response 3 restart ok
        << client response 8 restart ok
        """
    )
    assert play.session.state.phase is Phase.RUNNING


def test_a_restart_that_failed_leaves_the_program_ended_and_terminated_is_not_repeated():
    ended(play := Playbook()).play(
        """
        >> backend response 3 restart fail no
        << client response 8 restart fail no
        >> backend closed
        """
    )
    assert play.session.state.phase is Phase.ENDED


def test_a_restart_of_a_running_program_that_fails_restores_its_stop():
    play = stopped(Playbook(), RESTARTS)
    play.play(
        """
        >> client request 8 restart {}
        << backend request 3 restart {}
        >> backend response 3 restart fail no
        << client response 8 restart fail no
        """
    )
    assert play.session.state.phase is Phase.RUNNING
    assert list(play.session.state.stops) == [1]


def two_stopped() -> Playbook:
    """Threads 1 and 2 are stopped, and the client lets 1 go on."""
    play = Playbook()
    play.play(
        """
        >> client request 1 attach {}
        << prepare attach {}
        >> prepared {}
        << backend request 1 attach {}
        >> backend response 1 attach ok
        << client response 1 attach ok
        >> backend event stopped {"reason": "breakpoint", "threadId": 1}
        << client event stopped ...
        >> backend event stopped {"reason": "breakpoint", "threadId": 2}
        << client event stopped ...
        >> client request 2 continue {"threadId": 1}
        << backend request 2 continue {"threadId": 1}
        """
    )
    return play


def test_a_continue_of_one_thread_only_leaves_the_others_stopped():
    (play := two_stopped()).play(
        """
        >> backend response 2 continue ok {"allThreadsContinued": false}
        << client response 2 continue ok ...
        """
    )
    assert list(play.session.state.stops) == [2]


def test_a_continue_that_says_nothing_is_of_all_threads():
    (play := two_stopped()).play(
        """
        >> backend response 2 continue ok {}
        << client response 2 continue ok ...
        """
    )
    assert not play.session.state.stopped


def test_a_thread_that_stops_before_the_response_to_its_continue_is_stopped_anew():
    (play := two_stopped()).play(
        """
        >> backend event stopped {"reason": "step", "threadId": 1}
        << client event stopped ...
        >> backend response 2 continue ok {"allThreadsContinued": false}
        << client response 2 continue ok ...
        """
    )
    assert {thread: stop.reason for thread, stop in play.session.state.stops.items()} == {2: "breakpoint", 1: "step"}


def test_a_later_resume_is_not_undone_by_the_response_to_an_earlier_one():
    (play := two_stopped()).play(
        """
        >> client request 3 continue {"threadId": 2}
        << backend request 3 continue {"threadId": 2}
        >> backend response 2 continue ok {"allThreadsContinued": false}
        << client response 2 continue ok ...
        """
    )
    assert not play.session.state.stopped


def test_the_backends_word_that_all_threads_run_counts_though_the_response_says_one():
    (play := two_stopped()).play(
        """
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued ...
        >> backend response 2 continue ok {"allThreadsContinued": false}
        << client response 2 continue ok ...
        """
    )
    assert not play.session.state.stopped
