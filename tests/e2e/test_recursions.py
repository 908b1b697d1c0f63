"""Endless recursions of every kind: the answer names the argument that does not shrink, or the end that never comes.

Each program is a session of its own; all are held in this process, and answered by one other.
"""

from __future__ import annotations

import ast
import runpy
import sys

import pytest

from dap_ai.debuggees.python.hosts import post_mortem_api
from dap_ai.debuggees.python.hosts.answer_process import TESTS as OFFLINE
from dap_ai.debuggees.python.hosts.answer_process import AnswerProcess
from tests.conftest import TESTS
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
PROGRAMS = sorted((TESTS / "debuggees" / "recursions").glob("*.py"))


LIMIT = 1000
"""Python's own. Another test of this process may have raised it, and more frames than 1,280 are not read."""


def failure(program):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(LIMIT)
    try:
        runpy.run_path(str(program), run_name=program.stem)
    except RecursionError as error:
        return error.with_traceback(error.__traceback__.tb_next)  # without this frame, whose `finally` is a cleanup
    finally:
        sys.setrecursionlimit(before)
    raise AssertionError(f"{program} has ended")


def wanted(program):
    return ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))).removeprefix("SAYS: ")


def answers():
    answerer = AnswerProcess(OFFLINE)
    try:
        for program in PROGRAMS:
            server = post_mortem_api.serving(
                failure(program), lambda frame, file=str(program): frame.f_code.co_filename == file
            )
            yield program, answerer.ask(server, patient(30.0))["answer"]
    finally:
        answerer.close()


def test_an_endless_recursion_of_each_kind_is_explained():
    said = dict(answers())
    assert len(said) == 11
    assert {program.stem: answer for program, answer in said.items() if wanted(program) not in answer} == {}
