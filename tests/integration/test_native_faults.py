"""Why a native program stopped, which threads it has, how deep its stack is: by every native debug adapter here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration import native
from tests.integration.native_stop import stopped

ADAPTERS = ["lldb-dap 19", "lldb-dap 23", "gdb"]
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native.build("faults", tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("read", ("SIGSEGV", 0, "read")),
        ("member", ("SIGSEGV", 8, "read")),
        ("write", ("SIGSEGV", 0, "write")),
        ("garbage", ("SIGSEGV", 0x4141414142424242, "read")),
        ("execute", ("SIGSEGV", 0, "execute")),
        ("divide", ("SIGFPE", None, "")),
        ("abort", ("SIGABRT", None, "")),
        ("illegal", ("SIGILL", None, "")),
    ],
)
async def test_the_fault_is_told_with_its_address_and_kind_of_access(
    adapter: str, faults: Path, argument: str, expected: tuple[str, int | None, str]
):
    async with stopped(adapter, faults, argument) as stop:
        fault = (await stop.case()).inspection.fault

        assert fault is not None
        assert (fault.signal, fault.address, fault.access) == expected


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_fault_comes_with_the_instruction_and_the_general_registers(adapter: str, faults: Path):
    async with stopped(adapter, faults, "read") as stop:
        found = (await stop.case()).inspection

        assert found.fault is not None
        assert found.fault.instruction
        assert len(found.registers) >= 16
        assert all(value.startswith("0x") for name, value in found.registers.items() if "flags" not in name)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("source", ["deadlock.c", "deadlock.cpp", "deadlock.rs"])
async def test_of_two_threads_in_a_deadlock_each_is_told_to_hold_what_the_other_wants(
    adapter: str, source: str, tmp_path: Path
):
    program = native.build(native.SOURCES / source, tmp_path)
    async with stopped(adapter, program) as stop:
        threads = (await stop.case()).inspection.threads

        waiting = {thread.ident: thread for thread in threads if thread.waiting == "mutex"}
        assert len(waiting) == 2
        assert {thread.owner for thread in waiting.values()} == set(waiting)
        assert len({thread.wants for thread in waiting.values()} - {""}) >= 1


@pytest.mark.parametrize("adapter", ["lldb-dap 23", "gdb"])
async def test_a_thread_that_joins_another_is_told_to_wait_for_it(adapter: str, tmp_path: Path):
    program = native.build("deadlock", tmp_path)
    async with stopped(adapter, program) as stop:
        threads = (await stop.case()).inspection.threads

        joins = next(thread for thread in threads if thread.waiting == "join")
        joined = next(thread for thread in threads if thread.ident == joins.owner)
        assert any(frame.name == "first" for frame in joined.frames)


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_deep_stack_is_counted_and_its_outermost_frames_are_read(adapter: str, faults: Path):
    async with stopped(adapter, faults, "deep") as stop:
        case = await stop.case()

        outer = [frame.name for frame in case.outermost if frame.user]
        assert outer[-1] == "main"
        number = case.total_frames - len(case.outermost) + [f.name for f in case.outermost].index("main")
        assert number == 2000
        assert not case.more_frames
