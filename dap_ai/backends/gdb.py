"""The recipe for gdb 14 and later, which includes a DAP server: starts gdb so that it shows C++ and Rust containers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from dap_ai.backends.generic import GenericBackend
from dap_ai.backends.native import locate, native_recipe
from dap_ai.backends.spawn import inherited
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart

_STRING_CHARACTERS = 4096
"""Maximum number of characters of a string to show; gdb's default is 200."""


class GdbBackend(GenericBackend):
    """The backend for gdb; its interface is contracts.backend.Backend.

    `program`: the path of the gdb to use; empty: find one.
    """

    def __init__(self, program: str = "", announced: Iterable[str] = ()) -> None:
        super().__init__([program or "gdb", "-i", "dap"], announced)
        self.name = "gdb"
        self._program = program

    def announced(self, names: Iterable[str]) -> GdbBackend:
        """Return a backend for a gdb with these capabilities; the capabilities change nothing."""
        return GdbBackend(self._program, names)

    def command(self) -> AdapterCommand:
        """Return the command line that starts gdb. Raises StartError with how to install gdb."""
        return AdapterCommand([self._program or locate.gdb(), *_flags()], {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Adapt launch and attach arguments to gdb.

        `env` becomes the full environment, because gdb adds nothing to it. `processId` and `coreFile` get gdb's form.
        """
        if command == "attach":
            return await asyncio.to_thread(native_recipe.attach_start, arguments)
        env = native_recipe.environment(arguments)
        env |= await asyncio.to_thread(
            native_recipe.sanitizer_options_of, str(arguments.get("program") or ""), env, aborts=True
        )
        return AdapterStart(arguments | {"env": inherited() | env} if env else arguments)


def _flags() -> list[str]:
    """Return the flags that start gdb as a DAP server.

    They disable init files of the user or a project, but allow the scripts with which installed libraries show their
    containers.
    """
    commands = [f"set print characters {_STRING_CHARACTERS}", "set debuginfod enabled off"]
    for folder in locate.gdb_script_folders():
        commands += [f"add-auto-load-safe-path {folder}", f"add-auto-load-scripts-directory {folder}"]
    commands += [f"add-auto-load-safe-path {folder}" for folder in locate.gdb_library_folders()]
    if rust := locate.rust_formatters():
        commands += [f"add-auto-load-safe-path {rust}", f"set directories {rust}:$cdir:$cwd"]
    return ["-nx", "-q", *(word for command in commands for word in ("-iex", command)), "-i", "dap"]


backend = GdbBackend()
