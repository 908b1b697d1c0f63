"""lldb-dap: C, C++, Rust and what else LLVM compiles. Where it is found, and what its launch arguments lack.

What it must never be sent stands in known_adapters.py.
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
"""So much of a string is shown; lldb's own limit is 1024."""


class LldbBackend(GenericBackend):
    """See dap_ai.protocol.contracts.backend.Backend. `program`: its lldb-dap; empty: the one that is found."""

    def __init__(self, program: str = "", announced: Iterable[str] = ()) -> None:
        super().__init__([program or "lldb-dap"], announced)
        self.name = "lldb"
        self._program = program

    def announced(self, names: Iterable[str]) -> LldbBackend:
        """The rules of the version that announces these."""
        return LldbBackend(self._program, names)

    def command(self) -> AdapterCommand:
        """Raises StartError that says how to get one."""
        return AdapterCommand([self._program or locate.lldb_dap()], {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Long strings, Rust's formatters, and `env`, `processId` and `coreFile` as lldb-dap wants them."""
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
            prepared["env"] = [f"{name}={text}" for name, text in env.items()]  # 19 takes no object
        return AdapterStart(prepared, note=start.note)


def _init_commands(*, rust: bool) -> list[str]:
    commands = [f"settings set target.max-string-summary-length {STRING_CHARACTERS}"]
    folder = locate.rust_formatters() if rust else None
    if folder and not re.search(r'["\\\n]', str(folder)):  # no way to quote these is common to lldb and its Python
        # Not stripped, the category would be named `Rust\n`, which the formatters of enums do not find.
        # `command source` would print each of its eighty commands, lldb-dap 19 among the program's own output.
        each = f"for line in open({str(folder / 'lldb_commands')!r}): lldb.debugger.HandleCommand(line.strip())"
        commands += [f'command script import "{folder}/lldb_lookup.py"', f"script {each}"]
    return commands


backend = LldbBackend()
