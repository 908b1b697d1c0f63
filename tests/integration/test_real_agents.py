"""Real agents, unmodified, each in an environment of its own (`python3 dev.py agents` sets them up), recorded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.runs.model import Run
from dap_ai.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply, Scripted, Seen
from tests.patience import at_worst

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "tests" / "agents"
LONG_S = at_worst(120.0)
MINI = {"MSWEA_CONFIGURED": "true", "MSWEA_SILENT_STARTUP": "1", "MSWEA_COST_TRACKING": "ignore_errors"}
QUIET = {"OPENAI_API_KEY": "sk-planted", "OPENAI_AGENTS_DISABLE_TRACING": "1", "HF_HUB_OFFLINE": "1"}
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat a.txt"
WRITE = {"command": "echo hello > a.txt"}

Record = Callable[..., Run]


def program(environment: str, name: str) -> Path:
    """A program of an agent's environment; skips where that is not set up."""
    found = ROOT / ".venvs" / f"agent-{environment}" / "bin" / name
    if not found.exists():
        pytest.skip(f"{environment} is not set up: python3 dev.py agents")
    return found


@pytest.fixture
def record(tmp_path: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]) -> Record:
    def recorded(script: Sequence[Scripted], *command: str | Path, **options: Any) -> Run:
        (tmp_path / "work").mkdir()
        with Endpoint(script, models=["scripted-model", "gpt-4o"], **options) as model:
            env = {"OPENAI_BASE_URL": model.url, **QUIET, **MINI}
            given: list[Any] = ["record", "--out", tmp_path / "r", "--", *command]
            ran = run_dap_ai(*given, cwd=tmp_path / "work", env=env, timeout_s=LONG_S)
        assert ran.returncode == 0, (ran.stdout + ran.stderr).decode()
        assert (tmp_path / "work" / "a.txt").read_text() == "hello\n"
        run = open_run(tmp_path / "r")
        assert run.problems == [] and run.outcome.words == "exit code 0"
        assert [event.text for event in run.events if event.kind == "change"] == ["A a.txt"]
        return run

    return recorded


def steps(run: Run) -> list[tuple[str, str, str]]:
    return [(event.agent, event.kind, event.tool) for event in run.events if event.kind in ("call", "result")]


def test_mini_swe_agent(record: Record, tmp_path: Path):
    mini = program("mini-swe-agent", "mini")
    script = [Reply("I write.", calls=[("bash", WRITE)]), Reply("Submit.", calls=[("bash", {"command": SUBMIT})])]
    flags = ["-m", "openai/gpt-4o", "-t", "Write hello.", "-y", "--exit-immediately", "-o", tmp_path / "own.traj.json"]
    run = record(script, mini, *flags)
    assert steps(run) == [("main", "call", "bash"), ("main", "result", "bash"), ("main", "call", "bash")]
    result = next(event for event in run.events if event.kind == "result")
    assert (result.exit_code, result.status) == (0, "ok")
    assert "Write hello." in run.task
    own = open_run(tmp_path / "own.traj.json")
    texts = [[event.text for event in each.events if event.kind == "response"] for each in (run, own)]
    assert texts[0] == texts[1] == ["I write.", "Submit."]


def test_smolagents(record: Record):
    python = program("smolagents", "python")
    script = [Reply("", calls=[("shell", WRITE)]), Reply("", calls=[("final_answer", {"answer": "Done."})])]
    run = record(script, python, AGENTS / "smol.py")
    assert steps(run)[:2] == [("main", "call", "shell"), ("main", "result", "shell")]
    assert run.task.endswith("Write hello into a.txt.")


@pytest.mark.parametrize("api", ["chat_completions", "responses"])
@pytest.mark.parametrize("flags", [(), ("--stream",)])
def test_openai_agents(api: str, flags: Sequence[str], record: Record):
    def answer(seen: Seen) -> Reply:
        said = str(seen.body)
        if "You review." in said:
            return Reply("Fine.")
        if "Fine." in said:
            return Reply("All done.")
        return Reply("", calls=[("review", {"input": "a.txt"})] if "call_0" in said else [("shell", WRITE)])

    python = program("openai-agents", "python")
    run = record([answer], python, AGENTS / "with_reviewer.py", api, *flags, endless=True)
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("review", "main")]
    assert steps(run) == [("main", kind, tool) for tool in ("shell", "review") for kind in ("call", "result")]
    spoken = [(event.agent, event.text) for event in run.events if event.kind == "response" and event.text]
    assert spoken == [("review", "Fine."), ("main", "All done.")]
