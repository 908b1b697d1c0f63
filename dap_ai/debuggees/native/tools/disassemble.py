"""The tool `disassemble`, which shows machine instructions of a frame or at an address, with their source lines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from dap_ai.agent.case.source_roots import Roots, UnreadableFileError, roots_of
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult
from dap_ai.debuggees.native.tools.memory_tool import MemoryReadError, address_of
from dap_ai.protocol.contracts.tool_arguments import DisassembleArguments
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import code, fenced

_MAX_CODE_CHARS = 120


class DisassembleTool(Tool[DisassembleArguments]):
    """The machine instructions around a frame's current one, or around an address, with their source lines."""

    description = "Machine instructions, `around` before and after where a frame stands (marked), or at an address."
    arguments = DisassembleArguments
    level = "observe"
    main = "{address}"
    only = "native"

    async def run(self, bench: ToolContext, arguments: DisassembleArguments) -> ToolResult:
        """List the instructions. Each source line is above the first instruction that the compiler made from it."""
        try:
            here = await address_of(bench, arguments.address) if arguments.address else await _pointer(bench, arguments)
            rows = await _instructions(bench, here, arguments.around)
        except MemoryReadError as error:
            return ToolResult(f"Nothing was disassembled: {error}.", failed=True)
        if not here:
            return NO_FRAME
        shown = fenced("\n".join(await asyncio.to_thread(lambda: [*_rows(bench, rows, here)])))
        before = sum(_address(row) < here for row in rows)
        note = "" if before or not arguments.around else "\n\nThe debug adapter returned none before it."
        return ToolResult(f"Instructions at {code(hex(here))}:\n\n{shown}{note}")


async def _pointer(bench: ToolContext, arguments: DisassembleArguments) -> int:
    """Return the address of the frame's next instruction; 0 if there is no frame. Raises MemoryReadError."""
    case = bench.case
    wanted = bench.frame_id if arguments.frame is not None else (case.frames[0].id if case.frames else 0)
    numbers = [n for n, frame in enumerate(case.frames) if frame.id == wanted]
    number = numbers[0] if numbers else arguments.frame or 0
    page = {"threadId": case.stop.thread_id, "startFrame": number, "levels": 1}
    rows = (await bench.debugger.request("stackTrace", page)).get("stackFrames", [])
    reference = next((str(row.get("instructionPointerReference") or "") for row in rows), "")
    if rows and not reference:
        raise MemoryReadError("the debug adapter does not tell where the frame stands")
    return max(0, _number(reference)) if reference else 0


async def _instructions(bench: ToolContext, here: int, around: int) -> list[dict[str, Any]]:
    """Request the instructions around an address. Raises MemoryReadError or NotStopped."""
    wanted = {
        "memoryReference": hex(here),
        "instructionOffset": -around,
        "instructionCount": 2 * around + 1,
        "resolveSymbols": True,
    }
    try:
        rows = (await bench.debugger.request("disassemble", wanted)).get("instructions", [])
        if not any(_address(row) == here for row in rows):
            only = wanted | {"instructionOffset": 0, "instructionCount": around + 1}
            rows = (await bench.debugger.request("disassemble", only)).get("instructions", [])
    except NotStopped:
        raise
    except RequestFailed as error:
        raise MemoryReadError(error.user_text.rstrip(".")) from error
    if not rows:
        raise MemoryReadError(f"there is no code at {here:#x}")
    return rows


def _rows(bench: ToolContext, rows: list[dict[str, Any]], here: int) -> Iterator[str]:
    spot, roots = ("", 0), roots_of(bench.case)
    for row in rows:
        location: dict[str, Any] = row.get("location") or {}
        path, line = str(location.get("path") or spot[0]), int(row.get("line") or spot[1])
        if (path, line) != spot:
            spot = (path, line)
            yield f"{bench.short(path)}:{line}  {_line_of(bench, roots, path, line)}".rstrip()
        mark = "=>" if _address(row) == here else "  "
        yield f"{mark} {_address(row):#x}  {' '.join(str(row.get('instruction', '')).split())}"


def _line_of(bench: ToolContext, roots: Roots, path: str, line: int) -> str:
    """Return the text of a source line, or an empty string if the file must not be read.

    Debug information can name any file. gdb names a file as it was compiled, so the path in the stack that ends with
    this name is preferred.
    """
    ends = [frame.path for frame in bench.case.frames if frame.user and frame.path.endswith(f"/{path.lstrip('./')}")]
    if not ends and not path.startswith("/"):
        return ""
    try:
        source = bench.sources.text(str(roots.check(ends[0] if ends else path)))
    except UnreadableFileError:
        return ""
    return cut(source.line(line).strip(), _MAX_CODE_CHARS) if source else ""


def _address(row: dict[str, Any]) -> int:
    return _number(str(row.get("address", "")))


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return -1


disassemble = DisassembleTool()
