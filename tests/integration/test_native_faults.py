"""Why a native program stopped, which threads it has, how deep its stack is: by every native debug adapter here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration import native
from tests.integration.native_stop import stopped

ADAPTERS = ["lldb-dap 19", "lldb-dap 23", "gdb"]
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native.build("faults", tmp_path_factory.mktemp("faults"))


FAULTS = {
    "read": ("SIGSEGV", 0, "read"),
    "member": ("SIGSEGV", 8, "read"),
    "write": ("SIGSEGV", 0, "write"),
    "garbage": ("SIGSEGV", 0x4141414142424242, "read"),
    "execute": ("SIGSEGV", 0, "execute"),
    "divide": ("SIGFPE", None, ""),
    "abort": ("SIGABRT", None, ""),
    "illegal": ("SIGILL", None, ""),
}
BY_19 = ("read", "garbage", "execute", "divide")
"""One of each form in which lldb words a fault; an old lldb-dap is asked about these alone."""


@pytest.mark.parametrize(
    ("adapter", "argument"),
    [(adapter, argument) for adapter in ADAPTERS for argument in (BY_19 if adapter == "lldb-dap 19" else FAULTS)],
)
async def test_the_fault_is_told_with_its_address_kind_of_access_and_registers(
    adapter: str, faults: Path, argument: str
):
    async with stopped(adapter, faults, argument) as stop:
        found = (await stop.case()).inspection

        assert found.fault is not None
        assert (found.fault.signal, found.fault.address, found.fault.access) == FAULTS[argument]
        if argument == "read":
            assert found.fault.instruction
            assert len(found.registers) >= 16
            assert all(value.startswith("0x") for name, value in found.registers.items() if "flags" not in name)


@pytest.fixture(scope="module")
def deadlocks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`deadlocks("deadlock.c")`: the program, compiled once."""
    folder = tmp_path_factory.mktemp("deadlocks")
    return functools.cache(lambda source: native.build(native.SOURCES / source, folder, source.replace(".", "_")))


@pytest.mark.parametrize(
    ("adapter", "source"),
    [(adapter, f"deadlock{suffix}") for adapter in ADAPTERS for suffix in (".c", ".cpp", ".rs")],
)
async def test_of_two_threads_in_a_deadlock_each_is_told_to_hold_what_the_other_wants(
    adapter: str, source: str, deadlocks: Callable[[str], Path]
):
    async with stopped(adapter, deadlocks(source)) as stop:
        threads = (await stop.case()).inspection.threads

        waiting = {thread.ident: thread for thread in threads if thread.waiting == "mutex"}
        assert len(waiting) == 2
        assert {thread.owner for thread in waiting.values()} == set(waiting)
        assert len({thread.wants for thread in waiting.values()} - {""}) >= 1
        if source == "deadlock.c" and adapter != "lldb-dap 19":
            joins = next(thread for thread in threads if thread.waiting == "join")
            joined = next(thread for thread in threads if thread.ident == joins.owner)
            assert any(frame.name == "first" for frame in joined.frames), "a thread that joins waits for the other"


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_deep_stack_is_counted_and_its_outermost_frames_are_read(adapter: str, faults: Path):
    async with stopped(adapter, faults, "deep") as stop:
        case = await stop.case()

        outer = [frame.name for frame in case.outermost if frame.user]
        assert outer[-1] == "main"
        number = case.total_frames - len(case.outermost) + [f.name for f in case.outermost].index("main")
        assert number == 2000
        assert not case.more_frames
