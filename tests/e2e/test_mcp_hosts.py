"""Coding agents as hosts of `dap-ai mcp`: the real programs, before a scripted model, as their users set them up.

Each is told of the server in the way that `dap-ai mcp --help` shows; a scripted model asks by its tool, and reads what
came of it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.commands.mcp.mcp_clients import HOSTS
from tests.chat.endpoint import Endpoint, Reply, Scripted, Seen
from tests.e2e.test_terminal import DAP_AI
from tests.patience import at_worst

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venvs"
MODEL = "gpt-4o"
FOUND = "Line 15 uses the wrong list."
TASK = "Why does resampling.py crash?"
ASKED = {"question": "why did it crash?", "program": str(ROOT / "examples" / "resampling.py")}
LONG_S = at_worst(180.0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with `dap-ai` on its PATH, as after an installation."""
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    script = home / "bin" / "dap-ai"
    script.write_text(f'#!/bin/sh\nexec {" ".join(DAP_AI)} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("DAP_AI_SOCKETS", "off")
    monkeypatch.setenv(
        "DAP_AI_PROVIDER", "offline"
    )  # else the host's own model answers, where the host hands on its key
    return home


def program(agent: str, name: str) -> Path:
    """Skips where the agent is not set up."""
    found = ENVIRONMENTS / f"agent-{agent}" / "node_modules" / ".bin" / name
    if not found.exists():
        pytest.skip(f"{agent} is not set up: python3 dev.py agents")
    return found


def model_that_calls(call: Callable[[list[dict[str, Any]]], tuple[str, Any] | None], wait: tuple[str, Any]) -> Scripted:
    """It calls the server's `ask` once the host offers it, waits until then, and ends when it has read the answer."""

    def answer(seen: Seen) -> Reply:
        if "[s1 (resampling.py)" in json.dumps(seen.body):
            return Reply(FOUND)
        asked = call(seen.body.get("tools", []))
        return Reply("I ask the debugger.", calls=[asked or wait])

    return answer


def answers_read(model: Endpoint) -> str:
    """What the host has given the model of the tool's result."""
    bodies = (json.dumps(seen.body, ensure_ascii=False) for seen in model.requests)
    return next(body for body in bodies if "[s1 (resampling.py)" in body).replace("\\n", "\n")


def run(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LONG_S,
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, said
    return said


def test_codex_asks_the_debugger(home: Path, tmp_path: Path):
    codex = program("codex", "codex")

    def call(tools: list[dict[str, Any]]) -> tuple[str, Any] | None:
        spaces = [tool["name"] for tool in tools if tool.get("type") == "namespace" and "dap" in tool["name"]]
        return (f"{spaces[0]}:ask", ASKED) if spaces else None

    with Endpoint(
        [model_that_calls(call, ("exec_command", {"cmd": "sleep 1"}))], endless=True, models=[MODEL]
    ) as model:
        server = HOSTS["codex"].partition("config.toml:\n")[2]
        approved = 'default_tools_approval_mode = "approve"\n'  # nobody is there to be asked
        (home / "config.toml").write_text(f'openai_base_url = "{model.url}"\n{server}\n{approved}')
        flags = ["exec", "--skip-git-repo-check", "--sandbox", "read-only", "-m", MODEL]
        said = run([codex, *flags, TASK], tmp_path, {"CODEX_HOME": str(home), "OPENAI_API_KEY": "sk-planted"})
        read = answers_read(model)
    assert FOUND in said
    assert "Verified in a snapshot" in read and "statistic(resample)" in read


def test_qwen_code_asks_the_debugger(home: Path, tmp_path: Path):
    qwen = program("qwen-code", "qwen")
    tool = ("tool_call", {"name": "mcp__dap-ai__ask", "arguments": ASKED})
    with Endpoint([model_that_calls(lambda _: tool, tool)], endless=True, models=[MODEL]) as model:
        settings = tmp_path / ".qwen" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(HOSTS["qwen-code"].partition("settings.json:\n")[2])
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-planted", "OPENAI_MODEL": MODEL}
        said = run([qwen, "--yolo", "-p", TASK], tmp_path, {**env, "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"})
        read = answers_read(model)
    assert FOUND in said
    assert "Verified in a snapshot" in read and "statistic(resample)" in read


@pytest.mark.parametrize(("agent", "name"), [("codex", "codex"), ("qwen-code", "qwen")])
def test_the_command_that_is_shown_adds_the_server(home: Path, tmp_path: Path, agent: str, name: str):
    host = program(agent, name)
    command = next(line for line in HOSTS[agent].splitlines() if line.startswith(f"{name} mcp add"))
    run([host, *command.split()[1:]], tmp_path, {"CODEX_HOME": str(home)})
    listed = run([host, "mcp", "list"], tmp_path, {"CODEX_HOME": str(home)})
    assert "dap-ai" in listed
