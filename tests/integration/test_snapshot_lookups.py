"""A copy must not tell the server of a file system what it looks for there; the server is real, and hears it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.integration import fuse
from tests.integration.test_snapshot_robust import told
from tests.integration.test_snapshots import stopped

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(bool(fuse.missing()), reason=fuse.missing() or "-")]


DENIED = "no path was looked up: a network or user file system is mounted, and may not be told of it"


class Folder(NamedTuple):
    """Where the file system is mounted, and the names that its server was asked for."""

    path: Path
    asked: list[str]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    place = tmp_path / "mounted"
    place.mkdir()
    (tmp_path / "link").symlink_to(place)
    with fuse.mounted(place) as asked:
        assert not (place / "control").exists()
        assert asked == ["control"]
        asked.clear()
        yield Folder(place, asked)


WAYS = """
os.path.exists('{path}/name')
os.lstat('{path}/../mounted/./name')
os.access('{path}/name', 0)
os.readlink('{path}/name')
os.listdir('{path}/name')
open('{path}/name')
os.stat('{path}/name/deeper')
os.path.exists('{path}/../link/name')
os.path.exists('/proc/self/root{path}/name')
os.path.exists('/proc/%d/root{path}/name' % os.getppid())
os.path.exists('mounted/name')
os.path.exists('{up}{path}/name')
__import__('ctypes').CDLL(None).access(b'{path}/name', 0)
__import__('sys').path.insert(0, '{path}') or __import__('name_of_a_module')
__import__('glob').glob('{path}/name*')
""".strip().splitlines()


async def test_no_name_is_told_whatever_way_it_is_looked_for(debuggee: Callable[..., Any], folder: Folder) -> None:
    up = "/.." * 20
    ways = [way.format(path=folder.path, up=up) for way in WAYS]
    async with stopped("snapshot_account", debuggee("snapshot_account").line, cwd=str(folder.path.parent)) as program:
        folder.asked.clear()
        results = [(way, await program.evaluate(way)) for way in ways]

        assert folder.asked == []
        assert [way for way, result in results if not any("lookup of " in each for each in result.effects)] == []
        assert told(results[0][1]) == "False"
        assert results[0][1].effects == [f"lookup of {folder.path}/name (on fuse)"]


async def test_a_program_that_stands_there_looks_nothing_up_by_its_relative_paths(
    debuggee: Callable[..., Any], folder: Folder
) -> None:
    async with stopped("snapshot_account", debuggee("snapshot_account").line, cwd=str(folder.path)) as program:
        folder.asked.clear()

        assert told(await program.evaluate("os.path.exists('name')")) == "False"
        assert folder.asked == []


async def test_other_paths_are_looked_up_beside_it(debuggee: Callable[..., Any], folder: Folder) -> None:
    async with stopped("snapshot_account", debuggee("snapshot_account").line) as program:
        descriptors = program.process.num_fds()
        imported = await program.evaluate("__import__('xml.dom.minidom').dom.minidom.Node.TEXT_NODE")

        assert (told(imported), imported.effects) == ("3", [])
        assert told(await program.evaluate("os.path.exists(__file__), os.path.exists('/nowhere')")) == "(True, False)"
        assert program.process.num_fds() == descriptors
        assert folder.asked == []


async def test_what_looks_for_ever_ends_and_the_editor_does_not_wait(
    debuggee: Callable[..., Any], folder: Folder
) -> None:
    async with stopped("snapshot_account", debuggee("snapshot_account").line) as program:
        result = await program.evaluate("[1 for _ in iter(int, 1) if os.path.exists('/nowhere')]", deadline_s=0.7)

        assert result.status == "deadline"
        assert told(await program.evaluate("acct.balance")) == "100"
        assert os.path.ismount(folder.path)


@pytest.mark.parametrize("name", ["filter_listens", "filter_refuses_pidfd_getfd", "filter_refuses_process_vm_readv"])
async def test_no_path_at_all_is_looked_up_where_a_copy_cannot_ask(
    debuggee: Callable[..., Any], folder: Folder, name: str
) -> None:
    launch = {"args": [name], "subProcess": False}
    async with stopped("robust_scenes", debuggee("robust_scenes").line, **launch) as program:
        there = await program.evaluate("os.path.exists(os.__file__)")
        result = await program.evaluate(f"os.path.exists('{folder.path}/name')")

        assert told(await program.evaluate("x * 7")) == "42"
        assert [told(there), told(result)] == ["False", "False"]
        assert result.effects == [DENIED] and there.effects == [DENIED]
        assert folder.asked == []
        assert await program.finish() == "traces: []\n"
