"""An exception that another process has raised: the answer is about the line there, and says what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.agent.case.remote import read_traceback
from tests.unit.agent.harness import ask, context, fail

WORKER = """\
import pickle
from {module} import {wrapper}


def parse(job):
    width, height = job
    return width / height


def result_of(function, job):
    try:
        return function(job)
    except Exception as error:  # as a worker of the pool hands it on
        raise pickle.loads(pickle.dumps({wrapper}(error, error.__traceback__)))


def main():
    print(result_of(parse, (640, 0)))


main()
"""
POOLS = {"multiprocessing.pool": "ExceptionWithTraceback", "concurrent.futures.process": "_ExceptionWithTraceback"}


@pytest.fixture(params=POOLS)
def stopped(request, tmp_path: Path):
    program = tmp_path / "sizes.py"
    text = WORKER.format(module=request.param, wrapper=POOLS[request.param])
    program.write_text(text)
    return fail(program)


def test_a_traceback_that_came_with_the_exception_is_not_this_process(tmp_path: Path):
    program = tmp_path / "sizes.py"
    text = WORKER.format(module="multiprocessing.pool", wrapper="ExceptionWithTraceback")
    raised, sent = "error.__traceback__)))", "error.__traceback__))).with_traceback(error.__traceback__)"
    program.write_text(text.replace(raised, sent))
    answer, _ = ask(fail(program))
    assert "It came to this process at `sizes.py:14`, in `result_of`" in answer.text, answer.text


def test_the_answer_is_about_the_line_in_the_other_process(stopped):
    answer, _ = ask(stopped)
    assert answer.text.startswith("The divisor `height` is zero at `sizes.py:7`, in another process.\n")
    assert "**Raised in another process.**" in answer.text
    assert "It came to this process at `sizes.py:14`, in `result_of`" in answer.text, answer.text
    assert "Traceback (most recent call last)" not in answer.text
    assert [(Path(s.file).name, s.line) for s in answer.suspects][:2] == [("sizes.py", 7), ("sizes.py", 6)]


def test_a_model_is_told_of_the_line_in_the_other_process(stopped):
    text = context(stopped)
    assert "in another process, which cannot be read: ZeroDivisionError: division by zero" in text
    assert "parse sizes.py:7  return width / height" in text
    assert "Traceback (most recent call last)" not in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Traceback (most recent call last):\n",
        'Traceback (most recent call last):\n  File "/usr/lib/python3.11/queue.py", line 3, in get\nEmpty\n',
        'Traceback (most recent call last):\n  File "/work/a.py", line 3, in get\n    x = 1\n',
        'Traceback (most recent call last):\n  File "/work/a.py", line 99999999999999999999, in get\nEmpty\n',
    ],
)
def test_what_is_no_traceback_through_the_users_code_tells_nothing(text):
    assert read_traceback(text, "") is None


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(tail):
    told = read_traceback(f'Traceback (most recent call last):\n  File "/work/a.py", line 3, in get\n{tail}', "")
    assert told is None or told.frames[0].line == 3
