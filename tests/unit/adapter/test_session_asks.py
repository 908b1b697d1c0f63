"""Session: asks from the client's request to the last event, epochs, `??`, the editor before the agent."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

ASK = """
    >> client request 5 ask {"question": "why"}
    << client response 5 ask ok {"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}
    << start dap-ai-ask-1 thread 1 epoch 2
"""


def asking(**options) -> Playbook:
    play = stopped(Playbook(**options))
    play.play(ASK)
    return play


def test_an_ask_answers_at_once_and_streams():
    asking().play(
        """
        >> agent output dap-ai-ask-1 status offline
        << client event askOutput {"askId": "dap-ai-ask-1", "category": "status", "output": "offline"}
        >> agent output dap-ai-ask-1 answer Because
        >> agent output dap-ai-ask-1 answer  x is None.
        >> fired asks.flush:dap-ai-ask-1
        << client event askOutput {"askId": "dap-ai-ask-1", "category": "answer", "output": "Because x is None."}
        >> agent ended dap-ai-ask-1
        << client event askEnded {"askId": "dap-ai-ask-1", "conversationId": "conversation-1", "reason": "completed", "stale": false, "answer": "Because x is None.", "usage": {"modelCalls": 0, "toolCalls": 0, "inputTokens": 0, "outputTokens": 0, "costUsd": 0.0, "seconds": 0.0, "provider": "", "model": ""}, "evidence": [], "suspects": [], "fixes": [], "masked": [], "error": ""}
        """
    )


def test_an_ask_without_events_is_silent():
    stopped(Playbook()).play(
        """
        >> client request 5 ask {"question": "why", "askEvents": false}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        >> agent output dap-ai-ask-1 answer x
        >> agent ended dap-ai-ask-1
        """
    )


def test_a_client_that_shows_progress_can_do_without_for_one_question():
    Playbook().play(
        """
        >> client request 1 initialize {"supportsProgressReporting": true}
        << backend request 1 initialize ...
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped ...
        >> client request 5 ask {"progress": false}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 1
        """
    )


def test_a_question_of_the_console_shows_no_progress_where_its_client_has_the_events():
    play = Playbook(options=SessionOptions(ask_events=True))
    play.play(
        """
        >> client request 1 initialize {"supportsProgressReporting": true}
        << backend request 1 initialize ...
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped ...
        >> client request 5 evaluate {"expression": "??why", "context": "repl"}
        << client response 5 evaluate ok ...
        << start dap-ai-ask-1 thread 1 epoch 1
        """
    )


def test_a_client_that_shows_progress_gets_it_with_the_ask_as_its_id():
    play = Playbook()
    play.play(
        """
        >> client request 1 initialize {"supportsProgressReporting": true}
        << backend request 1 initialize ...
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped ...
        >> client request 5 ask {}
        << client response 5 ask ok ...
        << client event progressStart {"progressId": "dap-ai-ask-1", "title": "dap_ai", "cancellable": true, "message": "looking at the program"}
        << start dap-ai-ask-1 thread 1 epoch 1
        >> client request 6 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << client event progressEnd {"progressId": "dap-ai-ask-1"}
        << client response 6 cancel ok
        >> agent output dap-ai-ask-1 answer too late
        >> agent ended dap-ai-ask-1
        """
    )


@pytest.mark.parametrize("arguments", ['{"question": 5}', '{"threadId": "x"}', '{"level": "root"}'])
def test_an_ask_with_bad_arguments_says_what_is_wrong(arguments):
    stopped(Playbook()).play(
        f"""
        >> client request 5 ask {arguments}
        << client response 5 ask fail invalidArguments ...
        """
    )


def test_an_ask_while_the_program_runs_is_refused():
    stopped(Playbook()).play(
        """
        >> client request 4 continue {"threadId": 1}
        << backend request 3 continue ...
        >> client request 5 ask {"question": "why"}
        << client response 5 ask fail notStopped ...
        """
    )


def test_an_ask_before_the_launch_and_after_the_end_says_so():
    play = Playbook()
    play.play(
        """
        >> client request 5 ask {"question": "why"}
        << client response 5 ask fail notStarted ...
        """
    )
    stopped(play := Playbook())
    play.play(
        """
        >> backend event exited {"exitCode": 1}
        << client event exited ...
        >> client request 5 ask {"question": "why"}
        << client response 5 ask fail ended ...
        """
    )


def test_what_was_said_in_an_ended_session_goes_on_where_nothing_was_started_and_only_there():
    earlier = '"earlier": {"turns": [{"question": "why", "answer": "Because."}], "output": "done"}'
    play = Playbook()
    play.play(
        f"""
        >> client request 5 ask {{"question": "and?", {earlier}}}
        << client response 5 ask ok {{"askId": "dap-ai-ask-1", "conversationId": "conversation-1"}}
        << start dap-ai-ask-1 nothing stopped
        """
    )
    stopped(Playbook()).play(
        f"""
        >> client request 5 ask {{"question": "and?", {earlier}}}
        << client response 5 ask fail invalidArguments ...
        """
    )


@pytest.mark.parametrize("frames", [0, 1001])
def test_an_exception_of_an_ended_session_has_frames_and_not_too_many(frames):
    rows = [["/p/shop.py", 4, "f", True]] * frames
    caught = json.dumps({"type": "KeyError", "message": "'a'", "frames": rows})
    Playbook().play(
        f"""
        >> client request 5 ask {{"earlier": {{"caught": {caught}}}}}
        << client response 5 ask fail invalidArguments ...
        """
    )


def test_a_follow_up_is_taken_while_the_program_runs_and_after_its_end():
    play = asking()
    play.play(
        """
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        >> client request 6 continue {"threadId": 1}
        << backend request 3 continue ...
        >> client request 7 ask {"question": "and?", "conversationId": "conversation-1"}
        << client response 7 ask ok {"askId": "dap-ai-ask-2", "conversationId": "conversation-1"}
        << start dap-ai-ask-2 nothing stopped
        """
    )


def test_two_asks_in_one_conversation_are_one_too_many():
    asking().play(
        """
        >> client request 6 ask {"question": "and?", "conversationId": "conversation-1"}
        << client response 6 ask fail askInProgress ...
        >> client request 7 ask {"question": "else?"}
        << client response 7 ask ok {"askId": "dap-ai-ask-2", "conversationId": "conversation-2"}
        << start dap-ai-ask-2 thread 1 epoch 2
        """
    )


def test_a_conversation_that_never_was_is_refused():
    stopped(Playbook()).play(
        """
        >> client request 6 ask {"question": "and?", "conversationId": "conversation-9"}
        << client response 6 ask fail invalidArguments ...
        """
    )


def test_a_frame_must_be_of_this_stop():
    stopped(Playbook()).play(
        """
        >> client request 6 stackTrace {"threadId": 2}
        << backend request 3 stackTrace ...
        >> backend response 3 stackTrace ok {"stackFrames": [{"id": 31, "name": "f", "line": 1, "column": 1}]}
        << client response 6 stackTrace ok ...
        >> client request 7 ask {"question": "?", "frameId": 31}
        << client response 7 ask ok ...
        << start dap-ai-ask-1 thread 2 epoch 2
        >> client request 8 next {"threadId": 1}
        << backend request 4 next ...
        >> backend event stopped {"reason": "step", "threadId": 1, "allThreadsStopped": true}
        << client event stopped ...
        >> client request 9 ask {"question": "?", "frameId": 31}
        << client response 9 ask fail staleFrame ...
        """
    )


def test_the_agents_reads_have_the_agents_seqs_and_never_reach_the_client():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 stackTrace {"threadId": 1}
        << backend request 3 stackTrace {"threadId": 1}
        >> backend response 3 stackTrace ok {"stackFrames": []}
        << agent 1 ok {"stackFrames": []}
        >> agent request dap-ai-ask-1 2 2 evaluate {"context": "hover"}
        << backend request 4 evaluate {"context": "hover"}
        >> backend response 4 evaluate fail broken
        << agent 2 error broken
        """
    )


def test_a_resume_drops_what_the_agent_waits_for_before_it_is_forwarded():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 stackTrace {}
        << backend request 3 stackTrace {}
        >> agent request dap-ai-ask-1 2 2 scopes {}
        >> client request 6 next {"threadId": 1}
        << backend request 4 next {"threadId": 1}
        << agent 1 error notStopped
        << agent 2 error notStopped
        >> agent request dap-ai-ask-1 3 2 scopes {}
        << agent 3 error notStopped
        >> backend response 3 stackTrace ok {"stackFrames": []}
        >> backend event stopped {"reason": "step", "threadId": 1}
        << client event stopped ...
        >> agent request dap-ai-ask-1 4 2 scopes {}
        << agent 4 error notStopped
        """
    )


def test_a_second_thread_that_stops_does_not_end_the_stop():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 stackTrace {}
        << backend request 3 stackTrace {}
        >> backend event stopped {"reason": "breakpoint", "threadId": 2}
        << client event stopped ...
        >> backend response 3 stackTrace ok {}
        << agent 1 ok {}
        """
    )


def test_the_agent_waits_for_the_editor():
    asking().play(
        """
        >> client request 6 stackTrace {"threadId": 1}
        << backend request 3 stackTrace {"threadId": 1}
        >> agent request dap-ai-ask-1 1 2 evaluate {"context": "hover"}
        >> backend response 3 stackTrace ok {"stackFrames": []}
        << client response 6 stackTrace ok ...
        >> fired slots.quiet
        << backend request 4 evaluate {"context": "hover"}
        """
    )


def test_a_patient_agent_gets_a_slot_but_not_between_stack_and_variables():
    asking().play(
        """
        >> client request 6 stackTrace {"threadId": 1}
        << backend request 3 stackTrace {"threadId": 1}
        >> agent request dap-ai-ask-1 1 2 evaluate {"context": "hover"}
        >> backend response 3 stackTrace ok {"stackFrames": []}
        << client response 6 stackTrace ok ...
        >> fired slots.patience
        >> client request 7 variables {"variablesReference": 1}
        << backend request 4 variables {"variablesReference": 1}
        >> backend response 4 variables ok {"variables": []}
        << client response 7 variables ok ...
        << backend request 5 evaluate {"context": "hover"}
        """
    )


def test_a_read_that_waited_for_another_is_not_forgotten_behind_the_editor():
    play = stopped(Playbook())
    play.timers = True
    play.play(
        ASK.replace("<< start", "<< timer asks.limit:dap-ai-ask-1\n    << start")
        + """
        >> agent request dap-ai-ask-1 1 2 threads {}
        << backend request 3 threads {}
        << untimer slots.patience
        << timer slots.request
        >> agent request dap-ai-ask-1 2 2 scopes {}
        >> client request 6 evaluate {"expression": "slow()"}
        << backend request 4 evaluate {"expression": "slow()"}
        >> backend response 3 threads ok {}
        << untimer slots.request
        << timer slots.patience
        << agent 1 ok {}
        >> fired slots.patience
        << backend request 5 scopes {}
        << untimer slots.patience
        << timer slots.request
        """
    )


def test_one_agent_request_is_in_flight_at_most():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 threads {}
        << backend request 3 threads {}
        >> agent request dap-ai-ask-1 2 2 scopes {}
        >> backend response 3 threads ok {}
        << agent 1 ok {}
        << backend request 4 scopes {}
        """
    )


def test_a_late_answer_is_swallowed_and_no_evaluate_follows_until_it_came():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 evaluate {"context": "hover"}
        << backend request 3 evaluate {"context": "hover"}
        >> fired slots.request
        << agent 1 error timeout
        >> agent request dap-ai-ask-1 2 2 evaluate {"context": "hover"}
        << agent 2 error busy
        >> agent request dap-ai-ask-1 3 2 threads {}
        << backend request 4 threads {}
        >> backend response 3 evaluate ok {"result": "late"}
        >> backend response 4 threads ok {}
        << agent 3 ok {}
        >> agent request dap-ai-ask-1 4 2 evaluate {"context": "hover"}
        << backend request 5 evaluate {"context": "hover"}
        """
    )


def test_the_backends_death_fails_the_ask_and_its_reads():
    asking().play(
        """
        >> agent request dap-ai-ask-1 1 2 evaluate {"context": "hover"}
        << backend request 3 evaluate {"context": "hover"}
        >> backend closed killed
        << agent 1 error backendDied
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << client event output ...
        << client event terminated
        """
    )


def test_a_failing_agent_ends_its_ask_only():
    asking().play(
        """
        >> agent ended dap-ai-ask-1 ValueError: oops
        << client event askEnded {"askId": "dap-ai-ask-1", "conversationId": "conversation-1", "reason": "failed", "stale": false, "answer": "ValueError: oops", "usage": {"modelCalls": 0, "toolCalls": 0, "inputTokens": 0, "outputTokens": 0, "costUsd": 0.0, "seconds": 0.0, "provider": "", "model": ""}, "evidence": [], "suspects": [], "fixes": [], "masked": [], "error": "ValueError: oops"}
        >> client request 6 threads
        << backend request 3 threads
        """
    )


def test_an_answer_that_takes_too_long_ends_with_what_it_has_said():
    asking().play(
        """
        >> agent output dap-ai-ask-1 answer So far
        >> fired asks.limit:dap-ai-ask-1
        << cancel dap-ai-ask-1
        << client event askOutput {"askId": "dap-ai-ask-1", "category": "answer", "output": "So far"}
        << client event askEnded {"askId": "dap-ai-ask-1", "conversationId": "conversation-1", "reason": "limit", "stale": false, "answer": "So far", "usage": {"modelCalls": 0, "toolCalls": 0, "inputTokens": 0, "outputTokens": 0, "costUsd": 0.0, "seconds": 0.0, "provider": "", "model": ""}, "evidence": [], "suspects": [], "fixes": [], "masked": [], "error": ""}
        """
    )


def test_consent_for_nothing_is_refused():
    stopped(Playbook()).play(
        """
        >> client request 6 askApprove {"approvalId": "a", "allow": true}
        << client response 6 askApprove fail unknownApproval ...
        """
    )


@pytest.mark.parametrize("command", ["askModel", "askContext", "askNobody"])
def test_requests_of_ours_that_are_unknown_never_reach_the_backend(command):
    stopped(Playbook()).play(
        f"""
        >> client request 6 {command} {{}}
        << client response 6 {command} fail notSupported ...
        """
    )


CONSOLE_ASK = """
    >> client request 5 evaluate {"expression": "?? why is x 0", "context": "repl", "frameId": 3}
    << client response 5 evaluate ok {"result": "dap-ai-ask-1: why is x 0", "variablesReference": 0}
    << start dap-ai-ask-1 thread 1 epoch 2
"""


def test_two_question_marks_in_the_console_ask_and_stream_whole_plain_lines():
    play = stopped(Playbook())
    play.play(CONSOLE_ASK)
    play.play(
        """
        >> agent output dap-ai-ask-1 status offline
        << client event output {"category": "console", "output": "\\u00b7 offline\\n"}
        >> agent output dap-ai-ask-1 answer ## What **happened**\\nIt is
        >> fired asks.flush:dap-ai-ask-1
        << client event output {"category": "console", "output": "What happened\\n"}
        >> agent output dap-ai-ask-1 answer  zero.
        >> agent ended dap-ai-ask-1
        << client event output {"category": "console", "output": "It is zero.\\n"}
        """
    )


def test_what_is_done_is_told_in_the_console_without_marks_of_markdown_too():
    play = stopped(Playbook())
    play.play(CONSOLE_ASK)
    play.play(
        """
        >> agent output dap-ai-ask-1 tool evaluate(`x`) -> **`x`** evaluates to `__init__`
        << client event output {"category": "console", "output": "\\u00b7 evaluate(x) -> x evaluates to __init__\\n"}
        """
    )


VS_CODE = '{"clientID": "vscode", "supportsANSIStyling": true}'


@pytest.mark.parametrize(
    ("client", "category"),
    [(VS_CODE, "dap-ai"), ('{"clientID": "vscode"}', "console"), ('{"clientID": "neovim"}', "console")],
    ids=["VS Code", "one that calls itself so", "another"],
)
def test_vs_code_does_not_show_an_answer_as_a_warning(client: str, category: str):
    play = stopped(Playbook(), client=client)
    play.play(CONSOLE_ASK)
    play.play(f"""
        >> agent output dap-ai-ask-1 status offline
        << client event output {{"category": "{category}", "output": "\\u00b7 offline\\n"}}
        >> agent ended dap-ai-ask-1
    """)


def test_console_questions_continue_their_conversation_until_told_otherwise():
    play = stopped(Playbook())
    play.play(CONSOLE_ASK)
    play.play(
        """
        >> client request 6 evaluate {"expression": "??", "context": "repl"}
        << client response 6 evaluate fail askInProgress ...
        >> client request 7 evaluate {"expression": "??stop", "context": "repl"}
        << cancel dap-ai-ask-1
        << client event output {"category": "console", "output": "[cancelled]\\n"}
        << client response 7 evaluate ok {"result": "cancelled", "variablesReference": 0}
        >> client request 8 evaluate {"expression": "??", "context": "repl"}
        << client response 8 evaluate ok {"result": "dap-ai-ask-2: Why did it stop here?", "variablesReference": 0}
        << start dap-ai-ask-2 thread 1 epoch 2
        >> agent ended dap-ai-ask-2
        >> client request 9 evaluate {"expression": "/ask new who", "context": "repl"}
        << client response 9 evaluate ok {"result": "dap-ai-ask-3: who", "variablesReference": 0}
        << start dap-ai-ask-3 thread 1 epoch 2
        """
    )


def test_the_prefix_is_ours_in_the_console_only_and_can_be_switched_off():
    play = stopped(Playbook(options=SessionOptions(console_prefix="")))
    play.play(
        """
        >> client request 5 evaluate {"expression": "?? x", "context": "repl"}
        << backend request 3 evaluate {"expression": "?? x", "context": "repl"}
        """
    )
    stopped(play := Playbook())
    play.play(
        """
        >> client request 5 evaluate {"expression": "?? x", "context": "watch"}
        << backend request 3 evaluate {"expression": "?? x", "context": "watch"}
        >> client request 6 evaluate {"expression": "?? x", "context": "hover"}
        << backend request 4 evaluate {"expression": "?? x", "context": "hover"}
        """
    )


def test_an_evaluate_without_a_context_is_typed_by_a_user_too():
    stopped(Playbook()).play(
        """
        >> client request 5 evaluate {"expression": "?? x"}
        << client response 5 evaluate ok {"result": "dap-ai-ask-1: x", "variablesReference": 0}
        << start dap-ai-ask-1 thread 1 epoch 2
        """
    )


def test_completions_of_our_prefix_are_ours():
    stopped(Playbook(), '{"supportsCompletionsRequest": true}').play(
        """
        >> client request 5 completions {"text": "??st", "column": 5}
        << client response 5 completions ok {"targets": [{"label": "??stop", "text": "stop", "type": "text", "detail": "cancel the current answer", "start": 2, "length": 2}]}
        >> client request 6 completions {"text": "len", "column": 4}
        << backend request 3 completions {"text": "len", "column": 4}
        """
    )


def test_what_the_user_did_since_the_last_question_is_told():
    play = asking()
    play.play(
        """
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        >> client request 6 evaluate {"expression": "x + 1", "context": "repl"}
        << backend request 3 evaluate {"expression": "x + 1", "context": "repl"}
        >> backend response 3 evaluate ok {"result": "2", "variablesReference": 0}
        << client response 6 evaluate ok ...
        >> client request 7 next {"threadId": 1}
        << backend request 4 next {"threadId": 1}
        """
    )
    items = play.session.history.since_last("conversation-1")
    assert [(item.kind, item.text, item.result) for item in items] == [
        ("ask", "why", ""),
        ("evaluate", "x + 1", "2"),
        ("step", "next", ""),
    ]


def test_a_read_that_takes_too_long_is_cancelled_where_the_adapter_can():
    stopped(Playbook(), '{"supportsCancelRequest": true}').play(
        ASK
        + """
        >> agent request dap-ai-ask-1 1 2 variables {"variablesReference": 9}
        << backend request 3 variables {"variablesReference": 9}
        >> fired slots.request
        << backend request 4 cancel {"requestId": 3}
        << agent 1 error timeout
        >> backend response 3 variables fail cancelled
        >> backend response 4 cancel ok
        """
    )
