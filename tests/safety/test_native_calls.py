"""Native programs: whatever is read at a stop, at any level, no function of the program runs for it.

With one exception, which no reader of a stack can avoid: lldb-dap 19 calls one function of the C++ runtime in each
`stackTrace`, the editor's too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.protocol.contracts import tool_arguments
from tests.integration import native
from tests.integration.native_launch import WAIT_S
from tests.integration.native_stop import stopped

pytestmark = pytest.mark.anyio
ADAPTERS = ("lldb-dap 19", "lldb-dap 23", "gdb")
ASKED = ("numbers[1]", "held->value", "text[0]", "nowhere", "handle.value", "handle->value", "handle[0]", "*handle",
         "&handle", "(int)handle", "chosen", "chosen()", "getpid()", "numbers.size()", "text", "held")  # fmt: skip

BY_ADAPTER = {"lldb-dap 19": {"__cxa_current_exception_type"}}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that tells which of its functions run after it was stopped."""
    return native.build(native.SOURCES / "called.cpp", tmp_path_factory.mktemp("called"))


@pytest.fixture
def called(program: Path) -> Path:
    """The file that names what ran."""
    (trace := program.with_name("called.trace")).unlink(missing_ok=True)
    return trace


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_an_answer_about_a_stop_runs_no_function_of_the_program(adapter: str, program: Path, called: Path):
    async with stopped(adapter, program, cwd=str(program.parent)) as stop:
        case = await stop.case()
        asked = [
            tool_arguments.StackArguments(),
            tool_arguments.ThreadsArguments(),
            tool_arguments.VariablesToolArguments(),
            tool_arguments.RegistersArguments(),
            tool_arguments.DisassembleArguments(),
        ]
        for arguments in (
            *asked,
            *map(tool_arguments.EvaluateToolArguments, ASKED),
            *map(tool_arguments.TypeArguments, ASKED[:4]),
        ):
            await stop.tool(arguments)

        assert case.inspection.fault is not None and case.inspection.fault.signal == "SIGSEGV"
        assert names_in(called) - BY_ADAPTER.get(adapter, set()) == set()


@pytest.mark.parametrize(
    ("adapter", "command"),
    [("lldb-dap 19", "stackTrace"), ("lldb-dap 23", "exceptionInfo")],
)
async def test_what_lldb_dap_calls_is_seen(adapter: str, command: str, program: Path, called: Path):
    """The trace above can tell it: what is not sent for an answer does it here, and what every editor sends."""
    async with stopped(adapter, program, cwd=str(program.parent)) as stop:
        await stop.client.request(command, {"threadId": stop.stop.thread_id}, WAIT_S)

        assert names_in(called) == {"__cxa_current_exception_type"}


def names_in(trace: Path) -> set[str]:
    """The functions that have run; none where there is no file."""
    return set(trace.read_text(encoding="ascii").splitlines()) if trace.exists() else set()
