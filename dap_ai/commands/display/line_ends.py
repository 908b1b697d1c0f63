"""Whether a line of our own would run into one that the program has begun: both write to the same place."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO


def may_be_within_line(stream: IO[str]) -> bool:
    """Of a file, what its last byte says; of a pipe, which cannot be looked into, True; of what is neither, False."""
    try:
        number = stream.fileno()
        status = os.fstat(number)
        if stat.S_ISREG(status.st_mode):
            return status.st_size > 0 and _last_byte(number, status.st_size) != b"\n"
    except (OSError, ValueError):  # no file of the system's, closed, or one that may not be read
        return False
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)


def are_one(one: IO[str], other: IO[str]) -> bool:
    """Whether both lead to the same file or pipe."""
    try:
        return os.path.sameopenfile(one.fileno(), other.fileno())
    except (OSError, ValueError):
        return one is other


def _last_byte(number: int, size: int) -> bytes:
    """Raises OSError. The file may be open for writing only."""
    with Path(f"/proc/self/fd/{number}").open("rb") as file:
        file.seek(size - 1)
        return file.read(1)
