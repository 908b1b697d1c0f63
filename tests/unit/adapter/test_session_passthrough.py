"""Session: pass-through, both seq spaces, the gate, reverse requests. See tests/playbook.py for the notation."""

from __future__ import annotations

import pytest

from dap_ai.adapter.state.effects import FromBackend, FromClient, Log
from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook, Rules


def stopped(play: Playbook, capabilities: str = "{}", client: str = '{"clientID": "test"}') -> Playbook:
    """A session whose thread 1 is stopped in epoch 2, as most of a user's time is spent."""
    play.play(
        f"""
        >> client request 1 initialize {client}
        << backend request 1 initialize {client}
        >> backend response 1 initialize ok {capabilities}
        << client response 1 initialize ok ...
        >> client request 2 launch {{"program": "a.py"}}
        << prepare launch {{"program": "a.py"}}
        >> prepared {{"program": "a.py", "python": ["python3"]}}
        << backend request 2 launch {{"program": "a.py", "python": ["python3"]}}
        >> backend event initialized
        << client event initialized
        >> backend response 2 launch ok
        << client response 2 launch ok
        >> backend event stopped {{"reason": "exception", "threadId": 1, "allThreadsStopped": true}}
        << client event stopped ...
        >> fired slots.quiet
        """
    )
    return play


def test_requests_events_and_responses_pass_with_our_own_seqs():
    stopped(Playbook()).play(
        """
        >> client request 70 threads
        << backend request 3 threads
        >> client request 71 vendorSpecial {"deep": {"x": [1, 2]}}
        << backend request 4 vendorSpecial {"deep": {"x": [1, 2]}}
        >> backend response 4 vendorSpecial ok {"late": false}
        << client response 71 vendorSpecial ok {"late": false}
        >> backend event vendorEvent {"n": 1}
        << client event vendorEvent {"n": 1}
        >> backend response 3 threads fail cancelled
        << client response 70 threads fail cancelled
        """
    )


def test_a_client_that_numbers_every_request_zero_gets_its_answers():
    stopped(Playbook()).play(
        """
        >> client request 0 threads
        << backend request 3 threads
        >> client request 0 scopes {"frameId": 4}
        << backend request 4 scopes {"frameId": 4}
        >> backend response 4 scopes ok {"scopes": []}
        << client response 0 scopes ok {"scopes": []}
        >> backend response 3 threads ok {"threads": []}
        << client response 0 threads ok {"threads": []}
        """
    )


def test_the_initialize_response_gains_our_two_capabilities_and_keeps_the_rest():
    Playbook().play(
        """
        >> client request 1 initialize {"clientID": "x"}
        << backend request 1 initialize {"clientID": "x"}
        >> backend response 1 initialize ok {"supportsFoo": true, "exceptionBreakpointFilters": [{"filter": "raised"}]}
        << client response 1 initialize ok {"exceptionBreakpointFilters": [{"filter": "raised"}], "supportsFoo": true, "supportsAskRequest": true, "supportsCancelRequest": true}
        """
    )


@pytest.mark.parametrize(
    "command",
    ["loadedSources", "readMemory", "writeMemory", "disassemble", "breakpointLocations", "dataBreakpointInfo",
     "setDataBreakpoints", "setInstructionBreakpoints", "restart", "restartFrame", "stepBack", "reverseContinue",
     "terminateThreads"],
)  # fmt: skip
def test_what_the_backend_did_not_announce_is_answered_by_the_proxy(command):
    stopped(Playbook()).play(
        f"""
        >> client request 9 {command} {{"threadId": 1}}
        << client response 9 {command} fail notSupported ...
        """
    )


def test_what_the_backend_announced_is_forwarded():
    stopped(Playbook(), '{"supportsReadMemoryRequest": true}').play(
        """
        >> client request 9 readMemory {"memoryReference": "0x1"}
        << backend request 3 readMemory {"memoryReference": "0x1"}
        """
    )


def test_a_capabilities_event_in_mid_session_is_merged():
    stopped(Playbook()).play(
        """
        >> backend event capabilities {"capabilities": {"supportsRestartRequest": true}}
        << client event capabilities ...
        >> client request 9 restart
        << backend request 3 restart
        """
    )


def test_requests_that_only_adapters_send_are_not_forwarded():
    stopped(Playbook()).play(
        """
        >> client request 9 runInTerminal {"args": ["rm"]}
        << client response 9 runInTerminal fail notSupported ...
        """
    )


def test_the_backends_own_table_denies_a_command():
    stopped(Playbook(Rules(denied={"vendorSpecial": "it exits"}))).play(
        """
        >> client request 9 vendorSpecial
        << client response 9 vendorSpecial fail notSupported ...
        """
    )


def test_exception_info_on_a_running_thread_is_held_back():
    stopped(Playbook(), '{"supportsExceptionInfoRequest": true}').play(
        """
        >> client request 8 exceptionInfo {"threadId": 1}
        << backend request 3 exceptionInfo {"threadId": 1}
        >> client request 9 continue {"threadId": 1}
        << backend request 4 continue {"threadId": 1}
        >> client request 10 exceptionInfo {"threadId": 1}
        << client response 10 exceptionInfo fail notStopped ...
        """
    )


def test_a_failed_resume_restores_the_stop():
    stopped(Playbook(), '{"supportsExceptionInfoRequest": true}').play(
        """
        >> client request 9 continue {"threadId": 1}
        << backend request 3 continue {"threadId": 1}
        >> backend response 3 continue fail no
        << client response 9 continue fail no
        >> client request 10 exceptionInfo {"threadId": 1}
        << backend request 4 exceptionInfo {"threadId": 1}
        """
    )


def test_cancel_names_the_request_as_the_backend_knows_it():
    stopped(Playbook(), '{"supportsCancelRequest": true}').play(
        """
        >> client request 40 evaluate {"expression": "slow()", "context": "watch"}
        << backend request 3 evaluate {"expression": "slow()", "context": "watch"}
        >> client request 41 cancel {"requestId": 40}
        << backend request 4 cancel {"requestId": 3}
        >> client request 42 cancel {"requestId": 999}
        << client response 42 cancel ok
        """
    )


def test_cancel_succeeds_and_goes_nowhere_if_the_backend_cannot_cancel():
    stopped(Playbook()).play(
        """
        >> client request 40 evaluate {"expression": "slow()"}
        << backend request 3 evaluate {"expression": "slow()"}
        >> client request 41 cancel {"requestId": 40}
        << client response 41 cancel ok
        >> backend response 3 evaluate ok {"result": "1", "variablesReference": 0}
        << client response 40 evaluate ok {"result": "1", "variablesReference": 0}
        """
    )


def test_progress_names_the_request_as_the_client_knows_it():
    stopped(Playbook()).play(
        """
        >> client request 55 source {"sourceReference": 1}
        << backend request 3 source {"sourceReference": 1}
        >> backend event progressStart {"progressId": "p", "title": "t", "requestId": 3}
        << client event progressStart {"progressId": "p", "title": "t", "requestId": 55}
        >> backend event progressStart {"progressId": "q", "title": "t", "requestId": 300}
        << client event progressStart {"progressId": "q", "title": "t"}
        """
    )


def test_reverse_requests_and_their_answers_find_their_way_both_ways():
    Playbook().play(
        """
        >> backend request 6 runInTerminal {"args": ["python"]}
        << client request 1 runInTerminal {"args": ["python"]}
        >> backend request 7 startDebugging {"configuration": {}}
        << client request 2 startDebugging {"configuration": {}}
        >> client response 2 startDebugging ok {}
        << backend response 7 startDebugging ok {}
        >> client response 1 runInTerminal ok {"processId": 12}
        << backend response 6 runInTerminal ok {"processId": 12}
        >> client response 1 runInTerminal ok
        << log skipped: a response of the client to nothing...
        """
    )


def test_a_response_to_nothing_is_dropped():
    Playbook().play(
        """
        >> backend response 99 threads ok
        << log skipped: a response of the backend to nothing...
        """
    )


@pytest.mark.parametrize("event", [FromClient, FromBackend])
def test_a_malformed_message_is_skipped_and_the_session_goes_on(event):
    play = stopped(Playbook())
    for body in (b"", b"[]", b'{"type":"request"}', b"\xff\xfe", b'{"seq":1,"type":"request","command":'):
        assert all(isinstance(effect, Log) for effect in play.session.receive(event(body)))
    play.play(
        """
        >> client request 9 threads
        << backend request 3 threads
        """
    )


@pytest.mark.parametrize("command", ["launch", "attach", "askApprove", "ask"])
def test_requests_of_ours_with_arguments_of_a_wrong_shape_are_answered(command):
    play = Playbook()
    body = b'{"seq": 4, "type": "request", "command": "%b", "arguments": [1]}' % command.encode()
    effects = play.session.receive(FromClient(body))
    assert [b'"success":false' in effect.body for effect in effects] == [True]


def test_a_lone_surrogate_in_a_message_is_replaced_and_the_message_passes():
    play = stopped(Playbook())
    body = b'{"seq": 1, "type": "event", "event": "output", "body": {"output": "a\\udc80 \\\\udc80 \\ud83d\\ude00"}}'
    [effect] = play.session.receive(FromBackend(body))
    assert b'"a\\ufffd \\\\udc80 \\ud83d\\ude00"' in effect.body


def test_arguments_of_a_wrong_type_pass_unread():
    stopped(Playbook()).play(
        """
        >> client request 9 continue {"threadId": "one"}
        << backend request 3 continue {"threadId": "one"}
        >> client request 10 evaluate {"expression": 5, "context": ["repl"]}
        << backend request 4 evaluate {"expression": 5, "context": ["repl"]}
        """
    )


def test_an_event_of_a_client_passes_only_once_it_has_given_the_token():
    book = Playbook(options=SessionOptions(token="secret"))
    book.play("""
        >> client event vendor {"a": 1}
        << log skipped: an event of a client that has not sent the token
        >> client request 1 attach {"dapAiToken": "secret"}
        << prepare attach {} ours {"dapAiToken": "secret"}
        >> client event vendor {"a": 2}
        << backend event vendor {"a": 2}
    """)


def test_an_adapter_is_told_what_it_needs_to_say_all_whatever_the_client_can_do():
    rules = Rules()
    rules.told_of_client = frozenset({"supportsVariableType"})
    Playbook(rules).play(
        """
        >> client request 1 initialize {"adapterID": "gdb"}
        << backend request 1 initialize {"adapterID": "gdb", "supportsVariableType": true}
        """
    )
