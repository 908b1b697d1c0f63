"""Backend of agent runs: how the proxy starts the debug adapter of runs, and which requests it must not send."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dap_ai.backends import debugpy
from dap_ai.backends.generic import GenericBackend
from dap_ai.debuggees.runs.adapter.read_only import READ_ONLY
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart, Backend, StartError, StopInspector
from dap_ai.system import child_python
from dap_ai.system.extras import RUNS

_ADAPTER = "dap_ai.debuggees.runs.__main__:main"


class AgentsBackend(GenericBackend):
    """Backend of agent runs. A launch has `run`, the path of a recorded run, or `command`, an agent to run.

    Implements dap_ai.protocol.contracts.backend.Backend.
    """

    def __init__(self, announced: Iterable[str] = (), run: str = "") -> None:
        """Create a backend; `run` is the default for launches without `run`."""
        super().__init__(child_python.command(_ADAPTER), announced)
        self.name = "agents"
        self.denied = {} if _OF_LIVE in frozenset(announced) else READ_ONLY
        self._run = run

    def announced(self, names: Iterable[str]) -> Backend:
        """Return this backend; in a child session that debugs the agent's own Python, debugpy's backend."""
        known = frozenset(names)
        return debugpy.backend if _OF_DEBUGPY in known else AgentsBackend(known, self._run)

    def command(self) -> AdapterCommand:
        """Return the command that starts the adapter, in this Python."""
        return AdapterCommand(child_python.command(_ADAPTER), {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Resolve a launch's paths. Raises StartError without a run or command, or without the extra `runs`."""
        if command == "attach" and isinstance(arguments.get("connect"), dict):
            return await debugpy.backend.prepare(command, arguments)
        if RUNS.missing:
            raise StartError(f"{RUNS.install_advice}.")
        cwd = str(Path.cwd() / str(arguments.get("cwd") or ""))
        if arguments.get("command"):
            return AdapterStart(arguments | _placed(arguments, cwd))
        run = arguments.get("run") or self._run
        if not isinstance(run, str) or not run:
            raise StartError(
                "the launch configuration names no `run` (the path of a recorded run of an agent) "
                "and no `command` (an agent to be run)"
            )
        against = arguments.get("against")
        named = {"against": str(Path(cwd, against))} if isinstance(against, str) and against else {}
        return AdapterStart(arguments | {"run": str(Path(cwd, run))} | named)

    def inspector(self) -> StopInspector | None:
        """Return the inspector for stopped runs."""
        from dap_ai.debuggees.runs.adapter.run_inspector import RunInspector  # noqa: PLC0415  only needed for questions

        return RunInspector()


def _placed(arguments: dict[str, Any], cwd: str) -> dict[str, Any]:
    """Return a live agent's working directory, workspace and recording folder as absolute paths."""
    named = {
        name: str(Path(cwd, value)) for name in ("workspace", "out") if isinstance(value := arguments.get(name), str)
    }
    return {"cwd": cwd, **named}


_OF_LIVE = "supportsSetVariable"
"""Capability that the adapter announces for live agents and not for recorded runs."""
_OF_DEBUGPY = "supportsDebuggerProperties"
"""Capability that only debugpy announces."""
backend = AgentsBackend()
