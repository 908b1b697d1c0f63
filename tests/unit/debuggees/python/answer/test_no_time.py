"""An answer whose time ends: it says what is known by then."""

from __future__ import annotations

import time

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.debuggees.python.analysis.experiments import scheduler
from dap_ai.debuggees.python.answer import failure_answers
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import ask, fail

PROGRAM = """\
def mean(xs):
    return sum(xs) / len(xs)


def report(groups):
    return [mean(group) for group in groups]


report([[1], []])
"""


@pytest.fixture
def stopped(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    return fail(program)


def late(*_, **__):
    time.sleep(1.0)


def asked(stopped):
    return ask(stopped, agent=SessionAgent(Settings(ask_timeout_s=0.4)))[0]


def test_where_nothing_could_be_followed_the_value_and_the_lines_on_the_stack_are_told(stopped, monkeypatch):
    monkeypatch.setattr(failure_answers, "analyse", late)
    answer = asked(stopped)
    assert answer.limit
    assert "`len(xs)` is `0`" in answer.text
    assert "no time to follow" in answer.text
    assert [suspect.line for suspect in answer.suspects][:3] == [2, 6, 9]


def test_where_nothing_could_be_run_again_the_analysis_is_told(stopped, monkeypatch):
    async def waits(*_):
        await scheduler.asyncio.sleep(5.0)

    monkeypatch.setattr(scheduler, "_control", waits)
    stopped.why_no_snapshot = ""
    answer = asked(stopped)
    assert answer.limit
    assert "no time to run the failure again" in answer.text
    assert answer.suspects
