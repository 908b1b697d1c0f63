"""gdb 14 and later, which speaks DAP itself: how it is started so that it shows C++'s and Rust's containers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from dap_ai.backends.generic import GenericBackend
from dap_ai.backends.native import locate, native_recipe
from dap_ai.backends.spawn import inherited
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart

_STRING_CHARACTERS = 4096
"""So much of a string is shown; gdb's own limit is 200."""


class GdbBackend(GenericBackend):
    """See dap_ai.protocol.contracts.backend.Backend. `program`: its gdb; empty: the one that is found."""

    def __init__(self, program: str = "", announced: Iterable[str] = ()) -> None:
        super().__init__([program or "gdb", "-i", "dap"], announced)
        self.name = "gdb"
        self._program = program

    def announced(self, names: Iterable[str]) -> GdbBackend:
        """The same: all that speak DAP are alike."""
        return GdbBackend(self._program, names)

    def command(self) -> AdapterCommand:
        """Raises StartError that says how to get one."""
        return AdapterCommand([self._program or locate.gdb(), *_flags()], {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """`env` added to ours, because gdb starts a program with nothing else; `processId` and `coreFile`."""
        if command == "attach":
            return await asyncio.to_thread(native_recipe.attach_start, arguments)
        env = native_recipe.environment(arguments)
        env |= await asyncio.to_thread(
            native_recipe.sanitizer_options_of, str(arguments.get("program") or ""), env, aborts=True
        )
        return AdapterStart(arguments | {"env": inherited() | env} if env else arguments)


def _flags() -> list[str]:
    """No file of the user's or a project's runs, but the scripts of installed libraries do: they show containers."""
    commands = [f"set print characters {_STRING_CHARACTERS}", "set debuginfod enabled off"]
    for folder in locate.gdb_script_folders():
        commands += [f"add-auto-load-safe-path {folder}", f"add-auto-load-scripts-directory {folder}"]
    commands += [f"add-auto-load-safe-path {folder}" for folder in locate.gdb_library_folders()]
    if rust := locate.rust_formatters():
        commands += [f"add-auto-load-safe-path {rust}", f"set directories {rust}:$cdir:$cwd"]
    return ["-nx", "-q", *(word for command in commands for word in ("-iex", command)), "-i", "dap"]


backend = GdbBackend()
