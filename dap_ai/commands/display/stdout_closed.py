"""Whether anybody still reads stdout: a search of minutes writes nothing by which it would find out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Generator


@contextlib.contextmanager
def on_stdout_closed(tell: Callable[[], None]) -> Generator[None]:
    """Within it, `tell` is called once the reader of stdout has gone; of pipes and sockets, on POSIX."""
    loop, fd = asyncio.get_running_loop(), _stdout()

    def look() -> None:
        loop.remove_reader(fd)
        if _is_unread(fd):
            tell()

    with contextlib.suppress(NotImplementedError):  # Windows
        if fd >= 0:
            loop.add_reader(fd, look)  # where nothing can be read, it is called at an error: the other end is closed
    try:
        yield
    finally:
        if fd >= 0:
            with contextlib.suppress(NotImplementedError):
                loop.remove_reader(fd)


def _stdout() -> int:
    """Its number; -1 if it is no pipe and no socket."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or another object in its place
        mode = os.fstat(sys.stdout.fileno()).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            return sys.stdout.fileno()
    return -1


def _is_unread(fd: int) -> bool:
    """Not so a socket at which something can be read."""
    import select  # noqa: PLC0415  `poll` is POSIX's

    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))
