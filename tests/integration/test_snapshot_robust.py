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

from dap_ai.protocol.contracts.snapshot_messages import SnapshotResult
from tests.conftest import marked_lines
from tests.integration.inspector_client import DEBUGGEES
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


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def locked() -> AsyncGenerator[Stopped]:
    """`held_locks`, one session for all tests whose copies could wait for a lost thread."""
    (line,) = marked_lines((DEBUGGEES / "robust_scenes.py").read_text("utf-8")).values()
    async with stopped("robust_scenes", line, args=["held_locks"], subProcess=False) as program:
        yield program


IS_MADE = [("x * 7", "42")] * 3
NOTHING = "no value"
TRUTH: dict[str, list[tuple[str, str]]] = {
    "pools": [
        *IS_MADE,
        ("kept['value'].value * 2", "6"),
        ("[child.is_alive() for child in multiprocessing.active_children()]", "[True, True, True]"),
        ("setattr(kept['value'], 'value', 99) or kept['value'].value", "99"),
        ("kept['shared'].copy()", NOTHING),  # a manager is another process
        ("kept['value'].value", "3"),
    ],
    "executor": [
        *IS_MADE,
        ("kept['future'].running()", "True"),
        ("kept['executor']._work_queue.qsize()", "0"),
    ],
    "many_threads": IS_MADE,
    "many_descriptors+shared_mappings": [
        *IS_MADE,
        ("kept['files'][1999].fileno() > 1999", "True"),
        ("kept['maps'][1][:4] + kept['maps'][2][:2]", "b'ababab'"),
        ("kept['maps'][0].write(b'changed')", "7"),
    ],
    "few_descriptors": IS_MADE,
    "no_descriptors": [("x * 7", NO_DESCRIPTOR)] * 3,
    "limited_memory": IS_MADE,
    "little_memory": IS_MADE,
    "no_new_privileges": [*IS_MADE, ("open(os.__file__).read(2)", "'r\"'")],
    "filter_refuses_landlock": [*IS_MADE, ("os.open(os.__file__, os.O_RDONLY)", "PermissionError")],
    "filter_kills_for_landlock": IS_MADE,
    "filter_refuses_clone": [("x * 7", NO_CLONE)] * 3,
    "another_user": IS_MADE,
    "subreaper+ignored_children": IS_MADE,
    "tampered": IS_MADE,
    "big": [*IS_MADE, ("kept['bytes'].count(b'x')", "262144")],
}
"""By scene: expressions, and what a copy tells of each: the value, or why there is none. `held_locks`: below."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_root if name == "another_user" else ()) for name in TRUTH]
)
async def test_a_copy_tells_the_truth_or_why_there_is_none_and_no_trace_is_left(scene: Any, name: str) -> None:
    async with scene(name) as program:
        before, threads = (program.process.children(), program.process.num_fds()), program.process.num_threads()

        for expression, wanted in TRUTH[name]:
            result = await program.evaluate(expression, deadline_s=0.7 if wanted is NOTHING else 5)
            said = NOTHING if wanted is NOTHING and result.value is None else told(result)
            assert wanted in (said, said.partition(":")[0]), (expression, result)

        assert (program.process.children(), program.process.num_fds()) == before
        assert program.process.num_threads() <= threads  # the debugger's own may just have ended
        if name == "big":
            at_once = await asyncio.gather(*[program.evaluate("kept['bytes'].count(b'x')") for _ in range(3)])
            assert {told(result) for result in at_once} == {"262144"}
            assert program.process.children() == []
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
async def test_what_hangs_ends_at_its_deadline_and_the_session_lives(locked: Stopped, expression: str) -> None:
    started = time.monotonic()
    result = await locked.evaluate(expression, deadline_s=0.5)
    took_s = time.monotonic() - started

    assert (result.status, took_s < patient(2)) == ("deadline", True)
    assert told(await locked.evaluate("numbers(4)")) == "6"


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
async def test_a_bomb_ends_at_once_although_a_lost_thread_holds_locks(
    locked: Stopped, expression: str, error: str
) -> None:
    result = await locked.evaluate(expression, deadline_s=20)

    assert (result.status, result.error) == ("raised", error)
    assert result.milliseconds < patient(5000)


async def test_a_raw_fork_of_libc_fails_at_once(locked: Stopped) -> None:
    assert told(await locked.evaluate("LIBC.fork()", deadline_s=5)) == "-1"


async def test_no_trace_is_left_of_all_that_hung_and_burst(locked: Stopped) -> None:
    assert locked.process.children() == []
    assert await locked.finish() == "traces: []\n"
