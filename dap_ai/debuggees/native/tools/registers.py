"""The tool `registers`, which shows the processor's general registers in a frame of a native program."""

from __future__ import annotations

from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult
from dap_ai.protocol.contracts.register_names import general_registers
from dap_ai.protocol.contracts.tool_arguments import RegistersArguments
from dap_ai.system.texts import fenced


class RegistersTool(Tool[RegistersArguments]):
    """The processor's general registers in a frame."""

    description = "The general registers of a frame; of an outer frame those that the compiler says are restored."
    arguments = RegistersArguments
    level = "observe"
    only = "native"

    async def run(self, bench: ToolContext, arguments: RegistersArguments) -> ToolResult:
        """List names and values of the registers that the debug adapter shows."""
        if not bench.case.frames:
            return NO_FRAME
        innermost = bench.case.frames[0].id
        frame = bench.frame_id if arguments.frame is not None else innermost
        shown = await general_registers(bench.debugger.request, frame)
        found = {name: _hexadecimal(value) for name, value in shown.items()}
        if not found:
            return ToolResult("The debug adapter shows no registers of this frame.", failed=True)
        width = max(map(len, found))
        return ToolResult(fenced("\n".join(f"{name:<{width}}  {value}" for name, value in found.items())), found)


def _hexadecimal(value: str) -> str:
    """Convert a decimal number, which some adapters show, to hexadecimal."""
    return hex(int(value) & ((1 << 64) - 1)) if value.removeprefix("-").isdecimal() else value.strip()


registers = RegistersTool()
