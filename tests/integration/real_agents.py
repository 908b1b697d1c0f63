"""Real agents for tests, each in an environment of its own, before a scripted model."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Run
from tests.chat.endpoint import Endpoint, Reply, Scripted, Seen
from tests.patience import at_worst

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "tests" / "agents"
LONG_S = at_worst(180.0)
MODELS = ["scripted-model", "gpt-4o"]
WRITE = {"command": "echo hello > a.txt"}
TASK = "Write hello into a.txt."
AIDER = [
    *("--model", "openai/gpt-4o", "--yes-always", "--no-git", "--no-check-update", "--no-show-model-warnings"),
    *("--no-analytics", "--no-pretty", "--map-tokens", "0", "--no-show-release-notes"),
]
CODEX = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "gpt-4o"]
EDIT = "I write.\n\na.txt\n```\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n```\n"
"""What aider takes for a change of `a.txt`."""

Record = Callable[..., Run]


def program(environment: str, name: str) -> Path:
    """A program of an agent's environment; skips where that is not set up."""
    folder = ROOT / ".venvs" / f"agent-{environment}"
    places = [folder / "bin" / name, folder / "node_modules" / ".bin" / name]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        pytest.skip(f"{environment} is not set up: python3 dev.py agents")
    return found


def surroundings(url: str, home: Path) -> dict[str, str]:
    """What such an agent needs, so that it asks nobody but the model at `url` and keeps its files in `home`."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f'openai_base_url = "{url}"\n')
    return {
        "OPENAI_BASE_URL": url,
        "ANTHROPIC_BASE_URL": url.removesuffix("/v1"),
        "OPENAI_API_KEY": "sk-planted",
        "ANTHROPIC_API_KEY": "sk-ant-planted",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "OPENHANDS_SUPPRESS_BANNER": "1",
        "LANGCHAIN_TRACING_V2": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HF_HUB_OFFLINE": "1",
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    }


def recording(tmp_path: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]) -> Record:
    """Records a command before a script, and gives the run: it ended well, and wrote hello into a.txt."""

    def recorded(
        script: Sequence[Scripted], *command: str | Path, env: Mapping[str, str] | None = None, **options: Any
    ) -> Run:
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        with Endpoint(script, models=MODELS, **options) as model:
            given: list[Any] = ["record", "--out", tmp_path / "r", "--", *command]
            variables = {**surroundings(model.url, tmp_path / "home"), **(env or {})}
            ran = run_dap_ai(*given, cwd=work, env=variables, timeout_s=LONG_S)
        assert ran.returncode == 0, (ran.stdout + ran.stderr).decode()
        assert (work / "a.txt").read_text() == "hello\n"
        run = open_run(tmp_path / "r")
        assert run.problems == []
        assert run.outcome.words == "exit code 0"
        trouble = [event.text for event in run.events if event.kind == "note" and event.text.startswith("the hook in")]
        assert trouble == []
        return run

    return recorded


def steps(run: Run) -> list[tuple[str, str, str]]:
    """Whose calls and results, of which tool, in their order."""
    return [(event.agent, event.kind, event.tool) for event in run.events if event.kind in ("call", "result")]


def spoken(run: Run) -> list[tuple[str, str]]:
    """What the models of which agent have said."""
    return [(event.agent, event.text) for event in run.events if event.kind == "response" and event.text]


def team(argument: str = "path") -> Scripted:
    """A lead that writes, has it reviewed by another agent, and ends."""

    def answer(seen: Seen) -> Reply:
        said = str(seen.body)
        if "You review." in said:
            return Reply("Fine.")
        if "Fine." in said:
            return Reply("All done.")
        return Reply("", calls=[("review", {argument: "a.txt"})] if "call_0" in said else [("shell", WRITE)])

    return answer
