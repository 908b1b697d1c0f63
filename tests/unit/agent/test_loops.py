"""A program that was paused: the loop that it is in is called one, with its rounds and with what cannot change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.agent.harness import Stopped, ask, context, fail

COUNTS = """\
def drain(limit):
    done = 0
    rounds = 0
    while done < limit:
        rounds += 1
        1 / (150_000 - rounds)  # here
    return done


drain(3)
"""
PASSES = """\
def grow():
    x = 0.0
    n = 0
    while x != 1.0:
        x += 0.3
        n += 1
        1 / (3_000 - n)  # here


grow()
"""
RANGE = """\
def walk(rows):
    for number in range(10, 1_000_000, 2):
        if number == 500_000:
            1 / 0  # here


walk([])
"""
FOREVER = """\
def serve(jobs):
    served = 0
    while True:
        served += 1
        served / (150_000 - served)  # here


serve([])
"""
ENDS = """\
def search(todo):
    while todo:
        todo.pop()
        1 / len(todo)  # here


search([1, 2, 3])
"""


def paused(folder: Path, text: str) -> Stopped:
    program = folder / "hang.py"
    program.write_text(text)
    stopped = fail(program)
    stopped.error, stopped.reason = None, "pause"
    return stopped


def told(folder: Path, text: str) -> str:
    return ask(paused(folder, text), "Why does it hang?")[0].text


def test_a_loop_whose_condition_nothing_changes_is_called_endless_with_its_rounds(tmp_path):
    answer, _ = ask(paused(tmp_path, COUNTS), "Why does it hang?")
    text = answer.text
    assert text.startswith("**An endless loop.** The program is in `while done < limit:` at `hang.py:4`, in `drain`")
    assert "in round 150,000, as `rounds` counts" in text
    assert "Nothing in its body changes `done` and `limit`, so it cannot end by itself." in text
    assert "it cannot end by itself. `done` is `0`; `limit` is `3`." in text
    assert (Path(answer.suspects[0].file).name, answer.suspects[0].line) == ("hang.py", 4)
    assert "**Recommendation.** Let something in the body of the loop at `hang.py:4` change" in text


def test_a_loop_that_has_missed_its_end_says_so(tmp_path):
    text = told(tmp_path, PASSES)
    assert text.startswith("**An endless loop.**")
    assert "`x` has gone past 1.0 without being equal to it, so `x != 1.0` stays true." in text
    assert "in round 3,000" in text


def test_a_long_range_says_how_far_it_has_come(tmp_path):
    text = told(tmp_path, RANGE)
    assert text.startswith("**A long loop.**")
    assert "in round 249,996 of 499,995, as `number` counts" in text


def test_a_loop_without_any_end_is_called_one(tmp_path):
    text = told(tmp_path, FOREVER)
    assert text.startswith("**An endless loop.**")
    assert "Nothing in its body ends it" in text


def test_a_loop_that_makes_progress_is_not_called_endless(tmp_path):
    text = told(tmp_path, ENDS)
    assert text.startswith("**In a loop.**")
    assert "`todo` is `[]`, which line 3 changes." in text


def test_a_model_is_told_of_it(tmp_path):
    assert "An endless loop." in context(paused(tmp_path, FOREVER))


@pytest.mark.parametrize("reason", ["exception", "breakpoint", "step"])
def test_at_other_stops_no_loop_is_told(tmp_path, reason):
    stopped = paused(tmp_path, ENDS)
    stopped.reason = reason
    assert "In a loop" not in ask(stopped)[0].text
