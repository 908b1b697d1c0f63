"""Session: what the agent does to the program, and that the user's own doings win."""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.backends.generic import GenericBackend
from tests.playbook import Playbook
from tests.unit.adapter.test_session_passthrough import stopped

NEXT = 'agent act dap-ai-ask-1 1 2 Step {"how": "next"}'
STOPPED = """
    >> backend event stopped {"reason": "step", "threadId": 1, "allThreadsStopped": true}
    << client event stopped ...
"""


def acting(capabilities: str = "{}", initialize: str = "", level="mutate") -> Playbook:
    """An ask that may act, of epoch 2; the backend has seen 2 requests."""
    play = stopped(Playbook(options=SessionOptions(level=level)), capabilities)
    if initialize:
        play.session._out.client.hears_invalidated = True
    play.play(
        """
        >> client request 5 ask {}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 thread 1 epoch 2
        """
    )
    return play


def shown(play: Playbook, event: str) -> list[str]:
    return [line for line in map(play.render, play.session.receive(play.event(event))) if line]


def stepping() -> Playbook:
    """A step of the agent is under way."""
    play = acting()
    play.play(
        f"""
        >> {NEXT}
        << backend request 3 next {{"threadId": 1}}
        >> backend response 3 next ok {{}}
        << client event continued {{"threadId": 1, "allThreadsContinued": true}}
        """
    )
    return play


# -- levels -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["observe", "compute"])
@pytest.mark.parametrize(
    "action",
    ['Step {"how": "continue"}', 'ContinueTo {"file": "a.py", "line": 3}', 'SetBreakpoint {"file": "a.py", "line": 3}',
     'Execute {"expression": "f()", "frame_id": 1}', 'SetVariable {"expression": "x", "value": "1", "frame_id": 1}'],
)  # fmt: skip
def test_below_mutate_every_action_is_refused(level, action):
    acting(level=level).play(f">> agent act dap-ai-ask-1 1 2 {action}\n<< agent 1 error refused")


def test_an_ask_that_lowers_its_level_may_not_act():
    play = stopped(Playbook(options=SessionOptions(level="mutate")))
    play.play(
        f"""
        >> client request 5 ask {{"level": "compute"}}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 ...
        >> {NEXT}
        << agent 1 error refused
        """
    )


@pytest.mark.parametrize("command", ["continue", "next", "setBreakpoints", "setVariable", "restart", "terminate", "x"])
def test_a_read_of_the_agent_can_send_only_what_reads(command):
    acting().play(f">> agent request dap-ai-ask-1 1 2 {command} {{}}\n<< agent 1 error refused")


@pytest.mark.parametrize("announced", ["__lldb", "$__lldb_version"])
def test_what_runs_code_in_the_debuggee_is_passed_on_for_the_client_and_not_sent_for_an_answer(announced: str):
    play = stopped(
        Playbook(GenericBackend(["/opt/wrapper"])), f'{{"supportsExceptionInfoRequest": true, "{announced}": "19"}}'
    )
    play.play(
        """
        >> client request 5 ask {}
        << client response 5 ask ok ...
        << start dap-ai-ask-1 ...
        >> agent request dap-ai-ask-1 1 2 exceptionInfo {"threadId": 1}
        << agent 1 error refused
        >> client request 6 exceptionInfo {"threadId": 1}
        << backend request 3 exceptionInfo {"threadId": 1}
        """
    )


@pytest.mark.parametrize("context", ["", ', "context": "repl"'])
def test_a_read_of_the_agent_evaluates_nothing_as_a_user_would(context):
    acting().play(
        f'>> agent request dap-ai-ask-1 1 2 evaluate {{"expression": "x"{context}}}\n<< agent 1 error refused'
    )


@pytest.mark.parametrize(("ask", "epoch"), [("dap-ai-ask-1", 1), ("dap-ai-ask-7", 2)])
def test_an_action_of_another_stop_or_of_no_ask_is_not_done(ask, epoch):
    acting().play(f">> agent act {ask} 1 {epoch} Step {{}}\n<< agent 1 error notStopped")


# -- resuming -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["next", "stepIn", "stepOut", "continue"])
def test_a_step_tells_the_client_that_the_program_runs_and_brings_the_new_stop(command):
    acting().play(
        f"""
        >> agent act dap-ai-ask-1 1 2 Step {{"how": "{command}"}}
        << backend request 3 {command} {{"threadId": 1}}
        >> backend response 3 {command} ok {{}}
        << client event continued {{"threadId": 1, "allThreadsContinued": true}}
        {STOPPED}
        << settled 1 done {{"stop": {{"epoch": 4, "thread": 1}}}}
        >> agent request dap-ai-ask-1 2 4 stackTrace {{"threadId": 1}}
        << backend request 4 stackTrace {{"threadId": 1}}
        >> agent request dap-ai-ask-1 3 2 stackTrace {{"threadId": 1}}
        << agent 3 error notStopped
        """
    )


def test_a_client_hears_once_that_the_program_runs_whoever_says_it_first():
    play = acting()
    play.play(
        f"""
        >> {NEXT}
        << backend request 3 next {{"threadId": 1}}
        >> backend event continued {{"threadId": 1, "allThreadsContinued": true}}
        << client event continued ...
        >> backend response 3 next ok {{}}
        >> backend event continued {{"threadId": 1}}
        {STOPPED}
        << settled 1 done ...
        >> backend event continued {{"threadId": 1}}
        << client event continued ...
        """
    )
    stepping().play(">> backend event continued {}")


def test_a_stop_that_comes_before_the_response_is_told_in_order():
    acting().play(
        f"""
        >> {NEXT}
        << backend request 3 next {{"threadId": 1}}
        >> backend event stopped {{"reason": "step", "threadId": 1}}
        << client event continued {{"threadId": 1, "allThreadsContinued": true}}
        << client event stopped ...
        << settled 1 done {{"stop": {{"epoch": 4, "thread": 1}}}}
        >> backend response 3 next ok {{}}
        """
    )


def test_the_stop_of_another_thread_is_where_the_program_stands():
    stepping().play(
        """
        >> backend event stopped {"reason": "breakpoint", "threadId": 7, "allThreadsStopped": true}
        << client event stopped ...
        << settled 1 done {"stop": {"epoch": 4, "thread": 7}}
        """
    )


@pytest.mark.parametrize("event", ["exited", "terminated"])
def test_a_program_that_ends_meanwhile_is_an_outcome(event):
    stepping().play(f'>> backend event {event} {{}}\n<< client event {event} ...\n<< settled 1 done {{"ended": true}}')


def test_a_program_that_runs_on_is_left_running():
    stepping().play(
        """
        >> fired resuming.wait
        << settled 1 done {}
        >> backend event stopped {"reason": "pause", "threadId": 1}
        << client event stopped ...
        """
    )


def test_a_step_that_fails_leaves_the_program_where_it_was():
    play = acting()
    play.play(
        f"""
        >> {NEXT}
        << backend request 3 next ...
        >> backend response 3 next fail busy
        << agent 1 error busy
        >> client request 6 ask {{}}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 ...
        """
    )


@pytest.mark.parametrize("command", ["continue", "next", "pause"])
def test_the_users_own_resume_or_pause_wins(command):
    play = stepping()
    assert shown(play, f'client request 6 {command} {{"threadId": 1}}') == [
        "agent 1 error notStopped",
        f'backend request 4 {command} {{"threadId": 1}}',
    ]
    play.play(STOPPED)


def test_a_cancel_in_the_middle_of_a_step_ends_it_once():
    play = stepping()
    assert shown(play, 'client request 6 cancel {"progressId": "dap-ai-ask-1"}').count("agent 1 error cancelled") == 1
    play.play(STOPPED)


def test_a_disconnect_in_the_middle_of_a_step_is_forwarded():
    lines = shown(stepping(), "client request 6 disconnect {}")
    assert "agent 1 error cancelled" in lines
    assert lines[-1] == "backend request 4 disconnect {}"


def test_a_backend_that_dies_in_the_middle_of_a_step_ends_it_once():
    lines = shown(stepping(), "backend closed killed")
    assert len([line for line in lines if line.startswith(("agent 1", "settled 1"))]) == 1


def test_a_step_waits_until_the_snapshots_are_gone_and_the_client_behind_it():
    acting().play(
        f"""
        >> agent job dap-ai-ask-1 a 2
        >> {NEXT}
        << backend request 3 evaluate {{"kill": "a"}}
        >> client request 6 threads
        >> backend response 3 evaluate ok {{}}
        << backend request 4 next {{"threadId": 1}}
        << backend request 5 threads
        """
    )


def test_a_step_whose_ask_is_over_when_the_snapshots_are_gone_is_not_made():
    acting().play(
        f"""
        >> agent job dap-ai-ask-1 a 2
        >> {NEXT}
        << backend request 3 evaluate {{"kill": "a"}}
        >> fired asks.limit:dap-ai-ask-1
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << agent 1 error cancelled
        >> backend response 3 evaluate ok {{}}
        """
    )


def test_of_two_asks_only_one_resumes_the_program():
    play = acting()
    play.play(
        f"""
        >> client request 6 ask {{}}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 ...
        >> agent request dap-ai-ask-2 9 2 threads {{}}
        << backend request 3 threads
        >> {NEXT}
        << backend request 4 next ...
        << agent 9 error notStopped
        >> agent act dap-ai-ask-2 2 2 Step {{}}
        << agent 2 error notStopped
        """
    )


def test_what_the_adapter_never_announced_is_not_sent():
    play = acting()
    play.session._gate.rules.denied = {"stepOut": "it hangs"}  # type: ignore[misc]
    play.play('>> agent act dap-ai-ask-1 1 2 Step {"how": "stepOut"}\n<< agent 1 error notSupported')


def test_what_the_agent_did_is_history_of_the_next_question():
    play = stepping()
    play.play(STOPPED + "\n<< settled 1 done ...\n>> agent ended dap-ai-ask-1\n<< client event askEnded ...")
    effects = play.session.receive(play.event('client request 6 ask {"conversationId": "conversation-1"}'))
    history = next(effect.history for effect in effects if hasattr(effect, "history"))
    assert [item.text for item in history if item.kind == "agent"] == ["next"]


# -- breakpoints --------------------------------------------------------------------------------------------------------

AT_5 = 'agent act dap-ai-ask-1 1 2 SetBreakpoint {"file": "/a.py", "line": 5, "condition": "x > 1"}'
AGENTS = '{"line": 5, "condition": "x > 1"}'


def with_users(play: Playbook) -> Playbook:
    """The client has breakpoints on lines 2 and 9 of /a.py, with ids 1 and 2."""
    play.play(
        """
        >> client request 6 setBreakpoints {"source": {"path": "/a.py", "name": "a"}, "breakpoints": [{"line": 2}, {"line": 9, "condition": "y"}], "lines": [2, 9], "sourceModified": false}
        << backend request 3 setBreakpoints {"source": {"path": "/a.py", "name": "a"}, "breakpoints": [{"line": 2}, {"line": 9, "condition": "y"}], "lines": [2, 9], "sourceModified": false}
        >> backend response 3 setBreakpoints ok {"breakpoints": [{"id": 1, "verified": true, "line": 2}, {"id": 2, "verified": true, "line": 9}]}
        << client response 6 setBreakpoints ok {"breakpoints": [{"id": 1, "verified": true, "line": 2}, {"id": 2, "verified": true, "line": 9}]}
        >> fired slots.quiet
        """
    )
    return play


def merged() -> Playbook:
    """Beside the client's two (now 11 and 12 to the backend) the agent has one on line 5 (13)."""
    play = with_users(acting())
    play.play(
        f"""
        >> {AT_5}
        << backend request 4 setBreakpoints {{"source": {{"path": "/a.py", "name": "a"}}, "sourceModified": false, "breakpoints": [{{"line": 2}}, {{"line": 9, "condition": "y"}}, {AGENTS}]}}
        >> backend response 4 setBreakpoints ok {{"breakpoints": [{{"id": 11, "verified": true, "line": 2}}, {{"id": 12, "verified": true, "line": 9}}, {{"id": 13, "verified": true, "line": 5}}]}}
        << settled 1 done {{"result": "set on line 5"}}
        """
    )
    return play


def test_a_breakpoint_of_the_agent_stands_beside_the_users_and_goes_with_its_ask():
    merged().play(
        """
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        << backend request 5 setBreakpoints {"source": {"path": "/a.py", "name": "a"}, "sourceModified": false, "breakpoints": [{"line": 2}, {"line": 9, "condition": "y"}]}
        >> backend response 5 setBreakpoints ok {"breakpoints": [{"id": 21, "verified": true}, {"id": 22, "verified": true}]}
        >> backend event breakpoint {"reason": "changed", "breakpoint": {"id": 22, "verified": false}}
        << client event breakpoint {"reason": "changed", "breakpoint": {"id": 2, "verified": false}}
        """
    )


def test_a_file_without_breakpoints_of_the_user_is_empty_again_afterwards():
    acting().play(
        """
        >> agent act dap-ai-ask-1 1 2 SetBreakpoint {"file": "/b.py", "line": 5}
        << backend request 3 setBreakpoints {"source": {"path": "/b.py"}, "breakpoints": [{"line": 5}]}
        >> backend response 3 setBreakpoints ok {"breakpoints": [{"verified": false, "message": "no such file"}]}
        << settled 1 done {"result": "not verified there: no such file"}
        >> client request 6 cancel {"progressId": "dap-ai-ask-1"}
        << cancel dap-ai-ask-1
        << client event askEnded ...
        << backend request 4 setBreakpoints {"source": {"path": "/b.py"}, "breakpoints": []}
        << client response 6 cancel ok
        """
    )


def test_the_client_changes_its_set_and_sees_only_its_own():
    merged().play(
        f"""
        >> client request 7 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": [{{"line": 3}}]}}
        << backend request 5 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": [{{"line": 3}}, {AGENTS}]}}
        >> backend response 5 setBreakpoints ok {{"breakpoints": [{{"id": 31, "verified": true}}, {{"id": 32, "verified": true}}], "x": 1}}
        << client response 7 setBreakpoints ok {{"breakpoints": [{{"id": 31, "verified": true}}], "x": 1}}
        >> backend event breakpoint {{"reason": "changed", "breakpoint": {{"id": 32, "verified": true}}}}
        >> backend event breakpoint {{"reason": "changed", "breakpoint": {{"id": 31, "verified": true}}}}
        << client event breakpoint ...
        """
    )


def test_the_client_clears_the_file_and_the_agents_stays():
    merged().play(
        f"""
        >> client request 7 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": []}}
        << backend request 5 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": [{AGENTS}]}}
        >> backend response 5 setBreakpoints ok {{"breakpoints": [{{"id": 32, "verified": true}}]}}
        << client response 7 setBreakpoints ok {{"breakpoints": []}}
        """
    )


def test_the_clients_breakpoint_on_the_agents_line_takes_its_place():
    merged().play(
        """
        >> client request 7 setBreakpoints {"source": {"path": "/a.py"}, "breakpoints": [{"line": 5}]}
        << backend request 5 setBreakpoints {"source": {"path": "/a.py"}, "breakpoints": [{"line": 5}]}
        >> backend response 5 setBreakpoints ok {"breakpoints": [{"id": 31, "verified": true}]}
        << client response 7 setBreakpoints ok {"breakpoints": [{"id": 31, "verified": true}]}
        """
    )


def test_the_older_form_of_a_set_is_merged_too():
    merged().play(
        f"""
        >> client request 7 setBreakpoints {{"source": {{"path": "/a.py"}}, "lines": [3]}}
        << backend request 5 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": [{{"line": 3}}, {AGENTS}]}}
        """
    )


def test_other_files_and_links_to_the_same_one_are_left_alone():
    merged().play(
        """
        >> client request 7 setBreakpoints {"source": {"path": "/A.py"}, "breakpoints": [{"line": 3}]}
        << backend request 5 setBreakpoints {"source": {"path": "/A.py"}, "breakpoints": [{"line": 3}]}
        >> client request 8 setBreakpoints {"source": {"sourceReference": 4}, "breakpoints": [{"line": 3}]}
        << backend request 6 setBreakpoints {"source": {"sourceReference": 4}, "breakpoints": [{"line": 3}]}
        """
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [(2, "a breakpoint of the user"), (9, "a breakpoint of the user, with the condition y")],
)
def test_on_the_users_line_no_second_breakpoint_is_set_and_the_agent_is_told(line, told):
    with_users(acting()).play(
        f"""
        >> agent act dap-ai-ask-1 1 2 SetBreakpoint {{"file": "/a.py", "line": {line}, "condition": "z"}}
        << settled 1 done {{"result": "there is {told} on this line; it stays as it is"}}
        """
    )


def test_a_stop_names_the_users_breakpoints_as_the_user_knows_them():
    merged().play(
        """
        >> backend event stopped {"reason": "breakpoint", "threadId": 1, "hitBreakpointIds": [12, 13]}
        << client event stopped {"reason": "breakpoint", "threadId": 1, "hitBreakpointIds": [2]}
        """
    )


def test_two_asks_on_one_line_share_a_breakpoint_until_both_have_ended():
    play = merged()
    play.play(
        """
        >> client request 7 ask {}
        << client response 7 ask ok ...
        << start dap-ai-ask-2 ...
        >> agent act dap-ai-ask-2 2 2 SetBreakpoint {"file": "/a.py", "line": 5}
        << backend request 5 setBreakpoints ...
        >> backend response 5 setBreakpoints ok {"breakpoints": [{"id": 11}, {"id": 12}, {"id": 13, "verified": true}]}
        << settled 2 done {"result": "set there"}
        """
    )
    lines = shown(play, "agent ended dap-ai-ask-1")
    sent = json.loads(lines[-1].removeprefix("backend request 6 setBreakpoints "))
    assert sent["breakpoints"][2:] == [{"line": 5}]
    lines = shown(play, "agent ended dap-ai-ask-2")
    sent = json.loads(lines[-1].removeprefix("backend request 7 setBreakpoints "))
    assert sent["breakpoints"][2:] == []


def test_breakpoints_die_with_the_program_and_are_not_taken_away():
    merged().play(
        """
        >> backend event terminated {}
        << client event terminated
        >> agent ended dap-ai-ask-1
        << client event askEnded ...
        """
    )


def test_breakpoints_are_taken_away_before_a_program_that_lives_on_is_left():
    lines = shown(merged(), 'client request 7 disconnect {"terminateDebuggee": false}')
    assert [line.split()[3] for line in lines if line.startswith("backend")] == ["setBreakpoints", "disconnect"]


TO_7 = 'agent act dap-ai-ask-1 1 2 ContinueTo {"file": "/a.py", "line": 7}'


def test_continue_to_a_line_sets_a_breakpoint_until_the_next_stop():
    acting().play(
        f"""
        >> {TO_7}
        << backend request 3 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": [{{"line": 7}}]}}
        >> backend response 3 setBreakpoints ok {{"breakpoints": [{{"id": 1, "verified": true, "line": 7}}]}}
        << backend request 4 continue {{"threadId": 1}}
        >> backend response 4 continue ok {{"allThreadsContinued": true}}
        << client event continued ...
        >> backend event stopped {{"reason": "exception", "threadId": 1}}
        << client event stopped ...
        << backend request 5 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": []}}
        << settled 1 done {{"stop": {{"epoch": 4, "thread": 1}}}}
        """
    )


def test_a_user_who_takes_over_does_not_stop_where_the_agent_wanted_to():
    acting().play(
        f"""
        >> {TO_7}
        << backend request 3 setBreakpoints ...
        >> backend response 3 setBreakpoints ok {{"breakpoints": [{{"id": 1, "verified": true}}]}}
        << backend request 4 continue ...
        >> backend response 4 continue ok {{}}
        << client event continued ...
        >> client request 6 pause {{"threadId": 1}}
        << agent 1 error notStopped
        << backend request 5 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": []}}
        << backend request 6 pause {{"threadId": 1}}
        """
    )


def test_continue_to_a_line_where_nothing_can_stop_does_not_let_the_program_go():
    acting().play(
        f"""
        >> {TO_7}
        << backend request 3 setBreakpoints ...
        >> backend response 3 setBreakpoints ok {{"breakpoints": [{{"id": 1, "verified": false}}]}}
        << backend request 4 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": []}}
        << agent 1 error notSet
        """
    )


def test_continue_to_a_line_of_the_users_own_breakpoint_needs_no_other():
    with_users(acting()).play(
        f"""
        >> {TO_7.replace("7}", "9}")}
        << backend request 4 continue {{"threadId": 1}}
        >> backend response 4 continue ok {{}}
        << client event continued ...
        {STOPPED}
        << settled 1 done {{"result": "there is a breakpoint of the user, with the condition y on this line", "stop": {{"epoch": 4, "thread": 1}}}}
        """
    )


def test_a_user_who_resumes_before_the_breakpoint_is_set_has_resumed():
    acting().play(
        f"""
        >> {TO_7}
        << backend request 3 setBreakpoints ...
        >> client request 6 next {{"threadId": 1}}
        << backend request 4 setBreakpoints {{"source": {{"path": "/a.py"}}, "breakpoints": []}}
        << backend request 5 next {{"threadId": 1}}
        >> backend response 3 setBreakpoints ok {{"breakpoints": [{{"id": 1, "verified": true}}]}}
        << agent 1 error notStopped
        {STOPPED}
        """
    )


# -- evaluating and assigning -------------------------------------------------------------------------------------------

EXECUTE = 'agent act dap-ai-ask-1 1 2 Execute {"expression": "x.pop()", "frame_id": 3}'
ASSIGN = 'agent act dap-ai-ask-1 1 2 SetVariable {"expression": "x", "value": "5", "frame_id": 3}'


def test_output_that_comes_while_the_agents_evaluation_runs_is_marked_and_not_held_back():
    acting().play(
        f"""
        >> backend event output {{"output": "before"}}
        << client event output {{"output": "before"}}
        >> {EXECUTE}
        << backend request 3 evaluate ...
        >> backend event output {{"output": "popped"}}
        << client event output {{"dapAiAgent": true, "output": "popped"}}
        >> backend response 3 evaluate ok {{"result": "4"}}
        << settled 1 done ...
        >> backend event output {{"output": "after"}}
        << client event output {{"output": "after"}}
        """
    )


def test_an_expression_is_evaluated_in_the_program_and_the_client_reads_anew():
    acting(initialize="supportsInvalidatedEvent").play(
        f"""
        >> {EXECUTE}
        << backend request 3 evaluate {{"expression": "x.pop()", "frameId": 3, "context": "repl"}}
        >> backend response 3 evaluate ok {{"result": "4"}}
        << client event invalidated {{"areas": ["all"]}}
        << settled 1 done {{"result": "4"}}
        """
    )


def test_a_client_that_does_not_know_invalidated_does_not_get_it():
    acting().play(
        f"""
        >> {EXECUTE}
        << backend request 3 evaluate ...
        >> backend response 3 evaluate fail NameError
        << agent 1 error NameError
        """
    )


def test_an_expression_that_fails_may_have_changed_something():
    acting(initialize="supportsInvalidatedEvent").play(
        f"""
        >> {EXECUTE}
        << backend request 3 evaluate ...
        >> backend response 3 evaluate fail NameError
        << client event invalidated ...
        << agent 1 error NameError
        """
    )


def test_an_expression_that_does_not_come_back_is_given_up_and_said_to_run_on():
    play = acting()
    play.play(f">> {EXECUTE}\n<< backend request 3 evaluate ...")
    effects = play.session.receive(play.event("fired slots.request"))
    error = next(effect.error for effect in effects if hasattr(effect, "error"))
    assert error.message == "timeout"
    assert "may still be running" in error.user_text
    play.play(
        """
        >> backend response 3 evaluate ok {"result": "late"}
        >> client request 6 threads
        << backend request 4 threads
        """
    )


def test_an_expression_waits_behind_the_editors_own_requests():
    acting().play(
        f"""
        >> client request 6 stackTrace {{"threadId": 1}}
        << backend request 3 stackTrace ...
        >> {EXECUTE}
        >> backend response 3 stackTrace ok {{"stackFrames": []}}
        << client response 6 stackTrace ok ...
        >> fired slots.quiet
        << backend request 4 evaluate ...
        """
    )


def test_an_expression_that_was_not_sent_when_the_user_resumes_is_not_evaluated():
    acting(initialize="supportsInvalidatedEvent").play(
        f"""
        >> client request 6 stackTrace {{"threadId": 1}}
        << backend request 3 stackTrace ...
        >> {EXECUTE}
        >> client request 7 continue {{"threadId": 1}}
        << backend request 4 continue ...
        << agent 1 error notStopped
        """
    )


def test_an_ask_that_ends_before_its_expression_was_sent_does_not_send_it():
    play = acting()
    play.play(
        f"""
        >> client request 6 stackTrace {{"threadId": 1}}
        << backend request 3 stackTrace ...
        >> {EXECUTE}
        """
    )
    assert "agent 1 error cancelled" in shown(play, 'client request 7 cancel {"progressId": "dap-ai-ask-1"}')
    play.play(
        """
        >> backend response 3 stackTrace ok {"stackFrames": []}
        << client response 6 stackTrace ok ...
        >> fired slots.quiet
        """
    )


def test_a_variable_is_set_by_its_expression_where_the_adapter_can():
    acting('{"supportsSetExpression": true}').play(
        f"""
        >> {ASSIGN}
        << backend request 3 setExpression {{"expression": "x", "value": "5", "frameId": 3}}
        >> backend response 3 setExpression ok {{"value": "5"}}
        << settled 1 done {{"result": "5"}}
        """
    )


def test_else_a_plain_local_is_set_in_its_scope():
    acting('{"supportsSetVariable": true}', initialize="supportsInvalidatedEvent").play(
        f"""
        >> {ASSIGN}
        << backend request 3 scopes {{"frameId": 3}}
        >> backend response 3 scopes ok {{"scopes": [{{"name": "G", "variablesReference": 8}}, {{"name": "L", "presentationHint": "locals", "variablesReference": 9}}]}}
        << backend request 4 setVariable {{"variablesReference": 9, "name": "x", "value": "5"}}
        >> backend response 4 setVariable ok {{"value": "5"}}
        << client event invalidated ...
        << settled 1 done {{"result": "5"}}
        """
    )


@pytest.mark.parametrize(
    ("capabilities", "expression", "outcome"),
    [("{}", "x", ["backend request 3 scopes"]), ("{}", "x.y", ["agent 1 error notSupported"])],
)
def test_what_an_adapter_cannot_set_is_said(capabilities, expression, outcome):
    lines = shown(acting(capabilities), ASSIGN.replace('"x"', f'"{expression}"'))
    assert [line.partition(" {")[0] for line in lines] == outcome


def test_an_adapter_that_never_announced_setting_variables_is_not_asked_to():
    acting().play(
        f"""
        >> {ASSIGN}
        << backend request 3 scopes {{"frameId": 3}}
        >> backend response 3 scopes ok {{"scopes": [{{"name": "L", "variablesReference": 9}}]}}
        << agent 1 error notSupported
        """
    )


@pytest.mark.parametrize("response", ["ok {}", 'ok {"scopes": []}', "fail no"])
def test_a_frame_without_scopes_is_an_error(response):
    play = acting('{"supportsSetVariable": true}')
    shown(play, ASSIGN)
    (line,) = shown(play, f"backend response 3 scopes {response}")
    assert line.startswith("agent 1 error")
