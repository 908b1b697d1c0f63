"""The tools that only native programs have, by every native debug adapter here."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dap_ai.protocol.contracts import tool_arguments
from tests.integration import native
from tests.integration.native_stop import NativeStop, stopped

ADAPTERS = ["lldb-dap 23", "gdb", "lldb-dap 19"]
WITH_MEMORY = ADAPTERS[:2]
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native.build("faults", tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=ADAPTERS)
async def read(request: pytest.FixtureRequest, faults: Path) -> AsyncIterator[NativeStop]:
    """Stopped where it reads at null, by each adapter; no tool changes that."""
    async with stopped(request.param, faults, "read") as stop:
        yield stop


@pytest.fixture(scope="module", params=ADAPTERS)
async def deep(request: pytest.FixtureRequest, faults: Path) -> AsyncIterator[NativeStop]:
    """Stopped in a recursion 2,000 calls deep."""
    async with stopped(request.param, faults, "deep") as stop:
        yield stop


with_memory = pytest.mark.parametrize("read", WITH_MEMORY, indirect=True)


async def test_a_recursion_is_folded_in_the_stack_with_its_true_number(deep: NativeStop):
    shown = (await deep.tool(tool_arguments.StackArguments())).text

    assert "1,997 frames more of depth -> depth: 2,000 in all" in shown
    assert "\n#2000 main " in shown


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_recursion_through_two_functions_is_folded_too(adapter: str, faults: Path):
    async with stopped(adapter, faults, "mutual") as stop:
        shown = (await stop.tool(tool_arguments.StackArguments())).text

        assert re.search(r"frames more of (odd -> even -> odd|even -> odd -> even): 302 in all", shown)


async def test_frames_far_out_are_paged_and_can_be_looked_into(deep: NativeStop):
    page = (await deep.tool(tool_arguments.FramesArguments(start=1990, count=20))).text
    frame = (await deep.tool(tool_arguments.FrameArguments(frame=1500))).text

    assert "#2000 main " in page
    assert "n = 1500" in frame


async def test_registers_are_those_of_the_frame(read: NativeStop):
    shown = (await read.tool(tool_arguments.RegistersArguments())).text

    assert re.search(r"^rax +0x0+$", shown, re.MULTILINE)
    assert re.search(r"^rip +0x\w+", shown, re.MULTILINE)


@with_memory
@pytest.mark.parametrize("address", ["greeting", "&greeting", "&greeting[0]"])
async def test_memory_is_shown_as_bytes_and_text(address: str, read: NativeStop):
    shown = (await read.tool(tool_arguments.MemoryArguments(address, count=13))).text

    assert "68 65 6c 6c 6f 2c 20 77 6f 72 6c 64 00" in shown
    assert "hello, world." in shown


@pytest.mark.parametrize("address", ["one.next", "0x10", "numbers[0] + numbers[1]", "main()"])
async def test_what_is_no_readable_memory_is_said_to_be_none(address: str, read: NativeStop):
    result = await read.tool(tool_arguments.MemoryArguments(address))

    assert result.failed
    assert result.text.startswith(f"`{address}`")


def hide(text: str) -> str:
    return text.replace("hello, world", "<secret>")


@with_memory
async def test_a_secret_is_blank_in_memory_where_the_window_begins_within_it(read: NativeStop):
    result = await read.tool(tool_arguments.MemoryArguments("&greeting[3]", count=8), mask=hide)

    assert "** ** ** ** ** ** ** **" in result.text
    assert "lo, worl" not in result.text


async def test_the_instruction_that_failed_is_marked_under_its_source_line(read: NativeStop):
    shown = (await read.tool(tool_arguments.DisassembleArguments(around=4))).text

    assert re.search(r"faults\.c:\d+  return one\.next->value;.*\n(   0x.*\n)*=> 0x\w+  mov", shown)


async def test_a_page_of_an_array_begins_where_it_is_asked_to(read: NativeStop):
    shown = (await read.tool(tool_arguments.VariablesToolArguments("numbers", start=500, count=2))).text

    assert "501 to 502 of 1000" in shown
    assert re.search(r"500\]? = 1500 .*\n\[?501\]? = 1503 ", shown)


async def test_an_expression_is_computed_from_what_is_read(read: NativeStop):
    result = await read.tool(tool_arguments.EvaluateToolArguments("one.value + numbers[4]"))

    assert "`13`" in result.text
    assert "nothing was called" in result.status


@pytest.mark.parametrize("expression", ["abort()", "one.value = 5", "one.value++", "$rip", "`script 1`"])
async def test_what_would_change_or_call_is_refused_by_name(expression: str, read: NativeStop):
    result = await read.tool(tool_arguments.EvaluateToolArguments(expression))

    assert result.failed
    assert "was not evaluated: " in result.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("trace", tool_arguments.TraceArguments("main()")),
        ("try_fix", tool_arguments.TryFixArguments([])),
        ("slice", tool_arguments.SliceArguments("one")),
        ("info", tool_arguments.InfoArguments("main")),
    ],
)
async def test_a_tool_for_python_says_what_to_do_instead(
    name: str, arguments: tool_arguments.ToolArguments, read: NativeStop
):
    result = await read.tool(arguments)

    assert result.failed
    assert result.text.startswith(f"`{name}` is not for this program. ")
