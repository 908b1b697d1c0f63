"""The nine real agents of `python3 dev.py agents`, each with a script that has it make so many calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tests.chat.endpoint import Reply
from tests.integration.real_agents import AGENTS, AIDER, CODEX, EDIT, TASK, program

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
MINI = ["-m", "openai/gpt-4o", "-t", "Go.", "-y", "--exit-immediately", "-o", "own.json"]


class Free(NamedTuple):
    """An agent, and what its model is to say."""

    command: Callable[[], Sequence[str | Path]]
    tool: str = "shell"
    argument: str = "command"
    more: Mapping[str, object] = {}
    """Other arguments that the tool requires."""
    last: Reply = Reply("Done.")
    """After the calls."""
    env: Mapping[str, str] = {}

    def script(self, calls: int, think_s: float) -> list[Reply]:
        """A call each turn, no two alike (agents notice loops), and the last words; `think_s` before each."""
        turns = [Reply("", calls=[(self.tool, {self.argument: f"echo {n}", **self.more})]) for n in range(calls)]
        return [replace(turn, delay_s=think_s) for turn in (*(turns if self.tool else ()), self.last)]


def _python(environment: str, *arguments: str) -> Callable[[], Sequence[str | Path]]:
    return lambda: [program(environment, "python"), AGENTS / arguments[0], *arguments[1:]]


FREE: Mapping[str, Free] = {
    "mini-swe-agent": Free(
        lambda: [program("mini-swe-agent", "mini"), *MINI], "bash",
        last=Reply("", calls=[("bash", {"command": SUBMIT})]),
    ),
    "openai-agents": Free(_python("openai-agents", "with_reviewer.py", "chat_completions")),
    "smolagents": Free(_python("smolagents", "smol.py"), last=Reply("", calls=[("final_answer", {"answer": "Done."})])),
    "pydantic-ai": Free(_python("pydantic-ai", "pydantic_team.py", "chat")),
    "langgraph": Free(_python("langgraph", "langgraph_team.py", "chat")),
    "openhands-sdk": Free(
        _python("openhands-sdk", "hands.py"), "terminal", last=Reply("", calls=[("finish", {"message": "Done."})])
    ),
    "aider": Free(
        lambda: [program("aider", "aider"), *AIDER, "--message", TASK, "a.txt"], "", last=Reply(EDIT)
    ),
    "codex": Free(lambda: [program("codex", "codex"), *CODEX, TASK], "exec_command", "cmd"),
    "qwen-code": Free(
        lambda: [program("qwen-code", "qwen"), "--yolo", "-p", TASK], "run_shell_command",
        more={"is_background": False, "description": "says"}, env={"OPENAI_MODEL": "gpt-4o"},
    ),
}  # fmt: skip
