"""The backend for a process that holds itself after a failure; dap_ai reads and copies it like a debugged program."""

from __future__ import annotations

from typing import Any

from dap_ai.backends.debugpy.recipe import DebugpyBackend
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart, StartError


class PostMortemBackend(DebugpyBackend):
    """The backend for a held process, which already runs and answers requests at any time.

    The methods are described in contracts.backend.Backend.
    """

    name = "post-mortem"
    wedged_while_running: frozenset[str] = frozenset()
    runs_beside: frozenset[str] = frozenset()

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """No set-up request (None), because nothing is launched."""
        return None

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """No greeting (None), because the program has already started."""
        return None

    def command(self) -> AdapterCommand:
        """Raise StartError, because a held process already runs."""
        raise StartError("a process is held by itself")

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Return the arguments unchanged. Raises StartError for a launch."""
        if command == "launch":
            raise StartError("A process that is held runs already: use a configuration of request `attach`.")
        return AdapterStart(arguments)
