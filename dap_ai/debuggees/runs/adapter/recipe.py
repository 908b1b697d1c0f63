"""How the proxy starts the adapter of agent runs, and what it must not be sent."""

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
    """See dap_ai.protocol.contracts.backend.Backend. A launch names `run`, the path of a recorded run, or `command`."""

    def __init__(self, announced: Iterable[str] = (), run: str = "") -> None:
        """`run`: the run of a launch that names none."""
        super().__init__(child_python.command(_ADAPTER), announced)
        self.name = "agents"
        self.denied = {} if _OF_LIVE in frozenset(announced) else READ_ONLY
        self._run = run

    def announced(self, names: Iterable[str]) -> Backend:
        """The same; of a child session, which is an agent's own Python, debugpy's."""
        known = frozenset(names)
        return debugpy.backend if _OF_DEBUGPY in known else AgentsBackend(known, self._run)

    def command(self) -> AdapterCommand:
        """This Python, with this package."""
        return AdapterCommand(child_python.command(_ADAPTER), {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Raises StartError where no run is named, none is there, or the extra `runs` is not installed."""
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
        """What knows that this is a run."""
        from dap_ai.debuggees.runs.adapter.run_inspector import RunInspector  # noqa: PLC0415  only a session with a question needs it

        return RunInspector()


def _placed(arguments: dict[str, Any], cwd: str) -> dict[str, Any]:
    """Of a live agent: where it runs, which files are followed, where its recording goes."""
    named = {
        name: str(Path(cwd, value)) for name in ("workspace", "out") if isinstance(value := arguments.get(name), str)
    }
    return {"cwd": cwd, **named}


_OF_LIVE = "supportsSetVariable"
"""A capability that our adapter announces of an agent that runs, and of no recorded run."""
_OF_DEBUGPY = "supportsDebuggerProperties"
"""A capability that no other adapter announces."""
backend = AgentsBackend()
