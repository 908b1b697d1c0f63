"""Command line agents under the debugger, on the wire: a prompt, an answer, a call and a result are edited."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import Session, session
from tests.integration.real_agents import AIDER, CODEX, EDIT, MODELS, TASK, program, surroundings

BEFORE, AFTER = "echo before; touch before.txt", "echo zafter; touch after.txt"


class Case(NamedTuple):
    command: Callable[[], Sequence[str | Path]]
    tool: str
    arguments: dict[str, Any]
    argument: str = "command"


CASES = {
    "codex": Case(lambda: [program("codex", "codex"), *CODEX, TASK], "exec_command", {"cmd": BEFORE}, "cmd"),
    "qwen-code": Case(
        lambda: [program("qwen-code", "qwen"), "--yolo", "-p", TASK], "run_shell_command",
        {"command": BEFORE, "is_background": False, "description": "writes"},
    ),
}  # fmt: skip


def prompt_edited(live: Session) -> None:
    """The task that is held before its first query reads otherwise."""
    document = live.document()
    text = document.read_text()
    assert TASK in text
    document.write_text(text.replace(TASK, "Write bye into a.txt."))


@pytest.mark.parametrize("name", CASES)
def test_prompt_call_and_result_are_edited_on_the_wire(name: str, tmp_path: Path):
    case = CASES[name]
    command = [str(each) for each in case.command()]
    work = tmp_path / "work"
    work.mkdir()
    replies = [Reply("I write.", calls=[(case.tool, case.arguments)]), Reply("Done.")]
    around = {"OPENAI_MODEL": "gpt-4o"}
    with Endpoint(replies, models=MODELS) as model, session(
        surroundings(model.url, tmp_path / "home") | around
    ) as live:  # fmt: skip
        live.launch(command, work, functions=[f"tool:{case.tool}"], filters=["query", "result"])
        live.held()
        prompt_edited(live)
        live.go()
        assert live.held().endswith(f"{case.tool}: {BEFORE}")
        live.ask("setExpression", expression=f"args.{case.argument}", value=json.dumps(AFTER))
        live.ask("setExceptionBreakpoints", filters=["result"])
        live.go()
        assert "zafter" in live.held()
        live.ask("setExceptionBreakpoints", filters=[])
        live.ask("setExpression", expression="text", value='"edited result"')
        live.go()
        assert live.over() == 0
    assert (work / "after.txt").exists() and not (work / "before.txt").exists()
    assert "Write bye into a.txt." in json.dumps(model.requests[0].body)
    second = json.dumps(model.requests[1].body)
    assert "edited result" in second
    assert "zafter" not in second.replace(json.dumps(AFTER)[1:-1], "")
    assert len(model.requests) == 2


def test_the_prompt_and_the_answer_of_aider_are_edited(tmp_path: Path):
    command = [str(program("aider", "aider")), *AIDER, "--message", TASK, "a.txt"]
    work = tmp_path / "work"
    work.mkdir()
    with Endpoint([Reply(EDIT)], models=MODELS) as model, session(
        surroundings(model.url, tmp_path / "home")
    ) as live:  # fmt: skip
        live.launch(command, work, filters=["query", "response"])
        live.held()
        prompt_edited(live)
        live.go()
        assert "I write." in live.held()
        live.ask("setExpression", expression="text", value=json.dumps(EDIT.replace("hello", "bye")))
        live.ask("setExceptionBreakpoints", filters=[])
        live.go()
        assert live.over() == 0
    assert (work / "a.txt").read_text() == "bye\n"
    assert "Write bye into a.txt." in json.dumps(model.requests[0].body)
