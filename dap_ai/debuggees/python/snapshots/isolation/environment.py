"""Overwrites secrets in the environment and arguments as C code sees them (`getenv`, `environ`), in a copy."""

from __future__ import annotations

import ctypes
from typing import Any, List, Tuple

from .syscalls import read_file

_MAX_VARIABLES = 10_000
_MAX_BYTES = 4 << 20
_FIRST_FIELD = 3
"""The number of the first field after the program's name in `/proc/self/stat`; the name may contain blanks."""
_ARGUMENTS, _ENVIRONMENT = 48, 50

Blocks = List[Tuple[int, int]]
"""(address, size) of each block of memory."""


_known: Blocks = []


def blocks() -> Blocks:
    """Returns the memory blocks that hold the arguments and the environment; a copy has the same addresses."""
    if not _known:
        _known.extend(_blocks())
    return _known


def _blocks() -> Blocks:
    try:
        fields = read_file(b"/proc/self/stat").rpartition(b")")[2].split()
        lines = read_file(b"/proc/self/maps").splitlines()
    except OSError:
        return []
    mapped = [tuple(int(end, 16) for end in line.split()[0].split(b"-")) for line in lines if b" rw" in line]
    found: Blocks = []
    for number in (_ARGUMENTS, _ENVIRONMENT):
        start, end = (int(field) for field in fields[number - _FIRST_FIELD : number - _FIRST_FIELD + 2])
        if 0 < end - start <= _MAX_BYTES and any(low <= start and end <= high for low, high in mapped):
            found.append((start, end - start))
    return found


def blank_environment(where: Blocks, pairs: list[tuple[str, str]]) -> None:
    """Replaces each secret by a text of the same length, in the blocks and in the current `environ`."""
    written = [(secret.encode("utf-8", "surrogateescape"), shown.encode()) for secret, shown in pairs]
    for address, size in [*where, *_variables()]:
        data = ctypes.string_at(address, size)
        for secret, shown in written:
            at = data.find(secret) if len(shown) <= len(secret) else -1
            while at >= 0:
                ctypes.memmove(address + at, shown.ljust(len(secret), b"*"), len(secret))
                at = data.find(secret, at + len(secret))


def _variables() -> Blocks:
    found: Blocks = []
    try:
        pointers: Any = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    except ValueError:
        return found
    if not pointers:
        return found
    for number in range(_MAX_VARIABLES):
        address = pointers[number]
        if not address:
            break
        found.append((address, len(ctypes.string_at(address))))
    return found
