"""Programs with shared memory, and what a copy makes of it: tests/debuggees/memory_scenes.py sets each scene."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_snapshot_robust import told
from tests.integration.test_snapshots import Stopped, stopped

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
needs_root = pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="needs root: it watches forks")
UNCHANGED, SERVED = "traces: []\n\n", "traces: []\nserved\n"
LACKS = "unavailable: a copy does not have all memory of the program: no "
AT_ANOTHER = "unavailable: another process serves the program's memory by a userfaultfd"
TOLD = "unavailable: a userfaultfd of the program waits to be told of every copy"


@pytest.fixture
def scene(debuggee: Callable[..., Any]) -> Callable[..., contextlib.AbstractAsyncContextManager[Stopped]]:
    """`scene("sparse")`: the program that has set it, stopped where `x` is 6."""

    @contextlib.asynccontextmanager
    async def start(*arguments: str, **launch: Any) -> AsyncGenerator[Stopped]:
        line = debuggee("memory_scenes").line
        async with stopped("memory_scenes", line, args=list(arguments), subProcess=False, **launch) as program:
            yield program

    return start


async def test_shared_memory_that_was_never_used_stays_unused(scene: Any) -> None:
    async with scene("sparse") as program:
        assert told(await program.evaluate("x * 7")) == "42"
        assert told(await program.evaluate("kept['memory'][100 << 20], kept['memory'][5]")) == "(7, 0)"
        assert await program.finish() == UNCHANGED


async def test_a_copy_takes_nothing_of_a_folder_in_memory(scene: Any) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        async with scene("sparse_files", folder) as program:
            read = "[(each[4096 * 5], each[4096 * 6000], each[47 << 20]) for each in kept['maps']]"
            write = "kept['maps'][0].write(b'a'), kept['maps'][1].write(b'b'), kept['maps'][1][4096 * 4000:][:1]"

            assert told(await program.evaluate(read)) == "[(7, 0, 0), (120, 0, 0)]"
            assert told(await program.evaluate(write)) == "(1, 1, b'x')"
            assert await program.finish() == UNCHANGED


async def test_a_large_file_is_seen_but_not_written(scene: Any, tmp_path: Path) -> None:
    async with scene("file", str(tmp_path)) as program:
        read = "kept['whole'][:1], kept['whole'][63 << 12], kept['part'][0], kept['part'][-1], kept['closed'][0]"
        write = "[each.__setitem__(0, each[1]) or each[0] for each in (kept['part'], kept['closed'])]"
        before = (tmp_path / "data").read_bytes()[: 1 << 20]

        assert told(await program.evaluate(read)) == "(b'\\x00', 63, 3, 12, b'\\x02')"
        assert told(await program.evaluate("kept['whole'].write(b'abc' * 9)")) == "27"
        assert told(await program.evaluate(write)) == "[3, b'\\x02']"
        assert (tmp_path / "data").read_bytes()[: 1 << 20] == before
        assert await program.finish() == UNCHANGED


@pytest.mark.parametrize("name", ["served_memory", "served_private_memory"])
async def test_what_a_userfaultfd_serves_is_not_in_a_copy(scene: Any, name: str) -> None:
    async with scene(name) as program:
        assert told(await program.evaluate("x * 7")) == "42"
        assert told(await program.evaluate("kept['memory'][0]")).startswith(LACKS)
        assert await program.finish() == SERVED


@pytest.mark.parametrize(
    ("name", "reason"),
    [pytest.param("told_of_forks", TOLD, marks=needs_root), ("served_by_another", AT_ANOTHER)],
)
async def test_no_copy_is_made_that_a_userfaultfd_may_hold(scene: Any, name: str, reason: str) -> None:
    async with scene(name) as program:
        assert told(await program.evaluate("x * 7")) == reason
        assert await program.finish() == SERVED


async def test_a_fork_before_does_not_end_copies_of_a_program_with_numpy(scene: Any) -> None:
    async with scene("numpy_fork", python=[sys.executable]) as program:
        answers = [told(await program.evaluate("x * 7")) for _ in range(12)]

        assert answers == ["42"] * 12
        assert told(await program.evaluate("float((kept['a'] @ kept['a']).sum())")) == "27000000.0"
        assert await program.finish() == UNCHANGED
