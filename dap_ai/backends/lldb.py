"""The recipe for lldb-dap (C, C++, Rust and others): finds lldb-dap and completes its launch arguments.

Requests that must never reach lldb-dap are in known_adapters.py.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import Any

from dap_ai.backends.generic import GenericBackend
from dap_ai.backends.native import elf, locate, native_recipe
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart

STRING_CHARACTERS = 4096
"""Maximum number of characters of a string to show; lldb's default is 1024."""


class LldbBackend(GenericBackend):
    """The backend for lldb-dap; its interface is contracts.backend.Backend.

    `program`: the path of the lldb-dap to use; empty: find one.
    """

    def __init__(self, program: str = "", announced: Iterable[str] = ()) -> None:
        super().__init__([program or "lldb-dap"], announced)
        self.name = "lldb"
        self._program = program

    def announced(self, names: Iterable[str]) -> LldbBackend:
        """Return a backend with the rules of the lldb-dap version that announces these capabilities."""
        return LldbBackend(self._program, names)

    def command(self) -> AdapterCommand:
        """Return the command line that starts lldb-dap. Raises StartError with how to install it."""
        return AdapterCommand([self._program or locate.lldb_dap()], {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Adapt launch and attach arguments to lldb-dap.

        Adds long strings and Rust formatters. `env`, `processId` and `coreFile` get lldb-dap's form.
        """
        is_attach = command == "attach"
        start = await asyncio.to_thread(native_recipe.attach_start, arguments) if is_attach else AdapterStart(arguments)
        prepared = dict(start.arguments)
        program = str(prepared.get("program") or f"/proc/{prepared.get('pid')}/exe")
        rust = await asyncio.to_thread(elf.is_rust, program)
        prepared["initCommands"] = [*_init_commands(rust=rust), *(prepared.get("initCommands") or ())]
        env = native_recipe.environment(prepared)
        if command == "launch":
            env |= await asyncio.to_thread(native_recipe.sanitizer_options_of, program, env, aborts=False)
        if env:
            prepared["env"] = [f"{name}={text}" for name, text in env.items()]  # version 19 does not accept an object
        return AdapterStart(prepared, note=start.note)


def _init_commands(*, rust: bool) -> list[str]:
    commands = [f"settings set target.max-string-summary-length {STRING_CHARACTERS}"]
    folder = locate.rust_formatters() if rust else None
    if folder and not re.search(r'["\\\n]', str(folder)):  # lldb and its Python have no common way to quote these
        # Without `strip` the category would be named `Rust\n`, and the formatters of enums would not find it.
        # `command source` would print its eighty commands, and lldb-dap 19 would mix them with the program's output.
        each = f"for line in open({str(folder / 'lldb_commands')!r}): lldb.debugger.HandleCommand(line.strip())"
        commands += [f'command script import "{folder}/lldb_lookup.py"', f"script {each}"]
    return commands


backend = LldbBackend()
