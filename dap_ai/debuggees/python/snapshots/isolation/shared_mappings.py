"""Finds this process's shared mappings, which of their pages are present, and its open files.

This module uses only system calls that keep the GIL, with buffers made beforehand, so that no audit hook and no
replaced function of `os` is called. The editor waits in the meantime, so the kernel does the filtering (PROCMAP_QUERY),
and C code does the work for each descriptor.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from typing import Any, Iterator, NamedTuple

from .syscalls import AT_FDCWD, MACHINE, PAGE, Buffer, attempt, call, path_pointer, read_each, read_file

READ, WRITE, EXECUTE, _SHARED = 1, 2, 4, 8
_RIGHTS = READ | WRITE | EXECUTE
DELETED = b" (deleted)"
_LINE = rb"\n([0-9a-f]+)-([0-9a-f]+) (...)s ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\d+) *([^\n]*)"

_QUERY = struct.Struct("=QQQQQQQQQIIIIQQ")
_ASK_MAPS = 3 << 30 | _QUERY.size << 16 | ord("f") << 8 | 17  # PROCMAP_QUERY, Linux 6.11
_OR_NEXT = 0x10
_NAME_BYTES = 4096
_NO_SUCH, _NOT_SUPPORTED = 2, (22, 25)  # ENOENT; EINVAL, ENOTTY

_MODE_AT = 24 if MACHINE == "x86_64" else 16
_major: Any = getattr(os, "major", None)
_minor: Any = getattr(os, "minor", None)
_PAGES_AT_ONCE = 1 << 16
_THERE = rb"\x01+"

_query = Buffer(_QUERY.size + _NAME_BYTES)
_pages = Buffer(_PAGES_AT_ONCE)
_FOLDER = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_DIRECTORY", "O_CLOEXEC"))
_LENGTH_AT, _NAME_AT, _ENTRY_BYTES = 16, 19, 24
"""Offsets in a `struct linux_dirent64`, and its size for names of up to four characters."""
_USERFAULT = b"anon_inode:[userfaultfd]"
_SLOT_BYTES = len(_USERFAULT)

_entries = Buffer(_ENTRY_BYTES << 9)
_slots = Buffer(_SLOT_BYTES << 9)
_link = Buffer(4096)
STATUS_BYTES, IDENTITY_BYTES = 256, 16
"""Sizes of a buffer for `struct stat`, and of the device and inode numbers at its start."""
_status = Buffer(STATUS_BYTES)


class SharedMapping(NamedTuple):
    """A shared mapping of this process."""

    start: int
    size: int
    rights: int
    name: bytes
    """The path of the mapped file, which may have been deleted; b"" without a file."""
    offset: int = 0
    """The byte offset of the mapping in its file."""
    device: tuple[int, int] = (0, 0)
    inode: int = 0
    page_bytes: int = PAGE


def shared_mappings() -> list[SharedMapping]:
    """Returns all shared mappings of this process. Raises OSError."""
    fd = call("openat", AT_FDCWD, path_pointer(b"/proc/self/maps"), os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = list(_ask(fd))
    except OSError as error:
        if error.errno not in _NOT_SUPPORTED:
            raise
        found = parse(read_file(b"/proc/self/maps"))
    finally:
        call("close", fd)
    return found


def _ask(fd: int) -> Iterator[SharedMapping]:
    """Yields shared mappings by a kernel query, which is faster than reading all mappings from /proc/self/maps."""
    # Each query asks for the first shared mapping at or behind `address`, the end of the last one; ENOENT: there is
    # none. The bits of the rights and the flags are those of `enum procmap_query_flags` in linux/fs.h.
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
        start, address, rights, page_bytes, offset, inode, major, minor, name_size = reply[3:12]
        name = _query.get(max(0, name_size - 1), _QUERY.size)
        yield SharedMapping(start, address - start, rights & _RIGHTS, name, offset, (major, minor), inode, page_bytes)


def parse(maps: bytes) -> list[SharedMapping]:
    """Parses the text of /proc/self/maps, for kernels without the query; the text lacks the page size."""
    found: list[SharedMapping] = []
    for first, after, letters, offset, major, minor, inode, name in re.findall(_LINE, b"\n" + maps):
        rights = sum(bit for letter, bit in ((b"r", READ), (b"w", WRITE), (b"x", EXECUTE)) if letter in letters)
        start = int(first, 16)
        device = int(major, 16), int(minor, 16)
        size, at = int(after, 16) - start, int(offset, 16)
        found.append(SharedMapping(start, size, rights, name.replace(b"\\012", b"\n"), at, device, int(inode)))
    return found


def pages_there(mapping: SharedMapping) -> list[tuple[int, int]]:
    """Returns (offset, bytes) of each run of pages that are in memory, without reading any page.

    If the kernel does not tell the program about a file's pages, all pages count as present. Raises OSError.
    """
    runs: list[tuple[int, int]] = []
    for begin in range(0, mapping.size, _PAGES_AT_ONCE * PAGE):
        size = min(mapping.size - begin, _PAGES_AT_ONCE * PAGE)
        # mincore(2): one byte per page, of which only the lowest bit is defined; it asks page tables and page cache, so
        # nothing comes into memory. In pieces, for a buffer of a fixed size; a run that goes on in the next piece is
        # joined.
        call("mincore", mapping.start + begin, size, _pages.address)
        for run in re.finditer(_THERE, _pages.get(size // PAGE)):
            first, last = begin + run.start() * PAGE, begin + run.end() * PAGE
            if runs and sum(runs[-1]) == first:
                first = runs.pop()[0]
            runs.append((first, last - first))
    return runs


def open_files() -> dict[bytes, list[int]]:
    """Returns the open descriptors by the target that the kernel reports, such as a file's path."""
    found: dict[bytes, list[int]] = {}
    folder = attempt("openat", AT_FDCWD, path_pointer(b"/proc/self/fd"), _FOLDER)
    if folder == -1:
        return found  # a process that has changed its user may not list its own
    for data in _entries_of(folder):
        for fd in _numbers(data):
            size = attempt("readlinkat", folder, path_pointer(b"%d" % fd), _link.address, _link.size)
            found.setdefault(_link.get(max(size, 0)), []).append(fd)
    call("close", folder)
    return found


def userfault_descriptors() -> list[int]:
    """Returns descriptors of userfaultfds, by which a process serves memory of this or another process."""
    folder = attempt("openat", AT_FDCWD, path_pointer(b"/proc/self/fd"), _FOLDER)
    if folder == -1:
        return []
    might_be = any(_might_be_userfault(folder, data) for data in _entries_of(folder))
    call("close", folder)
    return open_files().get(_USERFAULT, []) if might_be else []


def _might_be_userfault(folder: int, data: bytes) -> bool:
    """Whether a directory entry may be a userfaultfd's; C code alone examines the entries."""
    # A test with false positives but no false negatives: `open_files` then checks exactly. Entries with names of up to
    # four characters have the same size, so the lengths are every 24th byte, and the names lie at equal distances.
    # `readlinkat` cuts each link to the length of the sought name; what an earlier call has left in a slot can only
    # add a false positive.
    count = len(data) // _ENTRY_BYTES
    if data[_LENGTH_AT::_ENTRY_BYTES].count(_ENTRY_BYTES) < count or len(data) % _ENTRY_BYTES:
        return True  # numbers of five digits
    if count * _SLOT_BYTES > _slots.size:
        return True
    names = range(_entries.address + _NAME_AT, _entries.address + len(data), _ENTRY_BYTES)
    slots = range(_slots.address, _slots.address + _slots.size, _SLOT_BYTES)
    read_each("readlinkat", folder, names, slots, _SLOT_BYTES)
    return _USERFAULT in _slots.get(count * _SLOT_BYTES)


def _entries_of(folder: int) -> Iterator[bytes]:
    while True:
        size = attempt("getdents64", folder, _entries.address, _entries.size)
        if size <= 0:
            return
        yield _entries.get(size)


def _numbers(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        name = data[at + _NAME_AT : data.index(b"\0", at + _NAME_AT)]
        if name.isdigit():
            yield int(name)
        at += int.from_bytes(data[at + _LENGTH_AT : at + _LENGTH_AT + 2], sys.byteorder)


class File(NamedTuple):
    """Properties of a file, for comparing files."""

    device: tuple[int, int]
    inode: int
    is_regular: bool
    size: int
    allocated: int


def file_of(fd: int) -> File | None:
    """Returns the file of a descriptor, or None."""
    return _file() if attempt("fstat", fd, _status.address) == 0 else None


def file_at(path: bytes) -> File | None:
    """Returns the file at a path on a local file system, or None."""
    return _file() if attempt("newfstatat", AT_FDCWD, path_pointer(path), _status.address, 0) == 0 else None


def identity() -> bytes:
    """Returns the identity (device and inode) of the last file read."""
    return _status.get(IDENTITY_BYTES)


def _file() -> File:
    number, inode = struct.unpack("=QQ", _status.get(16))
    (mode,) = struct.unpack("=I", _status.get(4, _MODE_AT))
    size, _, blocks = struct.unpack("=qqq", _status.get(24, 48))
    return File((_major(number), _minor(number)), inode, mode & 0o170000 == 0o100000, size, blocks * 512)
