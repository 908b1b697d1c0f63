"""Programs that a copy could hang in, or leave a trace in: tests/debuggees/robust_scenes.py sets each scene."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.snapshot import SnapshotResult
from tests.integration.test_snapshots import ENDLESS, Stopped, stopped
from tests.patience import patient

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="needs root, to become another user"
)

NO_MALLOC = "unavailable: busy: another thread holds a lock of malloc"
NO_CLONE = "unavailable: no copy: errno 1"
NO_DESCRIPTOR = "unavailable: the program has no file descriptor left (RLIMIT_NOFILE)"
NOT_A_PROCESS = "PermissionError: [Errno 1] a snapshot makes no process"


@pytest.fixture
def scene(debuggee: Callable[..., Any]) -> Callable[[str], contextlib.AbstractAsyncContextManager[Stopped]]:
    """`scene("pools")`: the program that has set it, stopped where `x` is 6."""

    @contextlib.asynccontextmanager
    async def start(name: str) -> AsyncGenerator[Stopped]:
        line = debuggee("robust_scenes").line
        async with stopped("robust_scenes", line, args=[name], subProcess=False) as program:
            yield program

    return start


def told(result: SnapshotResult) -> str:
    """The value, or why there is none."""
    return result.value.text if result.value else result.error or result.status


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("held_locks", "42"),
        ("pools", "42"),
        ("executor", "42"),
        ("many_threads", "42"),
        ("many_descriptors", "42"),
        ("few_descriptors", "42"),
        ("no_descriptors", NO_DESCRIPTOR),
        ("limited_memory", "42"),
        ("little_memory", "42"),
        ("no_new_privileges", "42"),
        ("filter_refuses_landlock", "42"),
        ("filter_kills_for_landlock", "42"),
        ("filter_refuses_clone", NO_CLONE),
        pytest.param("another_user", "42", marks=needs_root),
        ("subreaper", "42"),
        ("ignored_children", "42"),
        ("tampered", "42"),
        ("shared_mappings", "42"),
        ("big", "42"),
    ],
)
async def test_a_copy_is_made_or_the_reason_told_and_no_trace_is_left(scene: Any, name: str, answer: str) -> None:
    async with scene(name) as program:
        before = program.process.children(), program.process.num_fds(), program.process.num_threads()

        answers = {told(await program.evaluate("x * 7", deadline_s=0.7)) for _ in range(3)}

        assert answers == {answer}
        assert (program.process.children(), program.process.num_fds(), program.process.num_threads()) == before
        assert await program.finish() == "traces: []\n"


async def test_a_copy_that_waits_for_a_lock_of_malloc_for_ever_is_ended(scene: Any) -> None:
    async with scene("busy_malloc") as program:
        answers = {told(await program.evaluate("x * 7", deadline_s=0.7)) for _ in range(3)}

        assert answers <= {"42", "deadline", NO_MALLOC}
        assert program.process.children() == []
        assert await program.finish() == "traces: []\n"


@pytest.mark.parametrize(
    "expression",
    [
        ENDLESS,
        "sum(iter(int, 1))",
        "numbers(10**11)",
        "kept['lock'].acquire()",
        "LIBC.sleep(1000)",
        "logging.getLogger().warning('never written')",
    ],
)
async def test_what_hangs_ends_at_its_deadline_and_the_session_lives(scene: Any, expression: str) -> None:
    async with scene("held_locks") as program:
        started = time.monotonic()
        result = await program.evaluate(expression, deadline_s=0.5)
        took_s = time.monotonic() - started

        assert (result.status, took_s < patient(2)) == ("deadline", True)
        assert told(await program.evaluate("numbers(4)")) == "6"
        assert await program.finish() == "traces: []\n"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("bytearray(10 << 30)", "MemoryError"),
        ("[bytes(1 << 20) for _ in range(10 << 10)]", "MemoryError"),
        ("os.fork()", NOT_A_PROCESS),
        ("os.forkpty()", NOT_A_PROCESS),
        ("[os.fork() for _ in iter(int, 1)]", NOT_A_PROCESS),
        ("[threading.Thread(target=stop).start() for _ in iter(int, 1)]", "RuntimeError: can't start new thread"),
    ],
)
async def test_a_bomb_ends_at_once_although_a_lost_thread_holds_locks(scene: Any, expression: str, error: str) -> None:
    async with scene("held_locks") as program:
        result = await program.evaluate(expression, deadline_s=20)

        assert (result.status, result.error) == ("raised", error)
        assert result.milliseconds < patient(5000)
        assert await program.finish() == "traces: []\n"


async def test_a_raw_fork_of_libc_fails_at_once(scene: Any) -> None:
    async with scene("held_locks") as program:
        result = await program.evaluate("LIBC.fork()", deadline_s=5)

        assert told(result) == "-1"


async def test_a_fork_on_each_python_fails_at_once(debuggee: Callable[..., Any], debuggee_python: Path) -> None:
    launch = {"args": ["held_locks"], "subProcess": False, "python": [str(debuggee_python)]}
    async with stopped("robust_scenes", debuggee("robust_scenes").line, **launch) as program:
        result = await program.evaluate("os.fork()", deadline_s=5)

        assert (result.error, result.effects) == (NOT_A_PROCESS, ["os.fork"])
        assert await program.finish() == "traces: []\n"


@pytest.mark.parametrize(
    ("name", "expression", "answer"),
    [
        ("pools", "kept['value'].value * 2", "6"),
        ("pools", "[child.is_alive() for child in multiprocessing.active_children()]", "[True, True, True]"),
        ("executor", "kept['future'].running()", "True"),
        ("executor", "kept['executor']._work_queue.qsize()", "0"),
        ("many_descriptors", "kept['files'][1999].fileno() > 1999", "True"),
        ("shared_mappings", "kept['maps'][1][:4] + kept['maps'][2][:2]", "b'ababab'"),
        ("shared_mappings", "kept['maps'][0].write(b'changed')", "7"),
        ("big", "kept['bytes'].count(b'x')", "262144"),
        ("no_new_privileges", "open(os.__file__).read(2)", "'r\"'"),
        ("filter_refuses_landlock", "os.open(os.__file__, os.O_RDONLY)", "PermissionError"),
    ],
)
async def test_the_copy_tells_the_truth_there(scene: Any, name: str, expression: str, answer: str) -> None:
    async with scene(name) as program:
        result = await program.evaluate(expression)

        assert told(result).partition(":")[0] == answer, result
        assert await program.finish() == "traces: []\n"


async def test_shared_memory_of_other_processes_is_not_written(scene: Any) -> None:
    async with scene("pools") as program:
        wrote = await program.evaluate("setattr(kept['value'], 'value', 99) or kept['value'].value")
        asked = await program.evaluate("kept['shared'].copy()", deadline_s=0.7)

        assert told(wrote) == "99"
        assert asked.value is None  # a manager is another process
        assert told(await program.evaluate("kept['value'].value")) == "3"


async def test_twenty_in_a_row_and_five_at_once_in_a_big_process(scene: Any) -> None:
    async with scene("big") as program:
        rows = [told(await program.evaluate("x * 7")) for _ in range(20)]
        at_once = await asyncio.gather(*[program.evaluate("kept['bytes'].count(b'x')") for _ in range(5)])

        assert (set(rows), {told(result) for result in at_once}) == ({"42"}, {"262144"})
        assert program.process.children() == []
