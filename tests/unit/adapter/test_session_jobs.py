"""Session: the snapshots of asks end before the program goes on, and nobody waits for them longer than a moment."""

from __future__ import annotations

import pytest

from tests.playbook import Playbook
from tests.unit.adapter.test_session_asks import asking


def snapshotting() -> Playbook:
    """An ask of epoch 2 with a job under way; the backend has seen 2 requests."""
    play = asking()
    play.play(">> agent job dap-ai-ask-1 a 2")
    return play


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut", "disconnect"])
def test_a_request_that_ends_the_stop_waits_until_the_snapshot_is_gone(command):
    play = snapshotting()
    effects = play.session.receive(play.event(f'client request 6 {command} {{"threadId": 1}}'))
    sent = [line for line in map(play.render, effects) if line and line.startswith("backend")]
    assert sent == ['backend request 3 evaluate {"kill": "a"}']

    effects = play.session.receive(play.event("backend response 3 evaluate ok {}"))
    sent = [line for line in map(play.render, effects) if line and line.startswith("backend")]
    assert sent == [f'backend request 4 {command} {{"threadId": 1}}']


def test_what_the_client_says_meanwhile_keeps_its_order():
    snapshotting().play(
        """
        >> client request 6 continue {"threadId": 1}
        << backend request 3 evaluate {"kill": "a"}
        >> client request 7 threads
        >> client request 8 evaluate {"expression": "x", "context": "repl"}
        >> backend response 3 evaluate fail
        << backend request 4 continue {"threadId": 1}
        << backend request 5 threads
        << backend request 6 evaluate {"expression": "x", "context": "repl"}
        """
    )


def test_a_snapshot_that_is_slow_to_end_holds_nobody_for_long():
    play = snapshotting()
    play.timers = True
    play.play(
        """
        >> client request 6 continue {"threadId": 1}
        << backend request 3 evaluate {"kill": "a"}
        << timer jobs.hold
        >> fired jobs.hold
        << backend request 4 evaluate {"kill": "a"}
        << timer jobs.hold
        >> fired jobs.hold
        << backend request 5 evaluate {"kill": "a"}
        << timer jobs.hold
        >> fired jobs.hold
        << backend request 6 evaluate {"kill": "a"}
        << timer jobs.hold
        >> fired jobs.hold
        << backend request 7 evaluate {"kill": "a"}
        << timer jobs.hold
        >> fired jobs.hold
        << untimer jobs.hold
        << backend request 8 continue {"threadId": 1}
        >> backend response 3 evaluate ok {}
        """
    )


def test_snapshots_end_one_after_the_other():
    play = snapshotting()
    play.play(
        """
        >> agent job dap-ai-ask-1 b 2
        >> client request 6 continue {"threadId": 1}
        << backend request 3 evaluate {"kill": "a"}
        >> backend response 3 evaluate ok {}
        << backend request 4 evaluate {"kill": "b"}
        >> backend response 3 evaluate ok {}
        << log skipped: ...
        >> backend response 4 evaluate ok {}
        << backend request 5 continue {"threadId": 1}
        """
    )


def test_nothing_is_read_in_a_stop_that_is_about_to_end():
    snapshotting().play(
        """
        >> agent request dap-ai-ask-1 1 2 evaluate {"poll": "a", "context": "clipboard"}
        << backend request 3 evaluate {"poll": "a", "context": "clipboard"}
        >> client request 6 continue {"threadId": 1}
        << backend request 4 evaluate {"kill": "a"}
        << agent 1 error notStopped
        >> agent request dap-ai-ask-1 2 2 evaluate {"poll": "a", "context": "clipboard"}
        << agent 2 error notStopped
        >> backend response 3 evaluate ok {}
        >> backend response 4 evaluate ok {}
        << backend request 5 continue {"threadId": 1}
        """
    )


def test_a_cancelled_ask_ends_its_snapshot_and_no_other():
    play = snapshotting()
    play.play(
        """
        >> client request 6 ask {"question": "other"}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 thread 1 epoch 2
        >> agent job dap-ai-ask-2 b 2
        >> client request 7 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 3 evaluate {"kill": "a"}
        << client response 7 cancel ok
        >> agent job-ended a alive
        """
    )
    assert play.session.running_jobs == {"b"}


@pytest.mark.parametrize("event", ["fired asks.limit:dap-ai-ask-1", "agent ended dap-ai-ask-1"])
def test_an_ask_that_ends_ends_its_snapshot(event):
    play = snapshotting()
    effects = play.session.receive(play.event(event))
    assert 'backend request 3 evaluate {"kill": "a"}' in map(play.render, effects)


def test_a_resume_right_after_a_cancel_waits_for_the_snapshot_too():
    snapshotting().play(
        """
        >> client request 6 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 3 evaluate {"kill": "a"}
        << client response 6 cancel ok
        >> client request 7 next {"threadId": 1}
        >> backend response 3 evaluate ok {}
        << backend request 4 next {"threadId": 1}
        """
    )


def test_a_resume_waits_for_the_end_of_the_last_snapshot_that_has_answered():
    snapshotting().play(
        """
        >> agent job-ended a
        >> agent job dap-ai-ask-1 b 2
        >> agent job-ended b
        >> client request 6 continue {"threadId": 1}
        << backend request 3 evaluate {"kill": "b"}
        >> backend response 3 evaluate ok {}
        << backend request 4 continue {"threadId": 1}
        """
    )


def test_a_snapshot_whose_end_was_seen_to_with_its_ask_holds_nothing():
    play = snapshotting()
    play.play(">> agent job-ended a")
    effects = play.session.receive(play.event("agent ended dap-ai-ask-1"))
    assert 'backend request 3 evaluate {"kill": "a"}' in map(play.render, effects)
    play.play(
        """
        >> backend response 3 evaluate ok {}
        >> client request 6 continue {"threadId": 1}
        << backend request 4 continue {"threadId": 1}
        """
    )


def test_a_snapshot_that_answers_after_its_ask_was_cancelled_is_not_ended_twice():
    snapshotting().play(
        """
        >> client request 6 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 3 evaluate {"kill": "a"}
        << client response 6 cancel ok
        >> backend response 3 evaluate ok {}
        >> agent job-ended a
        >> client request 7 continue {"threadId": 1}
        << backend request 4 continue {"threadId": 1}
        """
    )


def test_a_snapshot_that_nobody_waits_for_is_ended():
    snapshotting().play(
        """
        >> agent job-ended a alive
        << backend request 3 evaluate {"kill": "a"}
        >> backend response 3 evaluate ok {}
        >> client request 6 continue {"threadId": 1}
        << backend request 4 continue {"threadId": 1}
        """
    )


@pytest.mark.parametrize(("ask", "epoch"), [("dap-ai-ask-1", 1), ("dap-ai-ask-7", 2)])
def test_a_snapshot_of_another_stop_or_of_no_ask_is_not_one_of_ours(ask, epoch):
    play = asking()
    play.play(f">> agent job {ask} a {epoch}")
    assert not play.session.running_jobs


def test_a_program_that_goes_on_by_itself_loses_its_snapshots():
    snapshotting().play(
        """
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued ...
        << backend request 3 evaluate {"kill": "a"}
        """
    )


def test_a_refused_request_ends_no_snapshot():
    play = snapshotting()
    play.play(
        """
        >> client request 6 restartFrame {"frameId": 1}
        << client response 6 restartFrame fail notSupported ...
        """
    )
    assert play.session.running_jobs == {"a"}


def test_the_users_own_evaluation_leaves_a_snapshot_alone():
    play = snapshotting()
    play.play(
        """
        >> client request 6 evaluate {"expression": "x = 5", "context": "repl"}
        << backend request 3 evaluate {"expression": "x = 5", "context": "repl"}
        """
    )
    assert play.session.running_jobs == {"a"}


def test_a_client_that_disappears_is_let_go_after_its_snapshots():
    snapshotting().play(
        """
        >> client closed
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 3 evaluate {"kill": "a"}
        >> backend response 3 evaluate ok {}
        << backend request 4 disconnect {"terminateDebuggee": true}
        """
    )


def test_when_the_backend_dies_what_was_held_is_answered():
    snapshotting().play(
        """
        >> client request 6 continue {"threadId": 1}
        << backend request 3 evaluate {"kill": "a"}
        >> backend closed killed
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << client event output ...
        << client event terminated ...
        << client response 6 continue fail backendDied ...
        """
    )


def test_a_tool_is_asked_for_and_answered_as_an_ask():
    play = asking()
    play.play(
        """
        >> client request 6 askTool {"name": "evaluate", "arguments": {"expression": "x"}}
        << client response 6 askTool ok {"askId": "dap-ai-ask-2", "conversationId": "conversation-2"}
        << start dap-ai-ask-2 thread 1 epoch 2
        """
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('{"name": "shell", "arguments": {}}', "unknownTool"),
        ('{"name": "evaluate", "arguments": {}}', "invalidArguments"),
        ('{"name": "evaluate", "arguments": {"expression": "x", "level": "mutate"}}', "invalidArguments"),
        ('{"name": "evaluate", "arguments": 5}', "invalidArguments"),
        ('{"arguments": {}}', "invalidArguments"),
        ('{"name": "trace", "arguments": {"expression": "f()"}, "frameId": 99}', "staleFrame"),
    ],
)
def test_a_tool_that_cannot_be_used_so_says_why(arguments, message):
    asking().play(
        f"""
        >> client request 6 askTool {arguments}
        << client response 6 askTool fail {message} ...
        """
    )
