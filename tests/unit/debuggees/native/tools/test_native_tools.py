"""The tools for native programs over an adapter that answers from a table."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.tool_table import every_tool, run
from dap_ai.debuggees.native.tools.memory_tool import secrets_in
from dap_ai.protocol.contracts import tool_arguments
from dap_ai.protocol.contracts.inspection import Inspection, ThreadFacts, ThreadFrame
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import as_it_is

TOOLS = every_tool()

pytestmark = pytest.mark.anyio
MEMORY = 0x10000


@dataclass
class Adapter:
    """A Debugger without an inspector's answers."""

    answers: dict[str, Any] = field(default_factory=dict)
    memory: bytes = b""
    can_inspect: bool = True
    current: bool = True
    why_no_snapshot: str = "a native program is not copied"
    stop: StopEvent = field(default_factory=lambda: StopEvent(1, 1, None, "exception"))

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if command == "readMemory" and self.memory:
            return self._read(int(arguments["memoryReference"], 16), arguments["count"])
        if command not in self.answers:
            raise RequestFailed(command, "cannot", f"The debug adapter does not support '{command}'.")
        return self.answers[command]

    def _read(self, address: int, count: int) -> dict[str, Any]:
        """As gdb: all or nothing."""
        start = address - MEMORY
        if start < 0 or start + count > len(self.memory):
            raise RequestFailed("readMemory", "no", f"Cannot access memory at address {address:#x}")
        return {"address": hex(address), "data": base64.b64encode(self.memory[start : start + count]).decode()}


def bench(adapter: Adapter, **more: Any) -> ToolContext:
    frame = StackFrame(0, "main", "", 3, user=True)
    inspection = Inspection([], kind=more.pop("kind", "native"), threads=more.pop("threads", []))
    case = StopSnapshot(
        adapter.stop, Sources(), [frame], [FramePlace(frame)], inspection, "observe", **more.pop("case", {})
    )
    return ToolContext(adapter, case, **{"mask": as_it_is, **more})  # type: ignore[arg-type]


async def result_of(name: str, arguments: tool_arguments.ToolArguments, made: ToolContext) -> ToolResult:
    assert arguments.tool == name
    return await run(made, arguments)


def hides(secret: str) -> Any:
    return lambda text: text.replace(secret, "<secret:1>")


async def test_bytes_are_shown_in_rows_of_sixteen():
    made = bench(Adapter(memory=bytes(range(32, 112)).ljust(4096, b"\0")))

    shown = (await result_of("memory", tool_arguments.MemoryArguments(hex(MEMORY), count=20), made)).text

    assert "0x10000  20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f   !\"#$%&'()*+,-./" in shown
    assert "0x10010  30 31 32 33  " in shown


async def test_at_the_end_of_what_can_be_read_the_rest_is_counted():
    made = bench(Adapter(memory=b"x" * 4096))

    shown = (await result_of("memory", tool_arguments.MemoryArguments(hex(MEMORY + 4090), count=100), made)).text

    assert shown.startswith("6 bytes at `0x10ffa`")
    assert "The 94 bytes after them cannot be read." in shown


async def test_an_adapter_that_reads_no_memory_says_so():
    result = await result_of("memory", tool_arguments.MemoryArguments("0x1000"), bench(Adapter()))

    assert (result.failed, "does not support 'readMemory'" in result.text) == (True, True)


@pytest.mark.parametrize("address", ["password", "config->api_key", "&user.password[3]"])
async def test_memory_that_a_secret_name_leads_to_is_not_read(address: str):
    result = await result_of(
        "memory", tool_arguments.MemoryArguments(address), bench(Adapter(memory=b"hunter2".ljust(4096)))
    )

    assert result.failed
    assert "may hold a secret" in result.text


def test_the_bytes_of_a_secret_are_hidden_and_no_others():
    made = bench(Adapter(), mask=hides("hunter2"))

    assert secrets_in(made, b"ab hunter2 cd") == [False] * 3 + [True] * 7 + [False] * 3


def test_the_bytes_of_a_secret_in_wide_characters_are_hidden():
    made = bench(Adapter(), mask=hides("hunter2"))

    hidden = secrets_in(made, "a hunter2 b".encode("utf-16-le"))

    assert all(hidden[4:18:2])


async def test_a_secret_that_begins_before_the_window_is_hidden_in_it():
    made = bench(Adapter(memory=b"....hunter2....".ljust(4096, b".")), mask=hides("hunter2"))

    shown = (await result_of("memory", tool_arguments.MemoryArguments(hex(MEMORY + 8), count=4), made)).text

    assert "** ** ** 2e" in shown
    assert "er2" not in shown


async def test_instructions_stand_under_their_source_line_and_the_frames_own_is_marked():
    rows = [
        {
            "address": "0x400",
            "instruction": "movq    -0x58(%rbp), %rax        ",
            "line": 3,
            "location": {"path": "a.c"},
        },
        {"address": "0x404", "instruction": "movl    (%rax), %eax             "},
        {"address": "0x406", "instruction": "retq", "line": 4, "location": {"path": "a.c"}},
    ]
    stack = {"stackFrames": [{"id": 0, "instructionPointerReference": "0x404"}]}
    made = bench(Adapter({"stackTrace": stack, "disassemble": {"instructions": rows}}))

    shown = (await result_of("disassemble", tool_arguments.DisassembleArguments(), made)).text

    assert shown.splitlines()[3:8] == [
        "a.c:3",
        "   0x400  movq -0x58(%rbp), %rax",
        "=> 0x404  movl (%rax), %eax",
        "a.c:4",
        "   0x406  retq",
    ]


async def test_a_line_of_a_file_outside_of_the_programs_folders_is_not_shown_with_its_instructions(tmp_path: Path):
    (tmp_path / "private.c").write_text("a private line\n")
    location = {"path": str(tmp_path / "private.c")}
    rows = [{"address": "0x404", "instruction": "retq", "line": 1, "location": location}]
    stack = {"stackFrames": [{"id": 0, "instructionPointerReference": "0x404"}]}
    made = bench(Adapter({"stackTrace": stack, "disassemble": {"instructions": rows}}))

    shown = (await result_of("disassemble", tool_arguments.DisassembleArguments(), made)).text

    assert "private.c:1" in shown
    assert "a private line" not in shown


async def test_registers_without_the_special_ones_and_in_hexadecimal():
    rows = [{"name": "rax", "value": "16"}, {"name": "rip", "value": "0x40 <main>"}, {"name": "st0", "value": "0"}]
    scopes = {"scopes": [{"name": "Registers", "variablesReference": 1}]}
    made = bench(Adapter({"scopes": scopes, "variables": {"variables": rows}}))

    assert (await result_of("registers", tool_arguments.RegistersArguments(), made)).data == {
        "rax": "0x10",
        "rip": "0x40 <main>",
    }


async def test_threads_tell_who_waits_for_whom():
    threads = [
        ThreadFacts("bank", 2, current=True, frames=[ThreadFrame("transfer", "/a.c", 8)], waiting="mutex", wants="0x9", owner=3),
        ThreadFacts("bank", 3, frames=[ThreadFrame("main", "/a.c", 20)], waiting="join", owner=2),
    ]  # fmt: skip
    listed = {"threads": [{"id": 2, "name": "bank"}, {"id": 3, "name": "bank"}]}
    made = bench(Adapter({"threads": listed}), threads=threads)

    shown = (await result_of("threads", tool_arguments.ThreadsArguments(), made)).text

    assert "2 bank: transfer /a.c:8, waits in mutex for 0x9, which thread 3 holds" in shown
    assert "3 bank: main /a.c:20, waits in join of thread 2" in shown


async def test_a_frame_beyond_the_end_of_a_deep_stack_is_refused():
    made = bench(Adapter({"stackTrace": {"stackFrames": []}}), case={"total_frames": 2004})

    result = await result_of("registers", tool_arguments.RegistersArguments(frame=2004), made)

    assert result.text == "There is no frame 2004: the stack has the frames 0 to 2003."


@pytest.mark.parametrize("name", ["frames", "registers", "memory", "disassemble"])
async def test_a_python_program_has_none_of_these_tools(name: str):
    arguments = tool_arguments.MemoryArguments("x") if name == "memory" else tool_arguments.TOOLS[name]()

    result = await result_of(name, arguments, bench(Adapter(), kind="python"))

    assert (result.failed, "Only native programs" in result.text) == (True, True)


def test_what_is_for_one_kind_of_program_is_not_offered_in_the_other():
    native, python = bench(Adapter()), bench(Adapter(), kind="python")

    assert {name for name, tool in TOOLS.items() if not tool.fits(native)} == {
        "trace",
        "history",
        "try_fix",
        "slice",
        "info",
    }
    assert {name for name, tool in TOOLS.items() if not tool.fits(python)} >= {"frames", "registers", "memory"}
