"""Real agents that are held for longer than their own client waits: they go on with one answer, and ask once.

The time-out is set low by the agent's own setting. Codex has none for an answer's head (what it limits begins with the
head), so it hears nothing while it is held; all others hear something in less than their time-out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from dap_ai.debuggees.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import session
from tests.integration.real_agents import AGENTS, MODELS, TASK, program, surroundings

TIMEOUT_S, HELD_S, KEEP_ALIVE_S = 2, 4.5, 0.3
MINI = ["-m", "openai/gpt-4o", "-t", "Go.", "-y", "--exit-immediately", "-o", "own.json", "-c", "mini.yaml"]
AIDER = ["--model", "openai/gpt-4o", "--yes-always", "--no-git", "--no-check-update", "--no-show-model-warnings"]
QUIET = ["--no-analytics", "--no-pretty", "--map-tokens", "0", "--no-show-release-notes", "--timeout", str(TIMEOUT_S)]
CODEX = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "gpt-4o"]
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
DONE = Reply("Done.")


class Case(NamedTuple):
    command: Callable[[], Sequence[str | Path]]
    reply: Reply = DONE


def script(environment: str, name: str, *flags: str) -> Callable[[], Sequence[str | Path]]:
    """Its client's time-out is that of the variable TIMEOUT_S."""
    return lambda: [program(environment, "python"), AGENTS / name, *flags]


CASES = {
    "mini-swe-agent": Case(
        lambda: [program("mini-swe-agent", "mini"), *MINI, "-c", f"model.model_kwargs.timeout={TIMEOUT_S}"],
        Reply("", calls=[("bash", {"command": SUBMIT})]),
    ),
    "smolagents": Case(script("smolagents", "smol.py"), Reply("", calls=[("final_answer", {"answer": "Done."})])),
    "openai-agents": Case(script("openai-agents", "with_reviewer.py", "responses")),
    "pydantic-ai": Case(script("pydantic-ai", "pydantic_team.py", "chat")),
    "langgraph": Case(script("langgraph", "langgraph_team.py", "chat", "--async")),
    "openhands-sdk": Case(script("openhands-sdk", "hands.py"), Reply("", calls=[("finish", {"message": "Done."})])),
    "aider": Case(lambda: [program("aider", "aider"), *AIDER, *QUIET, "--message", TASK, "a.txt"]),
    "codex": Case(lambda: [program("codex", "codex"), *CODEX, TASK]),
    "qwen-code": Case(lambda: [program("qwen-code", "qwen"), "--yolo", "-p", TASK]),
}


def settings(url: str, home: Path) -> dict[str, str]:
    """The agents' own files and variables."""
    found = surroundings(url, home) | {"OPENAI_MODEL": "gpt-4o", "TIMEOUT_S": str(TIMEOUT_S)}
    (home / ".qwen").mkdir()
    generation = {"timeout": TIMEOUT_S * 1000, "maxRetries": 0}
    own = {"model": {"generationConfig": generation}, "memory": {"enableManagedAutoMemory": False}}
    (home / ".qwen" / "settings.json").write_text(json.dumps(own))  # its memory asks a query of its own at the end
    return found


@pytest.mark.parametrize("name", CASES)
def test_an_agent_outlasts_a_stop_that_is_longer_than_its_clients_time_out(name: str, tmp_path: Path):
    case = CASES[name]
    command = [str(each) for each in case.command()]
    work = tmp_path / "work"
    work.mkdir()
    with Endpoint([case.reply], models=MODELS) as model, session(settings(model.url, tmp_path / "home")) as live:
        live.launch(command, work, filters=["query"], keepAlive=KEEP_ALIVE_S)
        live.held()
        time.sleep(HELD_S)
        live.ask("setExceptionBreakpoints", filters=[])
        live.go()
        assert live.over() == 0
    assert len(model.requests) == 1
    run = open_run(tmp_path / "recording")
    assert [event.kind for event in run.events if event.kind in ("query", "response", "error")] == ["query", "response"]
