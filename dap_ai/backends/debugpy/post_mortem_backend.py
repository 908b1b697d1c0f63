"""A process that holds itself after a failure , read and copied as debugpy's debuggees are."""

from __future__ import annotations

from typing import Any

from dap_ai.backends.debugpy.recipe import DebugpyBackend
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart, StartError


class PostMortemBackend(DebugpyBackend):
    """It runs already, and answers what it is asked at any time. See contracts.backend.Backend."""

    name = "post-mortem"
    wedged_while_running: frozenset[str] = frozenset()
    runs_beside: frozenset[str] = frozenset()

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """None: nothing is launched."""
        return None

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """None: the program does not begin any more."""
        return None

    def command(self) -> AdapterCommand:
        """Nothing starts it. Raises StartError."""
        raise StartError("a process is held by itself")

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """The arguments, unchanged. Raises StartError."""
        if command == "launch":
            raise StartError("A process that is held runs already: use a configuration of request `attach`.")
        return AdapterStart(arguments)
