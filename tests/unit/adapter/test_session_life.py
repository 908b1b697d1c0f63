"""Session: launch, attach, tokens, disconnect, and the death of either side."""

from __future__ import annotations

from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped


def test_our_own_launch_keys_never_reach_the_backend():
    Playbook().play(
        """
        >> client request 1 launch {"program": "a.py", "dapAiLevel": "observe", "askEvents": true}
        << prepare launch {"program": "a.py"} ours {"askEvents": true, "dapAiLevel": "observe"}
        >> prepared {"program": "a.py"}
        << backend request 1 launch {"program": "a.py"}
        """
    )


def test_a_launch_that_cannot_be_prepared_fails_and_can_be_tried_again():
    Playbook().play(
        """
        >> client request 1 launch {"program": "a.py"}
        << prepare launch {"program": "a.py"}
        >> prepared error there is no Python at x
        << client response 1 launch fail startFailed ...
        >> client request 2 launch {"program": "b.py"}
        << prepare launch {"program": "b.py"}
        """
    )


def test_the_user_reads_in_which_way_a_process_is_entered():
    Playbook().play(
        """
        >> client request 1 attach {"processId": 7}
        << prepare attach {"processId": 7}
        >> prepared noted gdb is used
        << client event output {"category": "important", "output": "gdb is used\\n"}
        << backend request 1 attach {}
        """
    )


def test_a_second_launch_while_the_first_is_prepared_is_refused():
    Playbook().play(
        """
        >> client request 1 launch {"program": "a.py"}
        << prepare launch {"program": "a.py"}
        >> client request 2 launch {"program": "b.py"}
        << client response 2 launch fail invalidArguments ...
        """
    )


def test_a_second_launch_of_a_running_session_is_refused_and_changes_nothing():
    stopped(Playbook()).play(
        """
        >> client request 8 launch {"program": "b.py"}
        << client response 8 launch fail invalidArguments ...
        >> client request 9 ask {"question": "why"}
        << client response 9 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        """
    )


def test_a_launch_that_is_still_prepared_when_the_client_leaves_is_not_forwarded():
    Playbook().play(
        """
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> client request 2 attach {"processId": 7}
        << prepare attach {"processId": 7}
        >> client request 3 disconnect {}
        << client response 2 attach fail startFailed ...
        << backend request 2 disconnect {}
        >> prepared {"processId": 7}
        """
    )


def test_a_backend_that_nobody_has_spoken_to_is_not_told_of_the_end():
    Playbook().play(
        """
        >> client request 1 disconnect {}
        << client response 1 disconnect ok
        << end backend
        << close
        """
    )
    Playbook().play(
        """
        >> client closed
        << end backend
        << close
        """
    )


def test_what_the_first_adapter_still_owes_is_answered_when_another_takes_over():
    Playbook().play(
        """
        >> client request 2 attach {"connect": {"port": 1}}
        << prepare attach {"connect": {"port": 1}}
        >> client request 3 threads
        << backend request 1 threads
        >> prepared connected {"connect": {"port": 1}}
        << client response 3 threads fail backendFailed ...
        << backend request 2 initialize {}
        """
    )


def test_a_stream_that_ends_twice_parts_once():
    stopped(Playbook()).play(
        """
        >> client closed
        << backend request 3 disconnect {"terminateDebuggee": true}
        >> client closed
        """
    )


def test_an_attach_to_another_adapter_initializes_it_first():
    Playbook().play(
        """
        >> client request 1 initialize {"clientID": "x"}
        << backend request 1 initialize {"clientID": "x"}
        >> backend response 1 initialize ok {}
        << client response 1 initialize ok ...
        >> client request 2 attach {"connect": {"port": 5678}}
        << prepare attach {"connect": {"port": 5678}}
        >> prepared connected {"connect": {"port": 5678}}
        << backend request 2 initialize {"clientID": "x"}
        >> backend response 2 initialize ok {"supportsGotoTargetsRequest": true}
        << backend request 3 attach {"connect": {"port": 5678}}
        >> backend response 3 attach ok
        << client response 2 attach ok
        """
    )


def test_without_the_token_nothing_but_initialize_is_served():
    Playbook(options=SessionOptions(token="secret")).play(
        """
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> client request 2 evaluate {"expression": "1"}
        << client response 2 evaluate fail unauthorized ...
        >> client request 3 ask {"question": "?"}
        << client response 3 ask fail unauthorized ...
        >> client request 4 attach {"processId": 1, "dapAiToken": "guess"}
        << client response 4 attach fail unauthorized ...
        << end backend
        << close
        """
    )


def test_with_the_token_the_session_is_open():
    Playbook(options=SessionOptions(token="secret")).play(
        """
        >> client request 4 attach {"processId": 1, "dapAiToken": "secret"}
        << prepare attach {"processId": 1} ours {"dapAiToken": "secret"}
        >> client request 5 threads
        << backend request 1 threads
        """
    )


def test_disconnect_passes_at_once_and_ends_the_asks_first():
    stopped(Playbook()).play(
        """
        >> client request 5 ask {"question": "why"}
        << client response 5 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
        << start dap-ai-ask-1 thread 1 epoch 2
        >> client request 6 disconnect {"terminateDebuggee": true}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 3 disconnect {"terminateDebuggee": true}
        >> backend response 3 disconnect ok
        << client response 6 disconnect ok
        """
    )


def test_a_backend_that_ignores_disconnect_is_ended_and_the_client_answered():
    Playbook().play(
        """
        >> client request 5 initialize {}
        << backend request 1 initialize {}
        >> backend response 1 initialize ok {}
        << client response 5 initialize ok ...
        >> client request 6 disconnect {}
        << backend request 2 disconnect {}
        >> fired session.disconnect
        << end backend
        >> backend closed killed
        << client response 6 disconnect ok
        << end backend
        << close
        """
    )


def test_a_backend_that_answers_disconnect_may_end_in_its_own_time():
    Playbook(timers=True).play(
        """
        >> client request 5 initialize {}
        << backend request 1 initialize {}
        >> backend response 1 initialize ok {}
        << client response 5 initialize ok ...
        << timer slots.quiet
        >> client request 6 disconnect {}
        << timer session.disconnect
        << backend request 2 disconnect {}
        >> backend response 2 disconnect ok
        << untimer session.disconnect
        << client response 6 disconnect ok
        << timer slots.quiet
        """
    )


def test_when_the_backend_dies_everything_pending_is_answered_and_terminated_is_sent_once():
    stopped(Playbook()).play(
        """
        >> client request 7 threads
        << backend request 3 threads
        >> client request 8 variables {"variablesReference": 3}
        << backend request 4 variables {"variablesReference": 3}
        >> backend closed segfault
        << client response 7 threads fail backendDied ...
        << client response 8 variables fail backendDied ...
        << client event output ...
        << client event terminated
        >> client request 9 threads
        << client response 9 threads fail backendDied ...
        >> backend closed again
        >> client request 10 disconnect
        << client response 10 disconnect ok
        << end backend
        << close
        """
    )


def test_a_terminated_event_is_not_repeated_when_the_backend_then_closes():
    stopped(Playbook()).play(
        """
        >> backend event terminated
        << client event terminated
        >> backend closed
        """
    )


def test_a_backend_that_cannot_start_fails_the_initialize_request():
    Playbook().play(
        """
        >> client request 1 initialize {}
        << backend request 1 initialize {}
        >> backend unstarted no such file
        << client response 1 initialize fail backendFailed ...
        """
    )


def test_a_launch_that_waits_for_its_recipe_is_answered_when_the_backend_dies():
    Playbook().play(
        """
        >> client request 2 launch {}
        << prepare launch {}
        >> backend closed x
        << client response 2 launch fail backendDied ...
        << client event output ...
        << client event terminated
        >> prepared {}
        """
    )


def test_when_the_client_dies_a_launched_program_is_ended():
    stopped(Playbook()).play(
        """
        >> client closed
        << backend request 3 disconnect {"terminateDebuggee": true}
        >> backend response 3 disconnect ok
        << end backend
        << close
        """
    )


def test_when_the_client_dies_an_attached_program_lives_on():
    Playbook().play(
        """
        >> client request 2 attach {"processId": 5}
        << prepare attach {"processId": 5}
        >> prepared {"processId": 5}
        << backend request 1 attach {"processId": 5}
        >> client closed
        << backend request 2 disconnect {"terminateDebuggee": false}
        >> fired session.part
        << end backend
        << close
        """
    )
