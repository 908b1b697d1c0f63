"""Memory that a copy shares with its debuggee is replaced by a private copy of it, at the same address."""

from __future__ import annotations

import os
import re
import struct
from typing import Iterator

from .syscalls import ANYTHING, AT_FDCWD, Buffer, Step, attempt, call, path_pointer, read_file, step

_MAX_COPIED_BYTES = 256 << 20
_SOME_BYTES = 4 << 20
_READ, _WRITE, _EXECUTE, _SHARED = 1, 2, 4, 8
_GET_DUMPABLE = 3
_RIGHTS = _READ | _WRITE | _EXECUTE
_PRIVATE_AT_A_PLACE = 0x100022  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
_RESERVED = 0x4022  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
_MOVE_OVER = 3  # MREMAP_MAYMOVE | MREMAP_FIXED
_GPU = (b"/dev/nvidia", b"/dev/kfd", b"/dev/dri/")
_LINE = re.compile(rb"\n([0-9a-f]+)-([0-9a-f]+) (...)s [^\n/]*([^\n]*)")

_QUERY = struct.Struct("=QQQQQQQQQIIIIQQ")
_ASK_MAPS = 3 << 30 | _QUERY.size << 16 | ord("f") << 8 | 17  # PROCMAP_QUERY, Linux 6.11
_OR_NEXT = 0x10
_NAME_BYTES = 256
_NO_SUCH, _NOT_SUPPORTED = 2, (22, 25)  # ENOENT; EINVAL, ENOTTY

_query = Buffer(_QUERY.size + _NAME_BYTES)
_memory = Buffer(16)
_memory.put(b"/proc/self/mem\0")


def make_private(kept: int) -> list[Step]:
    """Leaves a copy no shared mapping but the one at `kept`. Raises OSError where a GPU is in use.

    Read-only ones too: `mprotect` could make them writable again. A device, or too much, is unmapped, so that using it
    ends the copy. Descriptor 0 must be free.
    """
    steps: list[Step] = []
    room_at = 0
    found = _shared_mappings()
    is_readable = call("prctl", _GET_DUMPABLE, 0, 0, 0, 0) == 1  # not if the process has changed its user
    left = _MAX_COPIED_BYTES
    for start, size, rights, name in found:
        if name.startswith(_GPU):
            raise OSError(16, "a GPU library is in use")
        if start == kept:
            continue
        is_device = name.startswith(b"/dev/") and not name.startswith((b"/dev/shm/", b"/dev/zero"))
        if not rights & _READ or size > left or is_device or not is_readable:
            steps.append(step("munmap", start, size))
            continue
        room_at = room_at or _free_address(max(each[1] for each in found if each[1] <= _MAX_COPIED_BYTES))
        steps += [
            step("mmap", room_at, size, _READ | _WRITE, _PRIVATE_AT_A_PLACE, -1, 0, gives=room_at),
            step("pread64", 0, room_at, size, start, gives=ANYTHING),  # stops at pages beyond the end of their file
            step("mremap", room_at, size, size, _MOVE_OVER, start, gives=start),
            step("mprotect", start, size, rights),
        ]
        left -= size
    if not room_at:
        return steps  # nothing to copy: the memory of a process that has changed its user cannot even be opened
    return [step("openat", AT_FDCWD, _memory.address, os.O_RDONLY, gives=0), *steps, step("close", 0)]


def _free_address(size: int) -> int:
    """Where each copy is made before it is moved to its place; something there meanwhile ends the copy.

    It lies far below the next free address, where the interpreter may put something until the copy is made; not where
    the program's limit leaves no room for that. Raises OSError.
    """
    for space in (_MAX_COPIED_BYTES, _SOME_BYTES, 0):
        address = attempt("mmap", 0, size + space, 0, _RESERVED, -1, 0)
        if address != -1:
            call("munmap", address, size + space)
            return address
    raise OSError(12, "mmap")


def _shared_mappings() -> list[tuple[int, int, int, bytes]]:
    """Address, bytes, rights and file name of each."""
    fd = call("openat", AT_FDCWD, path_pointer(b"/proc/self/maps"), os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = list(_ask(fd))
    except OSError as error:
        if error.errno not in _NOT_SUPPORTED:
            raise
        found = _parse(read_file(b"/proc/self/maps"))
    call("close", fd)
    return found


def _ask(fd: int) -> Iterator[tuple[int, int, int, bytes]]:
    """The kernel finds them: to read of all mappings takes half a millisecond in a fresh copy."""
    address = 0
    while True:
        name_at = _query.address + _QUERY.size
        fields = (_QUERY.size, _SHARED | _OR_NEXT, address, 0, 0, 0, 0, 0, 0, 0, 0, _NAME_BYTES, 0, name_at, 0)
        try:
            call("ioctl", fd, _ASK_MAPS, _query.put(_QUERY.pack(*fields)))
        except OSError as error:
            if error.errno == _NO_SUCH:
                return
            raise
        reply = _QUERY.unpack(_query.get(_QUERY.size))
        start, address, rights, name_size = reply[3], reply[4], reply[5], reply[11]
        yield start, address - start, rights & _RIGHTS, _query.get(max(0, name_size - 1), _QUERY.size)


def _parse(maps: bytes) -> list[tuple[int, int, int, bytes]]:
    found: list[tuple[int, int, int, bytes]] = []
    for first, after, letters, name in _LINE.findall(b"\n" + maps):
        rights = sum(bit for letter, bit in ((b"r", _READ), (b"w", _WRITE), (b"x", _EXECUTE)) if letter in letters)
        found.append((int(first, 16), int(after, 16) - int(first, 16), rights, name))
    return found
