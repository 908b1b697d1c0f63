"""A program that was paused: the loop that it is in is called one, with its rounds and with what cannot change."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.report.wording import ADVICE
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
    assert f"{ADVICE} Let something in the body of the loop at `hang.py:4` change" in text


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


RETRY = """\
PAGES = {1: "alpha", 2: None}


def fetch(number):
    return PAGES.get(number)


def backoff(attempt):
    1 / (150_000 - attempt)  # here
    return min(2 ** min(attempt, 8), 60)


def download(numbers):
    todo = list(numbers)
    waited = 0
    attempt = 0
    while todo:
        number = todo[0]
        text = fetch(number)
        if text is None:
            attempt += 1
            waited += backoff(attempt)
            continue
        todo.pop(0)
        attempt = 0
    return waited


download([1, 2])
"""


def test_a_retry_that_never_succeeds_is_called_endless_with_its_attempts(tmp_path):
    answer, _ = ask(paused(tmp_path, RETRY), "Why does it hang?")
    assert answer.text.startswith("**An endless loop.** The program is in `while todo:` at `hang.py:17`, in `download`")
    assert "in round at least 150,000, as `attempt` counts" in answer.text
    assert (
        "While `text is None`, each round goes back at the `continue` in line 23, before line 24 could change `todo`, "
        "and comes to the same again, so it cannot end by itself. `todo` is `[2]`; `text` is `None`."
    ) in answer.text
    assert (Path(answer.suspects[0].file).name, answer.suspects[0].line) == ("hang.py", 23)
    assert "before it continues at `hang.py:23`" in answer.text


@pytest.mark.parametrize(
    ("code", "instead"),
    [
        ("return PAGES.get(number)", "return PAGES.pop(number, None)"),
        ("return PAGES.get(number)", "return getattr(PAGES, 'get')(number)"),
        ("text = fetch(number)", "text = fetch(number + attempt)"),
        ("            attempt += 1", "            attempt, text = attempt + 1, None"),
        ("waited += backoff(attempt)", "waited += backoff(attempt) or PAGES.update({})"),
        ("def backoff(attempt):", "def backoff(attempt):\n    if attempt > 200_000: raise ValueError"),
        ("            continue", "            if attempt > 200_000: break\n            continue"),
        ("        if text is None", "        todo = todo[:]\n        if text is None"),
    ],
)
def test_a_retry_that_may_succeed_is_not_called_endless(tmp_path, code, instead):
    assert code in RETRY
    assert "An endless loop" not in told(tmp_path, RETRY.replace(code, instead))


def test_a_retry_whose_fetch_is_not_known_says_where_it_goes_back(tmp_path):
    text = told(
        tmp_path,
        "import os\n"
        + RETRY.replace("return PAGES.get(number)", "return os.environ.get(f'_{number}') if number > 1 else ''"),
    )
    assert text.startswith("**A long loop.**")
    assert (
        "While `text is None`, a round goes back at the `continue` in line 24, before line 25 could change `todo`."
        in text
    )


def test_a_name_is_offered_that_there_is(tmp_path):
    text = told(tmp_path, ENDS)
    assert "NAME" not in text
    assert "ask about a name: `where does todo come from?`." in text


def test_a_value_from_before_the_loop_is_no_sign_that_it_has_gone_back(tmp_path):
    first = RETRY.replace("    1 / (150_000 - attempt)  # here\n", "").replace(
        "    waited = 0\n", "    text = None\n    waited = 0\n"
    )
    text = told(tmp_path, first.replace("    return PAGES.get", "    1 / 0  # here\n    return PAGES.get"))
    assert text.startswith("**In a loop.**")
    assert "While `text is None`, a round goes back" in text


WORKER = """\
import time, threading


class Pump:
    running = True
    sock = None

    def step(self):
        1 / 0  # here
        time.sleep(0.1)

    def plain(self):
        1 / 0  # here


def poll(pump):
    pump.step()


def work(pump, jobs, done=False, todo=[1]):
    def stop():
        nonlocal done
        done = True

    HEAD:
        BODY


work(Pump(), None)
"""


@pytest.mark.parametrize(
    ("head", "body", "said"),
    [
        ("while True", "1 / 0; time.sleep(1)", "It waits in `time.sleep(1)`, at line 26."),
        ("while True", "1 / 0; print(jobs.get())", "It waits in `jobs.get()`, at line 26."),
        ("while True", "1 / 0; jobs.get(True, timeout=3)", "It waits in `jobs.get(True, timeout=3)`"),
        ("while True", "pump.step()", ""),
        ("while True", "with pump.lock: 1 / 0; break", ""),
        ("while True", "poll(pump)", ""),
        ("while True", "1 / 0; pump.sock.send(b'')", ""),
        ("while True", "1 / 0; jobs(todo)", ""),
        ("while pump.running", "1 / 0; time.sleep(1)", "It ends when `pump.running` is false."),
        ("while pump.running", "pump.step()", ""),
        ("while todo[0]", "1 / 0; time.sleep(1)", ""),
        ("while not done", "1 / 0", "`done` is `False`, which line 23 changes."),
        ("while not done", "1 / 0; time.sleep(1)", ""),
    ],
)
def test_a_loop_that_waits_or_that_others_may_end_is_no_endless_one(tmp_path, head, body, said):
    answer, _ = ask(paused(tmp_path, WORKER.replace("HEAD", head).replace("BODY", body)), "Why does it hang?")
    assert "endless" not in answer.text.casefold()
    assert "cannot end" not in answer.text
    assert "Let something in the body" not in answer.text
    assert not any("cannot end" in suspect.reason for suspect in answer.suspects)
    assert said in answer.text
    if head == "while True" and "break" not in body:
        assert "Nothing in its body ends it: no `break`, `return` or `raise`." in answer.text


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("while True", "1 / 0; todo.append(len(todo))"),
        ("while True", "pump.plain()"),
        ("while pump.running", "1 / 0"),
        ("while not jobs", "1 / 0; time.sleep(1)"),
    ],
)
def test_a_loop_that_nobody_can_end_is_still_an_endless_one(tmp_path, head, body):
    text = told(tmp_path, WORKER.replace("HEAD", head).replace("BODY", body))
    assert text.startswith("**An endless loop.**")
    assert "Let something in the body" in text


@pytest.mark.parametrize("question", ["what is it waiting for?", "Why does it wait here", "is the program blocked?"])
def test_what_a_loop_waits_for_is_answered(tmp_path, question):
    code = WORKER.replace("HEAD", "while True").replace("BODY", "1 / 0; time.sleep(1)")
    text = ask(paused(tmp_path, code), question)[0].text
    assert text.startswith("It waits in `time.sleep(1)` at `hang.py:26`, in rounds of `while True:`; now it stands at ")


def test_a_program_that_has_failed_waits_for_nothing(tmp_path):
    stopped = paused(tmp_path, COUNTS)
    stopped.error = ZeroDivisionError()
    stopped.reason = "exception"
    text = ask(stopped, "what is it waiting for?")[0].text
    assert text.startswith("It waits for nothing: it has failed with `ZeroDivisionError` at `hang.py:6` in `drain`")
