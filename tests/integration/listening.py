"""What listens in a tree of processes, as the kernel tells it (Linux): TCP, and Unix sockets, abstract ones too."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.processes import command_line

_LISTENS = "0A"
_ACCEPTS = 0x10000
"""A flag of a Unix socket that listens."""
_PERIOD_S = 0.005


class Listener(NamedTuple):
    """A socket that listens. `where`: host and port; or a path, or a name that begins with `@`, and 0."""

    program: str
    kind: str
    where: tuple[str, int]

    @property
    def place(self) -> str:
        """As text."""
        host, port = self.where
        return f"{host}:{port}" if port else host


def listeners(roots: Iterable[int]) -> set[Listener]:
    """Of these processes and their descendants, now."""
    rows = {inode: (kind, where) for inode, kind, where in _rows()}
    return {
        Listener(_program(process), *rows[inode])
        for process in _tree(roots)
        for inode in _inodes(process.pid)
        if inode in rows
    }


@contextlib.contextmanager
def watched(roots: Iterable[int]) -> Generator[set[Listener]]:
    """All that have listened while the block ran, and for 5 ms at least."""
    seen: set[Listener] = set()
    over = threading.Event()
    roots = list(roots)

    def watch() -> None:
        while not over.wait(_PERIOD_S):
            seen.update(listeners(roots))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def _rows() -> Iterator[tuple[str, str, tuple[str, int]]]:
    for kind in ("tcp", "tcp6"):
        for fields in _table(kind):
            if fields[3] == _LISTENS:
                yield fields[9], kind, _address(fields[1])
    for fields in _table("unix"):
        if int(fields[3], 16) & _ACCEPTS:
            yield fields[6], "unix", (fields[7] if len(fields) > 7 else "", 0)


def _table(name: str) -> list[list[str]]:
    with contextlib.suppress(OSError):
        return [row.split() for row in Path(f"/proc/net/{name}").read_text(encoding="utf-8").splitlines()[1:]]
    return []


def _address(text: str) -> tuple[str, int]:
    host, port = text.split(":")
    words = [int(host[at : at + 8], 16) for at in range(0, len(host), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, packed), int(port, 16)


def _tree(roots: Iterable[int]) -> set[psutil.Process]:
    found: set[psutil.Process] = set()
    for root in roots:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(root)
            found |= {process, *process.children(recursive=True)}
    return found


def _inodes(pid: int) -> Iterator[str]:
    with contextlib.suppress(OSError):  # ended meanwhile
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208  hundreds of times a second
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115  as above
                if target.startswith("socket:["):
                    yield target[8:-1]


def _program(process: psutil.Process) -> str:
    """The name of what runs: of a Python its script, which says more."""
    words = command_line(process)
    names = [Path(word).name for word in words]
    scripts = [name for word, name in zip(words[1:], names[1:], strict=True) if not word.startswith("-")]
    return scripts[0] if scripts and names[0].startswith("python") else "".join(names[:1]) or "?"
