"""A session whose program stands still while its client looks at the past: a copy is run again, here by the test."""

from tests.playbook import Playbook, Rules
from tests.unit.adapter.test_session_passthrough import stopped

ROWS = '"codes": [["/a.py", "<module>"]], "steps": [0, 1, 1, 0, 2, 1, 0, 3, 1, 0, 4, 1]'
RECALLED = f'{{"count": 4, "depth": 1, {ROWS}}}'
PART = '{"name": "x", "value": "[1]", "type": "list", "parts": 1}'
WELCOME = "<< client event output ..."
PAST = "a moment in the past, in a copy of the program"
SHOWN = f'{{"reason": "step", "threadId": 1, "allThreadsStopped": true, "description": "{PAST}", "dapAiPast": true}}'
FIRST = 1 << 30


def moment(line: int) -> str:
    frames = f'"frames": [{{"function": "<module>", "file": "/a.py", "line": {line}}}]'
    return f'{{{frames}, "seen": [{{"parts": [{PART}]}}]}}'


def at_breakpoint() -> Playbook:
    """Stopped in line 4; the client has heard that it may go back."""
    rules = Rules()
    play = stopped(Playbook(rules))
    rules.runs_again = True
    play.play(
        """
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued ...
        >> backend event stopped {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true}
        << client event capabilities {"capabilities": {"supportsStepBack": true}}
        << client event stopped ...
        """
    )
    return play


def in_the_past() -> Playbook:
    play = at_breakpoint()
    play.play(
        f"""
        >> client request 5 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(3)}
        << client response 5 stepBack ok {{}}
        {WELCOME}
        << client event stopped {SHOWN}
        """
    )
    return play


def test_a_step_back_shows_the_moment_before_and_nothing_is_sent_to_the_program() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 stackTrace {{"threadId": 1}}
        << client response 6 stackTrace ok {{"stackFrames": [{{"id": {FIRST}, "name": "<module>", "line": 3, "column": 1, "source": {{"name": "a.py", "path": "/a.py"}}}}], "totalFrames": 1}}
        >> client request 7 scopes {{"frameId": {FIRST}}}
        << client response 7 scopes ok {{"scopes": [{{"name": "Locals", "variablesReference": {FIRST + 1}, "expensive": false}}, {{"name": "Globals", "variablesReference": {FIRST + 2}, "expensive": true}}]}}
        >> client request 8 variables {{"variablesReference": {FIRST + 1}}}
        << client response 8 variables ok {{"variables": [{{"name": "x", "value": "[1]", "type": "list", "variablesReference": {FIRST + 3}}}]}}
        >> client request 9 variables {{"variablesReference": {FIRST + 3}}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"path": [0]}}]}}
        >> looked dap-ai-ask-1 rewound {moment(3)}
        << client response 9 variables ok ...
        >> client request 10 evaluate {{"frameId": {FIRST}, "expression": "x", "context": "watch"}}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{"root": "=x"}}]}}
        >> looked dap-ai-ask-1 rewound {{"seen": [{{"error": "NameError: x"}}]}}
        << client response 10 evaluate fail evaluationFailed ...
        """
    )  # fmt: skip


def test_what_would_change_something_is_refused_and_continue_returns_to_the_present() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 setVariable {{"variablesReference": {FIRST + 1}, "name": "x", "value": "2"}}
        << client response 6 setVariable fail notSupported ...
        >> client request 7 goto {{"threadId": 1, "targetId": 2}}
        << client response 7 goto fail notSupported ...
        >> client request 8 continue {{"threadId": 1}}
        << client response 8 continue ok {{"allThreadsContinued": false}}
        << client event stopped {{"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}}
        >> client request 9 scopes {{"frameId": {FIRST}}}
        << client response 9 scopes fail staleReference ...
        >> client request 10 next {{"threadId": 1}}
        << backend request 3 next {{"threadId": 1}}
        << cancel dap-ai-ask-1
        """
    )


def test_what_another_thread_and_a_frame_of_the_present_are_asked_goes_to_the_program() -> None:
    in_the_past().play(
        """
        >> client request 6 stackTrace {"threadId": 2}
        << backend request 3 stackTrace {"threadId": 2}
        >> client request 7 scopes {"frameId": 1000}
        << backend request 4 scopes {"frameId": 1000}
        """
    )


def test_requests_that_come_during_a_run_wait_for_it_and_move_nothing() -> None:
    play = at_breakpoint()
    play.play(
        f"""
        >> client request 5 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1
        >> client request 6 stepBack {{"threadId": 1}}
        >> client request 7 continue {{"threadId": 1}}
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(3)}
        << client response 5 stepBack ok {{}}
        {WELCOME}
        << client event stopped {SHOWN}
        << look dap-ai-ask-1 {{"at": 2, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(2)}
        << client response 6 stepBack ok {{}}
        << client event stopped {SHOWN}
        << client response 7 continue ok {{"allThreadsContinued": false}}
        << client event stopped {{"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}}
        """
    )


def test_a_pause_ends_the_run_under_way_and_what_waits_for_it_and_shows_the_present() -> None:
    play = in_the_past()
    play.play(
        """
        >> client request 6 stepBack {"threadId": 1}
        << look dap-ai-ask-1 {"at": 2, "looks": [{}]}
        >> client request 7 stepBack {"threadId": 1}
        >> client request 8 pause {"threadId": 1}
        << cancel dap-ai-ask-1
        << client response 6 stepBack fail staleReference ...
        << client response 7 stepBack fail staleReference ...
        << client response 8 pause ok {}
        << client event stopped {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}
        >> client request 9 next {"threadId": 1}
        << backend request 3 next {"threadId": 1}
        """
    )


def test_a_program_that_cannot_be_run_again_says_why() -> None:
    at_breakpoint().play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << look dap-ai-ask-1
        >> looked dap-ai-ask-1 why No step back here: it reads input.
        << client response 5 stepBack fail noPast {"error": {"format": "{why}", "id": 9028, "showUser": true, "variables": {"why": "No step back here: it reads input."}}}
        << cancel dap-ai-ask-1
        >> client request 6 next {"threadId": 1}
        << backend request 3 next {"threadId": 1}
        """
    )  # fmt: skip


def test_a_run_that_comes_to_another_line_is_not_shown() -> None:
    at_breakpoint().play(
        f"""
        >> client request 5 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(2)}
        << client response 5 stepBack fail noPast ...
        """
    )


def test_the_past_ends_with_the_stop_whoever_ends_it() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 variables {{"variablesReference": {FIRST}}}
        << client response 6 variables fail staleReference ...
        >> client request 7 evaluate {{"frameId": {FIRST}, "expression": "x", "context": "watch"}}
        << look dap-ai-ask-1 ...
        >> backend event continued {{"threadId": 1, "allThreadsContinued": true}}
        << client event continued ...
        << cancel dap-ai-ask-1
        << client response 7 evaluate fail staleReference ...
        >> looked dap-ai-ask-1 rewound {moment(3)}
        """
    )


def test_back_to_the_breakpoint_before_and_forward_to_the_one_after() -> None:
    play = at_breakpoint()
    play.play(
        """
        >> client request 4 setBreakpoints {"source": {"path": "/a.py"}, "breakpoints": [{"line": 2, "condition": "x"}, {"line": 3, "logMessage": "x"}]}
        << backend request 3 setBreakpoints ...
        >> backend response 3 setBreakpoints ok {"breakpoints": []}
        << client response 4 setBreakpoints ok ...
        """
    )  # fmt: skip
    halts = '"halts": [{"file": "/a.py", "line": 2, "condition": "x"}]'
    hit = SHOWN.replace('"step"', '"breakpoint"')
    play.play(
        f"""
        >> client request 5 reverseContinue {{"threadId": 1}}
        << look dap-ai-ask-1
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 {{"until": 4, {halts}}}
        >> looked dap-ai-ask-1 rewound {{"count": 4, "hit": 2}}
        << look dap-ai-ask-1 {{"at": 2, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(2)}
        << client response 5 reverseContinue ok {{}}
        {WELCOME}
        << client event stopped {hit}
        >> client request 6 continue {{"threadId": 1}}
        << look dap-ai-ask-1 {{"until": 4, "after": 2, {halts}}}
        >> looked dap-ai-ask-1 rewound {{"count": 4}}
        << client response 6 continue ok {{"allThreadsContinued": false}}
        << client event stopped {{"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}}
        """
    )


def test_a_question_about_a_frame_of_the_past_is_answered_about_the_present_and_says_so() -> None:
    in_the_past().play(
        f"""
        >> client request 6 ask {{"question": "why?", "frameId": {FIRST}}}
        << client response 6 ask ok ...
        << start dap-ai-ask-2 thread 1 epoch 4
        << client event askOutput {{"askId": "dap-ai-ask-2", "category": "status", "output": "about the present: a moment in the past is only looked at"}}
        """
    )  # fmt: skip


def test_an_adapter_that_cannot_be_run_again_announces_nothing_and_steps_back_itself_if_it_says_so() -> None:
    stopped(Playbook()).play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << client response 5 stepBack fail notSupported ...
        """
    )
    stopped(Playbook(Rules(runs_again=True)), '{"supportsStepBack": true}').play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << backend request 3 stepBack {"threadId": 1}
        """
    )


def test_back_without_a_breakpoint_leads_to_the_start_and_no_further() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 reverseContinue {{"threadId": 1}}
        << look dap-ai-ask-1 {{"at": 1, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(1)}
        << client response 6 reverseContinue ok {{}}
        << client event stopped {SHOWN}
        >> client request 7 stepBack {{"threadId": 1}}
        << client response 7 stepBack fail noPast ...
        >> client request 8 reverseContinue {{"threadId": 1}}
        << client response 8 reverseContinue fail noPast ...
        >> client request 9 stackTrace {{"threadId": 1, "startFrame": 1, "levels": 1}}
        << client response 9 stackTrace ok {{"stackFrames": [], "totalFrames": 1}}
        """
    )


def test_a_pause_before_anything_of_the_past_is_shown_leaves_the_client_where_it_stands() -> None:
    at_breakpoint().play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << look dap-ai-ask-1
        >> client request 6 pause {"threadId": 1}
        << cancel dap-ai-ask-1
        << client response 5 stepBack fail staleReference ...
        << client response 6 pause ok {}
        """
    )


def test_a_pause_at_the_first_moment_shows_the_present() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 reverseContinue {{"threadId": 1}}
        << look dap-ai-ask-1 {{"at": 1, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(1)}
        << client response 6 reverseContinue ok {{}}
        << client event stopped {SHOWN}
        >> client request 7 next {{"threadId": 1}}
        << look dap-ai-ask-1 {{"at": 2, "looks": [{{}}]}}
        >> client request 8 pause {{"threadId": 1}}
        << cancel dap-ai-ask-1
        << client response 7 next fail staleReference ...
        << client response 8 pause ok {{}}
        << client event stopped {{"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}}
        """
    )


def test_a_pause_in_the_past_changes_nothing() -> None:
    in_the_past().play(
        """
        >> client request 6 pause {"threadId": 1}
        << client response 6 pause ok {}
        """
    )


def test_what_waited_for_a_run_that_a_pause_has_ended_is_answered_once() -> None:
    play = in_the_past()
    play.play(
        f"""
        >> client request 6 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1 ...
        >> client request 7 stepBack {{"threadId": 1}}
        >> client request 8 pause {{"threadId": 1}}
        << cancel dap-ai-ask-1
        << client response 6 stepBack fail staleReference ...
        << client response 7 stepBack fail staleReference ...
        << client response 8 pause ok {{}}
        << client event stopped ...
        >> client request 9 stepBack {{"threadId": 1}}
        << look dap-ai-ask-2
        >> looked dap-ai-ask-2 recalled {RECALLED}
        << look dap-ai-ask-2 {{"at": 3, "looks": [{{}}]}}
        >> looked dap-ai-ask-2 rewound {moment(3)}
        << client response 9 stepBack ok {{}}
        << client event stopped {SHOWN}
        """
    )


def test_a_run_may_read_the_program_until_it_is_ended() -> None:
    at_breakpoint().play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << look dap-ai-ask-1
        >> agent request dap-ai-ask-1 1 4 threads {}
        << backend request 3 threads {}
        >> agent request dap-ai-ask-1 2 4 modules {}
        << agent 2 error notSupported
        >> agent request dap-ai-ask-1 3 4 scopes {"frameId": 1}
        >> client request 6 pause {"threadId": 1}
        << cancel dap-ai-ask-1
        << agent 3 error cancelled
        << client response 5 stepBack fail staleReference ...
        << client response 6 pause ok {}
        >> agent request dap-ai-ask-1 4 4 threads {}
        << agent 4 error notStopped
        """
    )


def test_the_end_of_a_run_ends_its_copy() -> None:
    at_breakpoint().play(
        """
        >> client request 5 stepBack {"threadId": 1}
        << look dap-ai-ask-1
        >> agent job dap-ai-ask-1 TOKEN 4
        >> client request 6 pause {"threadId": 1}
        << cancel dap-ai-ask-1
        << backend request 3 evaluate {"kill": "TOKEN"}
        << client response 5 stepBack fail staleReference ...
        << client response 6 pause ok {}
        """
    )
