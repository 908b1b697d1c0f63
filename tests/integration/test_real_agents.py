"""Real agents, unmodified, each in an environment of its own (`python3 dev.py agents` sets them up), recorded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.opening import open_run
from tests.chat.endpoint import Reply
from tests.integration.real_agents import (
    AGENTS,
    AIDER,
    CODEX,
    EDIT,
    TASK,
    WRITE,
    Record,
    program,
    recording,
    spoken,
    steps,
    team,
)

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat a.txt"


@pytest.fixture
def record(tmp_path: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]) -> Record:
    return recording(tmp_path, run_dap_ai)


def test_mini_swe_agent(record: Record, tmp_path: Path):
    mini = program("mini-swe-agent", "mini")
    script = [Reply("I write.", calls=[("bash", WRITE)]), Reply("Submit.", calls=[("bash", {"command": SUBMIT})])]
    flags = ["-m", "openai/gpt-4o", "-t", "Write hello.", "-y", "--exit-immediately", "-o", tmp_path / "own.traj.json"]
    run = record(script, mini, *flags)
    assert steps(run) == [("main", "call", "bash"), ("main", "result", "bash")] * 2
    result, submitted = (event for event in run.events if event.kind == "result")
    assert (result.exit_code, result.status) == (0, "ok")
    assert result.took_s is not None
    assert '"returncode": 0' in result.text  # as the model has seen it, and not as the tool gave it
    assert (submitted.text, submitted.status) == ("hello\n", "ok")
    assert "Write hello." in run.task
    own = open_run(tmp_path / "own.traj.json")
    texts = [[event.text for event in each.events if event.kind == "response"] for each in (run, own)]
    assert texts[0] == texts[1] == ["I write.", "Submit."]


def test_mini_swe_agent_whose_model_writes_commands_into_its_text(record: Record, tmp_path: Path):
    mini = program("mini-swe-agent", "mini")
    script = [
        Reply(f"I write.\n\n```mswea_bash_command\n{WRITE['command']}\n```\n"),
        Reply(f"Submit.\n\n```mswea_bash_command\n{SUBMIT}\n```\n"),
    ]
    flags = ["-m", "openai/gpt-4o", "--model-class", "litellm_textbased", "-c", "mini_textbased.yaml"]
    run = record(script, mini, *flags, "-t", "Write hello.", "-y", "--exit-immediately", "-o", tmp_path / "own.json")
    assert steps(run) == [("main", "call", "bash"), ("main", "result", "bash")] * 2
    calls = [event.arguments for event in run.events if event.kind == "call"]
    assert calls == [WRITE, {"command": SUBMIT}]
    result = next(event for event in run.events if event.kind == "result")
    assert (result.exit_code, result.status) == (0, "ok")


def test_smolagents(record: Record):
    python = program("smolagents", "python")
    script = [Reply("", calls=[("shell", WRITE)]), Reply("", calls=[("final_answer", {"answer": "Done."})])]
    run = record(script, python, AGENTS / "smol.py")
    assert steps(run) == [("main", kind, tool) for tool in ("shell", "final_answer") for kind in ("call", "result")]
    assert run.task.endswith(TASK)


def test_smolagents_that_writes_python(record: Record):
    python = program("smolagents", "python")
    codes = ['print(save("a.txt", "hello\\n"))', 'final_answer("Done.")']
    script = [Reply(f"Thought: I write.\n<code>\n{code}\n</code>") for code in codes]
    run = record(script, python, AGENTS / "smol_code.py")
    assert steps(run) == [("main", kind, "python_interpreter") for kind in ("call", "result")] * 2
    assert [event.arguments for event in run.events if event.kind == "call"] == [{"code": code} for code in codes]
    first = next(event for event in run.events if event.kind == "result")
    assert "6 characters" in first.text


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
@pytest.mark.parametrize("flags", [(), ("--stream",)])
def test_openai_agents(api: str, flags: Sequence[str], record: Record):
    python = program("openai-agents", "python")
    run = record([team("input")], python, AGENTS / "with_reviewer.py", api, *flags, endless=True)
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("Reviewer", "main")]
    assert steps(run) == [("main", kind, tool) for tool in ("shell", "review") for kind in ("call", "result")]
    assert spoken(run) == [("Reviewer", "Fine."), ("main", "All done.")]


def test_openai_agents_that_hand_over(record: Record):
    python = program("openai-agents", "python")
    script = [
        Reply("", calls=[("shell", WRITE)]),
        Reply("", calls=[("transfer_to_reviewer", {})]),
        Reply("All fine."),
    ]
    run = record(script, python, AGENTS / "hands_over.py")
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("Reviewer", "main")]
    assert spoken(run) == [("Reviewer", "All fine.")]


@pytest.mark.parametrize("flags", [["chat"], ["responses"], ["anthropic"], ["chat", "--stream"]])
def test_pydantic_ai(flags: Sequence[str], record: Record):
    python = program("pydantic-ai", "python")
    run = record([team()], python, AGENTS / "pydantic_team.py", *flags, endless=True)
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("reviewer", "main")]
    assert steps(run) == [("main", kind, tool) for tool in ("shell", "review") for kind in ("call", "result")]
    assert spoken(run) == [("reviewer", "Fine."), ("main", "All done.")]


@pytest.mark.parametrize("flags", [["chat"], ["responses"], ["chat", "--async"]])
def test_langgraph(flags: Sequence[str], record: Record):
    python = program("langgraph", "python")
    run = record([team()], python, AGENTS / "langgraph_team.py", *flags, endless=True)
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("reviewer", "main")]
    assert steps(run) == [("main", kind, tool) for tool in ("shell", "review") for kind in ("call", "result")]
    assert spoken(run) == [("reviewer", "Fine."), ("main", "All done.")]


def test_openhands_sdk(record: Record):
    python = program("openhands-sdk", "python")
    script = [
        Reply("I write.", calls=[("terminal", WRITE)]),
        Reply("", calls=[("finish", {"message": "Done."})]),
    ]
    run = record(script, python, AGENTS / "hands.py")
    assert steps(run) == [("main", kind, tool) for tool in ("terminal", "finish") for kind in ("call", "result")]
    result = next(event for event in run.events if event.kind == "result")
    assert (result.exit_code, result.status) == (0, "ok")


def test_aider(record: Record, tmp_path: Path):
    aider = program("aider", "aider")
    run = record([Reply(EDIT)], aider, *AIDER, "--message", TASK, "a.txt", endless=True)
    assert run.task.endswith(TASK)
    assert spoken(run)[0] == ("main", EDIT)


def test_codex_whose_address_is_put_into_its_command(record: Record):
    codex = program("codex", "codex")
    script = [Reply("I write.", calls=[("exec_command", {"cmd": WRITE["command"]})]), Reply("Done.")]
    run = record(script, codex, *CODEX, TASK)
    assert steps(run) == [("main", "call", "exec_command"), ("main", "result", "exec_command")]
    result = next(event for event in run.events if event.kind == "result")
    assert (result.exit_code, result.status) == (0, "ok")
    assert run.task == TASK


def test_qwen_code(record: Record):
    qwen = program("qwen-code", "qwen")
    given = {**WRITE, "is_background": False, "description": "writes"}
    script = [Reply("I write.", calls=[("run_shell_command", given)]), Reply("Done.")]
    run = record(script, qwen, "--yolo", "-p", TASK, env={"OPENAI_MODEL": "gpt-4o"})
    assert steps(run) == [("main", "call", "run_shell_command"), ("main", "result", "run_shell_command")]
    assert spoken(run) == [("main", "I write."), ("main", "Done.")]
