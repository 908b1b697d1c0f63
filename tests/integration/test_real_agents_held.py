"""Real agents under the debugger, by the hook in their process: calls are held before they run; they and results edited."""

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
from tests.integration.real_agents import AGENTS, MODELS, program, surroundings

BEFORE, AFTER = "echo before; touch before.txt", "echo zafter; touch after.txt"
MINI = ["-m", "openai/gpt-4o", "-t", "Go.", "-y", "--exit-immediately", "-o", "own.json"]
TEXT = ["--model-class", "litellm_textbased", "-c", "mini_textbased.yaml"]
END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""How an agent is told to end."""


class Case(NamedTuple):
    environment: str
    command: Callable[[], Sequence[str | Path]]
    tool: str
    replies: Sequence[Reply]
    argument: str = "command"


def written(command: str) -> Reply:
    return Reply(f"So.\n\n```mswea_bash_command\n{command}\n```\n")


def called(tool: str, argument: str = "command") -> Reply:
    return Reply("", calls=[(tool, {argument: BEFORE})])


CASES = {
    "mini-swe-agent": Case(
        "mini-swe-agent", lambda: [program("mini-swe-agent", "mini"), *MINI], "bash",
        [called("bash"), Reply("", calls=[("bash", {"command": END})])],
    ),
    "mini-swe-agent, by text": Case(
        "mini-swe-agent", lambda: [program("mini-swe-agent", "mini"), *MINI, *TEXT], "bash",
        [written(BEFORE), written(END)],
    ),
    "smolagents": Case(
        "smolagents", lambda: [program("smolagents", "python"), AGENTS / "smol.py"], "shell",
        [called("shell"), Reply("", calls=[("final_answer", {"answer": "Done."})])],
    ),
    "openai-agents": Case(
        "openai-agents", lambda: [program("openai-agents", "python"), AGENTS / "with_reviewer.py", "responses"],
        "shell", [called("shell"), Reply("Done.")],
    ),
    "pydantic-ai": Case(
        "pydantic-ai", lambda: [program("pydantic-ai", "python"), AGENTS / "pydantic_team.py", "chat"],
        "shell", [called("shell"), Reply("Done.")],
    ),
    "langgraph": Case(
        "langgraph", lambda: [program("langgraph", "python"), AGENTS / "langgraph_team.py", "chat", "--async"],
        "shell", [called("shell"), Reply("Done.")],
    ),
    "openhands-sdk": Case(
        "openhands-sdk", lambda: [program("openhands-sdk", "python"), AGENTS / "hands.py"],
        "terminal", [called("terminal"), Reply("", calls=[("finish", {"message": "Done."})])],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_run_as_it_was_edited_and_the_model_sees_the_result_that_was_edited(name: str, tmp_path: Path):
    case = CASES[name]
    command = [str(each) for each in case.command()]
    work = tmp_path / "work"
    work.mkdir()
    with Endpoint(case.replies, models=MODELS) as model, session(surroundings(model.url, tmp_path / "home")) as live:
        live.launch(command, work, functions=[f"tool:{case.tool}"], filters=["result"])
        assert live.held().endswith(f"{case.tool}: {BEFORE}")
        frames = [frame["name"] for frame in live.frames()]
        assert len(frames) > 3, frames
        live.ask("setExpression", expression=f"args.{case.argument}", value=json.dumps(AFTER))
        time.sleep(0.3)
        live.go()
        assert "zafter" in live.held()
        live.ask("setFunctionBreakpoints", breakpoints=[])
        live.ask("setExceptionBreakpoints", filters=[])
        live.ask("setExpression", expression="text", value='"edited result"')
        live.go()
        assert live.over() == 0
    assert (work / "after.txt").exists() and not (work / "before.txt").exists()
    second = json.dumps(model.requests[1].body)
    assert "edited result" in second
    assert "zafter" not in second.replace(json.dumps(AFTER)[1:-1], "")
    run = open_run(work.parent / "recording")
    assert run.problems == []
    first = next(event for event in run.events if event.kind == "call")
    assert (first.arguments or {}).get(case.argument) == AFTER
    notes = [event.text for event in run.events if event.kind == "note"]
    assert any("the call was edited in the debugger" in text for text in notes)
