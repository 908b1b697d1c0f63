"""Detects that the reader of our stdout has closed it.

A long search would not notice, because it writes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Generator


@contextlib.contextmanager
def on_stdout_closed(tell: Callable[[], None]) -> Generator[None]:
    """Call `tell` when the reader of stdout closes it, as long as this context is open.

    Works for pipes and sockets on POSIX only.
    """
    loop, fd = asyncio.get_running_loop(), _stdout()

    def look() -> None:
        loop.remove_reader(fd)
        if _is_unread(fd):
            tell()

    with contextlib.suppress(NotImplementedError):  # Windows
        if fd >= 0:
            loop.add_reader(fd, look)  # for a write-only descriptor this fires on an error: the other end is closed
    try:
        yield
    finally:
        if fd >= 0:
            with contextlib.suppress(NotImplementedError):
                loop.remove_reader(fd)


def _stdout() -> int:
    """Return the file descriptor of stdout if it is a pipe or a socket, otherwise -1."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # stdout is closed or replaced by another object
        mode = os.fstat(sys.stdout.fileno()).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            return sys.stdout.fileno()
    return -1


def _is_unread(fd: int) -> bool:
    """Return whether the other end of a pipe or socket is closed; a socket with input does not count."""
    import select  # noqa: PLC0415  `poll` is POSIX only

    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))
