"""Moves between moments of the past: over, into and out of calls, beyond the moments that are known, to the present.

The runs of the copy are here the test's. Moment n is line n of the program.
"""

from __future__ import annotations

import json

import pytest

from dap_ai.adapter.state.effects import LookedBack
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewind, Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from tests.playbook import Playbook
from tests.unit.adapter.test_past import RECALLED, SHOWN, WELCOME, at_breakpoint, in_the_past, moment

CALL = range(3, 6)
"""The moments of a short run that are in a call."""
LONG_CALL = range(3000, 8999)
"""The moments of a run of 9000 moments that are in a call."""
PRESENT = '{"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true, "dapAiPast": false}'
HALTS = '"halts": [{"file": "/a.py", "line": 2}]'


def window(first: int, last: int, call: range = CALL) -> str:
    """What a run of the copy says that has gone to `last` and has kept what lies from `first`."""
    steps = [part for n in range(first, last + 1) for part in (int(n in call), n, 1 + (n in call))]
    codes = [["/a.py", "<module>"], ["/a.py", "called"]]
    return json.dumps({"count": last, "first": first, "depth": 1, "codes": codes, "steps": steps})


def at(line: int, call: range = CALL) -> str:
    """What a run of the copy says that has gone to this moment."""
    function = "called" if line in call else "<module>"
    return json.dumps({"frames": [{"function": function, "file": "/a.py", "line": line}], "seen": [{}]})


def go(play: Playbook, seq: int, command: str, runs: str, to: int, *, call: range = CALL, first: bool = False) -> None:
    """A move that shows the moment `to`, after these runs of the copy."""
    play.play(
        f"""
        >> client request {seq} {command}
        {runs}
        << look dap-ai-ask-1 {{"at": {to}, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {at(to, call)}
        << client response {seq} {command.split(maxsplit=1)[0]} ok {{}}
        {WELCOME if first else ""}
        << client event stopped {SHOWN}
        """
    )


def recalled(window_told: str) -> str:
    return f"<< look dap-ai-ask-1\n>> looked dap-ai-ask-1 recalled {window_told}"


def back_over_the_call() -> Playbook:
    """In moment 2, whose line calls a function; the program stands in moment 8."""
    play = at_breakpoint()
    go(play, 5, 'stepBack {"threadId": 1}', recalled(window(1, 8)), 7, first=True)
    go(play, 6, 'stepBack {"threadId": 1}', "", 6)
    go(play, 7, 'stepBack {"threadId": 1}', "", 2)
    return play


def before_the_long_call() -> Playbook:
    """In moment 2999 of 9000, before a call of which only the end was known."""
    play = at_breakpoint()
    go(play, 5, 'stepBack {"threadId": 1}', recalled(window(8999, 9000, LONG_CALL)), 8999, call=LONG_CALL, first=True)
    runs = f"""
        << look dap-ai-ask-1 {{"until": 8999, "most_calls": 1}}
        >> looked dap-ai-ask-1 rewound {{"count": 8999, "hit": 2999}}
        << look dap-ai-ask-1 {{"until": 5999}}
        >> looked dap-ai-ask-1 rewound {window(2990, 5999, LONG_CALL)}
        """
    go(play, 6, 'stepBack {"threadId": 1}', runs, 2999, call=LONG_CALL)
    return play


def with_a_breakpoint(play: Playbook) -> Playbook:
    play.play(
        """
        >> client request 4 setBreakpoints {"source": {"path": "/a.py"}, "breakpoints": [{"line": 2}]}
        << backend request 3 setBreakpoints ...
        >> backend response 3 setBreakpoints ok {"breakpoints": []}
        << client response 4 setBreakpoints ok ...
        """
    )
    return play


def test_steps_forward_go_into_a_call_through_it_and_out_of_it() -> None:
    play = back_over_the_call()
    go(play, 8, 'stepIn {"threadId": 1}', "", 3)
    go(play, 9, 'next {"threadId": 1}', "", 4)
    go(play, 10, 'stepOut {"threadId": 1}', "", 6)


def test_a_step_back_into_calls_that_have_returned_shows_their_last_line() -> None:
    play = back_over_the_call()
    go(play, 8, 'next {"threadId": 1}', "", 6)
    go(play, 9, 'stepBack {"threadId": 1, "dapAiInto": true}', "", 5)


@pytest.mark.parametrize("step", ["stepOut", "continue"])
def test_a_move_that_nothing_in_the_past_ends_returns_to_the_present(step: str) -> None:
    words = '{"allThreadsContinued": false}' if step == "continue" else "{}"
    back_over_the_call().play(
        f"""
        >> client request 8 {step} {{"threadId": 1}}
        << client response 8 {step} ok {words}
        << client event stopped {PRESENT}
        """
    )


def test_a_step_back_over_a_call_finds_its_caller_beyond_the_moments_that_are_known() -> None:
    go(before_the_long_call(), 7, 'stepIn {"threadId": 1}', "", 3000, call=LONG_CALL)


def test_a_step_back_to_which_the_copy_finds_no_line_shows_where_the_program_begins() -> None:
    play = at_breakpoint()
    go(play, 5, 'stepBack {"threadId": 1}', recalled(window(7, 8)), 7, first=True)
    runs = f"""
        << look dap-ai-ask-1 {{"until": 7, "most_calls": 1}}
        >> looked dap-ai-ask-1 rewound {{"count": 7}}
        << look dap-ai-ask-1 {{"until": 8}}
        >> looked dap-ai-ask-1 rewound {window(1, 8)}
        """
    go(play, 6, 'stepBack {"threadId": 1}', runs, 1)


def test_a_step_back_into_a_call_fetches_the_moment_before_the_first_that_is_known() -> None:
    play = at_breakpoint()
    go(play, 5, 'stepBack {"threadId": 1}', recalled(window(6, 8)), 7, first=True)
    go(play, 6, 'stepBack {"threadId": 1}', "", 6)
    runs = f'<< look dap-ai-ask-1 {{"until": 8}}\n>> looked dap-ai-ask-1 rewound {window(1, 8)}'
    go(play, 7, 'stepBack {"threadId": 1, "dapAiInto": true}', runs, 5)


def test_a_step_out_finds_its_caller_beyond_the_moments_that_are_known() -> None:
    play = before_the_long_call()
    go(play, 7, 'stepIn {"threadId": 1}', "", 3000, call=LONG_CALL)
    runs = f"""
        << look dap-ai-ask-1 {{"until": 9000, "after": 3000, "most_calls": 1}}
        >> looked dap-ai-ask-1 rewound {{"count": 8999, "hit": 8999}}
        << look dap-ai-ask-1 {{"until": 9000}}
        >> looked dap-ai-ask-1 rewound {window(8000, 9000, LONG_CALL)}
        """
    go(play, 8, 'stepOut {"threadId": 1}', runs, 8999, call=LONG_CALL)


def test_a_step_out_to_which_the_copy_finds_no_line_returns_to_the_present() -> None:
    play = before_the_long_call()
    go(play, 7, 'stepIn {"threadId": 1}', "", 3000, call=LONG_CALL)
    play.play(
        f"""
        >> client request 8 stepOut {{"threadId": 1}}
        << look dap-ai-ask-1 {{"until": 9000, "after": 3000, "most_calls": 1}}
        >> looked dap-ai-ask-1 rewound {{"count": 9000}}
        << client response 8 stepOut ok {{}}
        << client event stopped {PRESENT}
        """
    )


@pytest.mark.parametrize(("first", "last"), [(1, 1), (3, 8)])
def test_a_run_that_does_not_come_to_the_moment_says_that_the_program_does_something_else(
    first: int, last: int
) -> None:
    play = at_breakpoint()
    go(play, 5, 'stepBack {"threadId": 1}', recalled(window(7, 8)), 7, first=True)
    play.play(
        f"""
        >> client request 6 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1 {{"until": 7, "most_calls": 1}}
        >> looked dap-ai-ask-1 rewound {{"count": 7, "hit": 2}}
        << look dap-ai-ask-1 {{"until": 8}}
        >> looked dap-ai-ask-1 rewound {window(first, last)}
        << client response 6 stepBack fail noPast {{"error": {{"format": "{{why}}", "id": 9028, "showUser": true, "variables": {{"why": "No step back here: the program does something else each time that it is run."}}}}}}
        """
    )  # fmt: skip


def test_from_the_past_back_to_the_breakpoint_before_the_copy_runs_to_the_moment_that_is_shown() -> None:
    play = with_a_breakpoint(at_breakpoint())
    go(play, 5, 'stepBack {"threadId": 1}', recalled(RECALLED), 3, call=range(0), first=True)
    play.play(
        f"""
        >> client request 6 reverseContinue {{"threadId": 1}}
        << look dap-ai-ask-1 {{"until": 3, {HALTS}}}
        """
    )


def test_where_the_program_stands_within_a_line_a_run_to_the_present_ends_as_the_program_stopped() -> None:
    play = with_a_breakpoint(at_breakpoint())
    play.play('>> client request 5 reverseContinue {"threadId": 1}\n<< look dap-ai-ask-1')
    to_stop = SnapshotQuery(1, rewind=Rewind(to_stop=True, at_line=True, until=9))
    event = LookedBack("dap-ai-ask-1", Recalled(to_stop, "it", Rewound(4, depth=1), within=True))
    (run,) = map(play.render, play.session.receive(event))
    assert run == 'look dap-ai-ask-1 {"at_line": true, "halts": [{"file": "/a.py", "line": 2}], "to_stop": true}'


def test_the_moves_of_another_thread_wait_until_the_past_is_left() -> None:
    in_the_past().play(
        """
        >> client request 6 next {"threadId": 2}
        << client response 6 next fail noPast {"error": {"format": "{why}", "id": 9028, "showUser": true, "variables": {"why": "No step back here: thread 1 is shown in its past: `continue` it first."}}}
        """
    )  # fmt: skip


def test_a_thread_that_stopped_with_another_is_shown_as_paused_when_it_returns_to_the_present() -> None:
    play = at_breakpoint()
    play.play(
        f"""
        >> client request 5 stepBack {{"threadId": 2}}
        << look dap-ai-ask-1
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 ...
        >> looked dap-ai-ask-1 rewound {moment(3)}
        << client response 5 stepBack ok {{}}
        {WELCOME}
        << client event stopped ...
        >> client request 6 continue {{"threadId": 2}}
        << client response 6 continue ok ...
        << client event stopped {{"reason": "pause", "threadId": 2, "allThreadsStopped": true, "dapAiPast": false}}
        """
    )


def test_a_thread_that_runs_has_no_past() -> None:
    play = at_breakpoint()
    play.play(
        """
        >> backend event continued {"threadId": 1, "allThreadsContinued": true}
        << client event continued ...
        >> backend event stopped {"reason": "breakpoint", "threadId": 1}
        << client event stopped ...
        >> client request 5 stepBack {"threadId": 2}
        << client response 5 stepBack fail noPast {"error": {"format": "{why}", "id": 9028, "showUser": true, "variables": {"why": "No step back here: this thread is not stopped."}}}
        """
    )  # fmt: skip


def test_the_past_of_another_thread_is_found_out_anew() -> None:
    play = in_the_past()
    play.play(
        """
        >> client request 6 continue {"threadId": 1}
        << client response 6 continue ok ...
        << client event stopped ...
        >> client request 7 stepBack {"threadId": 2}
        << cancel dap-ai-ask-1
        << look dap-ai-ask-2
        """
    )


def test_a_step_that_waited_for_a_step_back_that_failed_moves_nothing() -> None:
    at_breakpoint().play(
        f"""
        >> client request 5 stepBack {{"threadId": 1}}
        << look dap-ai-ask-1
        >> client request 6 next {{"threadId": 1}}
        >> looked dap-ai-ask-1 recalled {RECALLED}
        << look dap-ai-ask-1 {{"at": 3, "looks": [{{}}]}}
        >> looked dap-ai-ask-1 rewound {moment(2)}
        << client response 5 stepBack fail noPast ...
        << client response 6 next ok {{}}
        << client event stopped {PRESENT}
        """
    )


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (SnapshotResult("deadline"), "there was no time to run the program again."),
        (SnapshotResult("failed: it reads input"), "it reads input."),
        (SnapshotResult("ok"), "no copy of the program could be made."),
        (None, "no copy of the program could be made."),
    ],
)
def test_a_run_that_comes_to_nothing_says_why(result: SnapshotResult | None, why: str) -> None:
    play = in_the_past()
    play.play('>> client request 6 stepBack {"threadId": 1}\n<< look dap-ai-ask-1 ...')
    (told,) = map(play.render, play.session.receive(LookedBack("dap-ai-ask-1", result=result)))
    assert told is not None
    assert told.startswith("client response 6 stepBack fail noPast")
    assert f'"why": "No step back here: {why}"' in told
