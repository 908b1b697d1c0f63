"""A live agent under the debugger: held before and after each query and call, edited, stepped, looked back at."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from dap_ai.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import AGENTS, Session, session

PLAIN = [sys.executable, str(AGENTS / "plain.py")]
ALL = ("query", "response", "call", "result")
TWO_STEPS = (
    Reply("I look.", calls=[("bash", {"command": "echo one"})]),
    Reply("I write.", calls=[("bash", {"command": "echo two > a.txt"})]),
    Reply("Done."),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def model() -> Generator[Endpoint]:
    with Endpoint(TWO_STEPS) as endpoint:
        yield endpoint


@pytest.fixture
def live(model: Endpoint) -> Generator[Session]:
    with session({"OPENAI_BASE_URL": model.url}) as found:
        yield found


@pytest.mark.parametrize("flags", [(), ("--stream",)])
def test_an_agent_is_held_before_and_after_each_query_and_call(flags: Sequence[str], live: Session, work: Path):
    live.launch([*PLAIN, *flags], work, filters=ALL)
    held: list[str] = []
    for _ in range(10):
        held.append(live.held())
        live.go()
    assert live.over() == 3
    assert held == [
        "query", "1 response: I look.", "1 bash: echo one", "1 result ok, exit code 0: one",
        "query", "2 response: I write.", "2 bash: echo two > a.txt", "2 result ok, exit code 0",
        "query", "3 response: Done.",
    ]  # fmt: skip
    assert "Done." in live.printed()
