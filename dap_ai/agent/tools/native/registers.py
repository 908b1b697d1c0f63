"""`registers`: the processor's general registers in a frame of a native program."""

from __future__ import annotations

import re
from typing import Any

from dap_ai.agent.tools.base import NO_FRAME, Bench, Tool, ToolResult, fenced
from dap_ai.protocol.contracts.tools import Registers

_GENERAL = re.compile(r"r(?:[a-d]x|[sd]i|[sb]p|ip|flags|\d+)|eflags|x\d+|sp|pc|fp|lr|cpsr", re.IGNORECASE)


class RegistersTool(Tool[Registers]):
    """The processor's general registers."""

    description = "The general registers of a frame; of an outer frame those that the compiler says are restored."
    arguments = Registers
    level = "observe"
    only = "native"

    async def run(self, bench: Bench, arguments: Registers) -> ToolResult:
        """Names and values, as the adapter shows them."""
        if not bench.case.frames:
            return NO_FRAME
        innermost = bench.case.frames[0].id
        found = await registers_of(bench, bench.frame_id if arguments.frame is not None else innermost)
        if not found:
            return ToolResult("The debug adapter shows no registers of this frame.", failed=True)
        width = max(map(len, found))
        return ToolResult(fenced("\n".join(f"{name:<{width}}  {value}" for name, value in found.items())), found)


async def registers_of(bench: Bench, frame_id: int) -> dict[str, str]:
    """The general registers by name. Raises NotStopped, RequestFailed."""
    scopes = (await bench.debugger.request("scopes", {"frameId": frame_id})).get("scopes", [])
    scope = next((s for s in scopes if str(s.get("name", "")).lower() == "registers"), None)
    rows = await _rows(bench, scope) if scope else []
    if rows and rows[0].get("variablesReference"):  # lldb-dap lists them in groups, the general ones first
        rows = await _rows(bench, rows[0])
    pairs = {str(row.get("name", "")): str(row.get("value", "")) for row in rows}
    general = {name: _hexadecimal(value) for name, value in pairs.items() if _GENERAL.fullmatch(name)}
    if "rsp" in general:
        general.pop("sp", None)  # its lower half, in lldb-dap
    return general


def _hexadecimal(value: str) -> str:
    """Where an adapter shows a decimal number."""
    return hex(int(value) & ((1 << 64) - 1)) if value.removeprefix("-").isdecimal() else value.strip()


async def _rows(bench: Bench, holder: dict[str, Any]) -> list[dict[str, Any]]:
    reference = int(holder.get("variablesReference") or 0)
    return (await bench.debugger.request("variables", {"variablesReference": reference})).get("variables", [])


registers = RegistersTool()
