"""What a backend wants said before the program runs is done by then, and keeps nobody waiting for long."""

from __future__ import annotations

import pytest

from tests.playbook import Playbook, Rules


def greeted(*, timers: bool = False) -> Playbook:
    """A session whose adapter has just been greeted."""
    book = Playbook(Rules(greeting=("evaluate", {"expression": "cure"})))
    book.play("""
        >> backend event initialized
        << backend request 1 evaluate {"expression": "cure"}
        << client event initialized
    """)
    book.timers = timers
    return book


@pytest.mark.parametrize("answer", ["ok", "fail no"])
def test_the_program_goes_on_once_the_greeting_is_answered(answer):
    greeted().play(f"""
        >> client request 1 setBreakpoints {{"source": {{"path": "a"}}, "breakpoints": []}}
        << backend request 2 setBreakpoints {{"source": {{"path": "a"}}, "breakpoints": []}}
        >> client request 2 configurationDone
        >> client request 3 threads
        << backend request 3 threads
        >> backend response 1 evaluate {answer}
        << backend request 4 configurationDone
    """)


def test_the_answer_to_the_greeting_is_for_nobody():
    greeted().play("""
        >> backend response 1 evaluate ok {"result": "None"}
        >> client request 1 configurationDone
        << backend request 2 configurationDone
    """)


def test_a_greeting_that_nobody_answers_keeps_the_program_waiting_for_a_moment():
    greeted(timers=True).play("""
        >> client request 1 configurationDone
        >> fired session.greeting
        << untimer session.greeting
        << backend request 2 configurationDone
        >> backend response 1 evaluate ok
    """)


def test_a_client_that_leaves_waits_for_no_greeting():
    greeted().play("""
        >> client request 1 configurationDone
        >> client request 2 disconnect {}
        << backend request 2 disconnect {}
        << backend request 3 configurationDone
        >> backend response 2 disconnect ok
        << client response 1 configurationDone fail backendDied...
        << client response 2 disconnect ok
    """)


def test_what_waits_for_the_greeting_is_answered_when_the_adapter_dies():
    greeted().play("""
        >> client request 1 configurationDone
        >> backend closed crashed
        << client event output ...
        << client event terminated {}
        << client response 1 configurationDone fail backendDied...
    """)


def test_a_program_that_is_started_anew_is_greeted_anew():
    greeted().play("""
        >> backend response 1 evaluate ok
        >> client request 1 configurationDone
        << backend request 2 configurationDone
        >> backend event initialized
        << backend request 3 evaluate {"expression": "cure"}
        << client event initialized
        >> client request 2 configurationDone
        >> backend response 3 evaluate ok
        << backend request 4 configurationDone
    """)


def test_the_user_is_not_warned_that_the_greeting_takes_long():
    warning = '{"category": "important", "output": "Evaluating: x did not finish after 3.00 seconds."}'
    greeted().play(f"""
        >> backend event output {warning}
        >> backend response 1 evaluate ok
        >> backend event output {warning}
        << client event output ...
    """)
