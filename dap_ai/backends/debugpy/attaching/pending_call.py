"""Removes a script that `sys.remote_exec` has queued, by clearing the flag that the interpreter checks (Linux).

A thread's state holds the flag and, right behind the flag, the script's path (`_PyRemoteDebuggerSupport`, Python 3.14
and 3.15). Python has no function to clear the flag. Our path contains random letters, so a search of the memory finds
it. Nothing is written unless flag and path are found together.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

_PENDING, _NONE = struct.pack("i", 1), struct.pack("i", 0)
_PIECE = 4 << 20
_MOST = 512 << 20
"""Maximum number of bytes to search.

The main thread's state is a global variable of the interpreter, and those variables are searched first.
"""


class _TooMuchError(Exception):
    """Raised if the process has more memory than the search may read."""


def clear(process_id: int, script: str) -> bool:
    """Remove the script from the queue; return whether it is certainly not queued any more.

    Returns False if the process's memory cannot be read completely.
    """
    wanted = _PENDING + os.fsencode(script) + b"\0"
    if not os.path.exists("/proc/self/mem"):  # noqa: PTH110  beside open
        return False
    try:
        with open(f"/proc/{process_id}/mem", "r+b", buffering=0) as memory:  # noqa: PTH123  unbuffered
            at = next(_places(memory, process_id, wanted), None)
            if at is not None:
                memory.seek(at)
                memory.write(_NONE)
    except (FileNotFoundError, ProcessLookupError):
        return True  # the process has ended
    except (OSError, _TooMuchError):
        return False
    return True


def _places(memory: BinaryIO, process_id: int, wanted: bytes) -> Iterator[int]:
    looked = 0
    for start, end in _writable(process_id):
        for begin in range(start, end, _PIECE):
            try:
                memory.seek(begin)
                found = memory.read(min(_PIECE + len(wanted), end - begin)).find(wanted)
            except OSError:  # unmapped meanwhile, or a device
                break
            if found >= 0:
                yield begin + found
            looked += _PIECE
            if looked > _MOST:
                raise _TooMuchError


def _writable(process_id: int) -> list[tuple[int, int]]:
    """Return (start, end) addresses of the writable private memory, with the interpreter's variables first."""
    found: list[tuple[bool, int, int]] = []
    with open(f"/proc/{process_id}/maps", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  as above
        for line in file:
            where, mode, _offset, _device, _inode, *name = line.split(None, 5)
            if mode.startswith("rw") and "s" not in mode:
                start, end = (int(part, 16) for part in where.split("-"))
                found.append(("python" not in "".join(name), start, end))
    return [(start, end) for _other, start, end in sorted(found)]
