"""An exception that another process has raised: the answer is about the line there, and says what cannot be read."""

from __future__ import annotations

import asyncio
from multiprocessing.pool import RemoteTraceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.agent.case.remote_exceptions import read_traceback
from dap_ai.agent.guard.masked_debugger import MaskedDebugger
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.report.wording import CLEANED
from dap_ai.debuggees.python.endings.rank.failure_report import failed_rows, read_failure, traceback_packet
from dap_ai.protocol.contracts.inspection import FrameQuery, Query
from tests.conftest import ROOT
from tests.unit.agent.harness import ask, case_of, context, fail

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


CHILD = """\
class Box:
    def __init__(self, n):
        self.n = n


def work(box, limit, password):
    try:
        assert box.n > limit
    finally:
        box.n = 5000 + limit


work(Box(3), 10, "hunter" + "2" * 7)
"""
PARENT = """\
def wait():
    raise ChildProcessError("`python child.py` has failed at child.py:8: AssertionError")


wait()
"""


def parent_of(tmp_path: Path, *, is_whole: bool = True):
    """A program that waits for a child, which has sent what its frames held."""
    (tmp_path / "child.py").write_text(CHILD)
    (tmp_path / "parent.py").write_text(PARENT)
    error = fail(tmp_path / "child.py").error
    rows = list(failed_rows(error))
    head, _, sent = read_failure(error, rows, str(ROOT / "dap_ai/debuggees/python/inspector"))
    text = traceback_packet(rows, head, "").decode().partition("\n")[2].rstrip("\0\n")
    stopped = fail(tmp_path / "parent.py")
    assert stopped.error is not None
    cause = RemoteTraceback(text)
    cause.__frames__ = sent.decode() if is_whole else sent.decode()[:-9]  # type: ignore[attr-defined]
    stopped.error.__cause__ = cause
    return stopped


def test_values_that_a_cleanup_of_a_child_may_have_changed_are_those_of_now(tmp_path: Path):
    answer, _ = ask(parent_of(tmp_path))
    assert f"{CLEANED} `box.n` (`5010` now)" in answer.text, answer.text
    assert "The rest is read from the traceback and the values that it sent at its end" in answer.text
    assert "`limit` is `10` at `child.py:8`" in answer.text
    assert all("now" in line for line in answer.text.splitlines() if "5010" in line)


def test_nobody_is_told_to_ask_in_a_process_that_is_over(tmp_path: Path):
    answer, _ = ask(parent_of(tmp_path))
    assert "Set a breakpoint at `child.py:8`" in answer.text and "Ask `" not in answer.text


def test_a_child_of_which_only_a_part_came_has_no_values(tmp_path: Path):
    answer, _ = ask(parent_of(tmp_path, is_whole=False))
    assert "; the values of its variables are not known." in answer.text, answer.text
    assert "5010" not in answer.text and "`limit` is `10`" not in answer.text


def test_a_model_is_told_of_the_values_of_a_child(tmp_path: Path):
    assert "box = <Box n=5010> (now, after cleanup); limit = 10" in context(parent_of(tmp_path))


def test_secrets_of_a_child_are_masked(tmp_path: Path):
    stopped = parent_of(tmp_path)
    assert "hunter2222222" in repr(case_of(stopped).remote)
    found = asyncio.run(MaskedDebugger(stopped, Masker(), hiding=True).inspect(Query([FrameQuery(1)])))
    assert found.exceptions[1].frames and "hunter2" not in repr(found)


def test_values_of_another_line_are_no_values_of_a_frame(tmp_path: Path):
    stopped = parent_of(tmp_path)
    cause = stopped.error.__cause__
    cause.args = (cause.args[0].replace("line 8", "line 7"),)
    remote = case_of(stopped).remote
    assert remote is not None and [bool(place.facts) for place in remote.places] == [False, True]
