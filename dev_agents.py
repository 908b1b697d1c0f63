"""The real agents that `dev.py agents` sets up, each pinned and in an environment of its own under `.venvs`.

Each has tests in tests/integration/test_real_agents*.py; those on Python have their functions checked by
test_hook_contract.py, which is what an upgrade of a version here has to pass.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dev_setup import OTHER_VENVS, STAMP, SetupFailed, base_python, find_python, must, other_venv


class OfPython(NamedTuple):
    """An agent from PyPI."""

    packages: tuple[str, ...]
    minor: int = 0
    """The Python 3.x it needs; 0: the one that runs this file."""
    sources: tuple[str, ...] = ()
    """Packages that there are no wheels of: they are built."""


class OfNode(NamedTuple):
    """An agent from npm."""

    package: str


AGENTS: Mapping[str, OfPython | OfNode] = {
    "mini-swe-agent": OfPython(("mini-swe-agent==2.4.6", "mcp==2.3.0")),
    "openai-agents": OfPython(("openai-agents==0.24.0",)),
    "smolagents": OfPython(("smolagents[openai]==1.26.0",)),
    "pydantic-ai": OfPython(("pydantic-ai-slim[openai,anthropic]==2.68.0",)),
    "langgraph": OfPython(("langgraph==1.2.24", "langchain==1.5.2", "langchain-openai==1.7.4")),
    "openhands-sdk": OfPython(("openhands-sdk==1.58.2", "openhands-tools==1.58.2"), 12, ("func-timeout",)),
    "aider": OfPython(("aider-chat==0.86.2",), minor=12),
    "codex": OfNode("@openai/codex@0.169.0"),
    "qwen-code": OfNode("@qwen-code/qwen-code@0.24.4"),
}


SMALL = ("smolagents", "openai-agents")
"""Those that every run of the suite has: 30 s once."""
TESTS = [
    *(
        f"tests/integration/test_{name}.py"
        for name in ("real_agents", "real_agents_held", "real_agents_patient", "real_clis_held", "hook_contract")
    ),
    "tests/e2e/test_mcp_hosts.py",
]


def set_up_agents(names: Iterable[str] = tuple(AGENTS)) -> None:
    """Prepares `.venvs/agent-NAME` for each of these; says what is missing."""
    for name in names:
        agent = AGENTS[name]
        if note := _of_python(name, agent) if isinstance(agent, OfPython) else _of_node(name, agent):
            print(f"  {note}", flush=True)


def _of_python(name: str, agent: OfPython) -> str:
    python = find_python(agent.minor) if agent.minor else base_python()
    if python is None:
        return f"an agent: {name}: there is no Python 3.{agent.minor}, its tests are skipped"
    built = [f"--no-binary={name}" for name in agent.sources]
    return other_venv(f"agent-{name}", python, [*built, *agent.packages], f"an agent: {name}", "its tests are skipped")


def _of_node(name: str, agent: OfNode) -> str:
    """What to tell the user, or "" if it was ready."""
    what, folder = f"an agent: {name}", OTHER_VENVS / f"agent-{name}"
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text() == agent.package:
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return f"{what}: there is no npm, its tests are skipped"
    started = time.monotonic()
    quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        must(name, [npm, "install", "--prefix", folder, *quietly, agent.package])
    except SetupFailed as error:
        shutil.rmtree(folder, ignore_errors=True)
        return f"{what}: could not be prepared, its tests are skipped: {str(error).splitlines()[-1]}"
    stamp.write_text(agent.package)
    return f"{what:<58} {time.monotonic() - started:6.1f} s"
