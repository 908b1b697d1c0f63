"""Checks whether the program has left an unfinished line in a file or pipe that our next line would continue."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO


def may_be_within_line(stream: IO[str]) -> bool:
    """Return whether the last line of a stream may lack its line end.

    A file's last byte decides. A pipe or socket cannot be inspected, so the answer is True; for other streams, False.
    """
    try:
        number = stream.fileno()
        status = os.fstat(number)
        if stat.S_ISREG(status.st_mode):
            return status.st_size > 0 and _last_byte(number, status.st_size) != b"\n"
    except (OSError, ValueError):  # without a file descriptor, closed, or not readable
        return False
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)


def are_one(one: IO[str], other: IO[str]) -> bool:
    """Return whether two streams write to the same file or pipe."""
    try:
        return os.path.sameopenfile(one.fileno(), other.fileno())
    except (OSError, ValueError):
        return one is other


def _last_byte(number: int, size: int) -> bytes:
    """Return the last byte of an open file, which may be open for writing only. Raises OSError."""
    with Path(f"/proc/self/fd/{number}").open("rb") as file:
        file.seek(size - 1)
        return file.read(1)
