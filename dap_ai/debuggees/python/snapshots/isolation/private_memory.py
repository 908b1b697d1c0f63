"""Replaces memory that a copy shares with its debuggee by a private copy, at the same address.

Reading must not change the real memory: reading an absent page of shared memory creates the page, which takes memory
from all processes, and ends the program if no memory is left. So only present pages are read. Memory that cannot be
copied this way is unmapped; a copy that uses such memory ends.

clone(2) copies private mappings on write, but a MAP_SHARED one stays the same memory on both sides. `madvise` with
MADV_DONTFORK is not an option: it would change the debuggee's mapping, and leave a hole in the copy. For each mapping:

- memory (tmpfs, memfd, anonymous): the pages that mincore(2) reports. Up to 16 MB are copied. Larger memory is mapped
  with MAP_PRIVATE, run by run, from the program's own descriptor of the file; without such a descriptor its pages are
  copied.
- a file on a local disk: mapped again with MAP_PRIVATE, from the program's descriptor or by its path; copied if it has
  64 KB or less, or where neither leads to the same file.
- anything else (devices, files of other machines, what a userfaultfd serves): unmapped, and named in `left_out`.

A path may refer to another file by now: device and inode decide, if `stat` and the mapping number them alike.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from .mounts import Mounts, is_in_memory, is_on_disk
from .shared_mappings import (
    DELETED,
    IDENTITY_BYTES,
    READ,
    STATUS_BYTES,
    WRITE,
    File,
    SharedMapping,
    file_at,
    file_of,
    identity,
    open_files,
    pages_there,
    shared_mappings,
    userfault_descriptors,
)
from .syscalls import ANYTHING, AT_FDCWD, Arena, Step, attempt, call, same_step, step
from .userfaults import MappedMemory, memory

_MAX_COPIED_BYTES = 256 << 20
_COPIED_ANYWAY_BYTES = 16 << 20
"""Size up to which memory is copied even if its file could be mapped; this takes 10 ms and gives one moment's state."""
_LITTLE = 1 << 16
"""Size up to which a file on disk is copied, because copying takes less time than searching for its descriptor."""
_MAX_RUNS = 10_000
_SOME_BYTES = 4 << 20
_GET_DUMPABLE, _GET_FLAGS, _ACCESS = 3, 3, 3
_AT_A_FREE_PLACE = 0x104022  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE
_NOTHING_OVER, _FILE_OVER = 0x4032, 0x4012  # MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, with MAP_ANONYMOUS and without
_RESERVED = 0x4022  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
_MOVE_OVER = 3  # MREMAP_MAYMOVE | MREMAP_FIXED
_GPU = (b"/dev/nvidia", b"/dev/kfd", b"/dev/dri/")
_IN_MEMORY_OF_DEV = (b"/dev/shm/", b"/dev/zero", b"/dev/hugepages/")
_NUMBERED_TWICE = (b"overlay", b"btrfs")
"""File system types whose files may have different inode numbers in `stat` and in /proc/self/maps."""


class Private(NamedTuple):
    """Steps that make a copy's memory private."""

    early: list[Step]
    """Steps to make while the copy still has the debuggee's descriptors."""
    late: list[Step]
    """Steps to make after the copy's descriptors are closed."""
    left_out: list[str]
    """Descriptions of the mappings that the copy lacks, with the reasons."""


class _LackingError(Exception):
    """A copy cannot have a mapping; the text gives the reason."""


def check_clonable() -> None:
    """Raises OSError if a userfaultfd makes it impossible to copy this process."""
    _served_memory()


def _served_memory() -> MappedMemory | None:
    """Returns the memory that userfaultfds serve; None if the process has no userfaultfd."""
    userfault = userfault_descriptors()
    return memory(userfault) if userfault else None


def make_private(kept: int, mounted: Mounts, arena: Arena, useless: list[int] | None = None) -> Private:
    """Returns steps after which a copy has no shared mapping except the one at `kept`.

    Read-only mappings are replaced as well, because `mprotect` could make them writable again. `useless`: addresses of
    mappings that the copy does not need. Raises OSError if no copy is possible.
    """
    found = shared_mappings()
    if any(mapping.name.startswith(_GPU) for mapping in found):
        raise OSError(16, "a GPU library is in use")
    internal = [mapping.device for mapping in found if mapping.start == kept]
    plan = _Plan(internal, mounted, arena)
    for mapping in found:
        if mapping.start in (useless or ()):
            plan.leave_out(mapping)
        elif mapping.start != kept:
            plan.add(mapping)
    return plan.made({mapping.start for mapping in found})


class _Plan:
    """Plans the steps for each mapping. `internal`: devices of shared memory without a name."""

    def __init__(self, internal: list[tuple[int, int]], mounted: Mounts, arena: Arena) -> None:
        self._internal = internal
        self._arena = arena
        self._mounted = mounted
        self._open: dict[bytes, list[int]] | None = None
        self._memory = _served_memory()
        self._is_readable = call("prctl", _GET_DUMPABLE, 0, 0, 0, 0) == 1  # not if the process has changed its user
        self._left = _MAX_COPIED_BYTES
        self._copied: list[tuple[SharedMapping, list[tuple[int, int]]]] = []
        self._early: list[Step] = []
        self._late: list[Step] = []
        self._left_out: list[str] = []

    def add(self, mapping: SharedMapping) -> None:
        """Plans the steps for one mapping."""
        try:
            self._add(mapping)
        except _LackingError as why:
            self.leave_out(mapping)
            if mapping.rights & READ:
                self._left_out.append("%s of %d MB (%s)" % (_shown(mapping), mapping.size >> 20, why))

    def leave_out(self, mapping: SharedMapping) -> None:
        """Plans to unmap a mapping in the copy."""
        self._early.append(step("munmap", mapping.start, mapping.size))

    def made(self, shared: set[int]) -> Private:
        """Returns all planned steps. `shared`: start addresses of the shared mappings."""
        for start, size in self._memory.served.items() if self._memory else ():
            if start not in shared:
                self._early.append(step("munmap", start, size))
                self._left_out.append("memory that a userfaultfd serves")
        return Private(self._early, [*self._late, *self._copies()], self._left_out)

    def _add(self, mapping: SharedMapping) -> None:
        kind = self._kind(mapping)
        if is_in_memory(kind):
            self._add_memory(mapping, kind)
        else:
            self._add_file(mapping, kind)

    def _kind(self, mapping: SharedMapping) -> bytes:
        """Returns the mapping's file system type. Raises _LackingError."""
        if not mapping.rights & READ:
            raise _LackingError("it cannot be read")
        if mapping.name.startswith(b"/dev/") and not mapping.name.startswith(_IN_MEMORY_OF_DEV):
            raise _LackingError("a device")
        if self._memory and mapping.start in self._memory.served:
            raise _LackingError("a userfaultfd serves it")
        if mapping.device in self._internal:
            return b"tmpfs"
        kind = self._mounted.by_device.get(mapping.device) or self._mounted.of_path(_path(mapping))
        if not (is_in_memory(kind) or is_on_disk(kind)):
            raise _LackingError("on no disk of this machine: " + (kind.decode("ascii", "replace") or "unknown"))
        return kind

    def _add_memory(self, mapping: SharedMapping, kind: bytes) -> None:
        # From Linux 5.2 on mincore reports the pages of a file truly only to who owns it or may write it; all others
        # are told that every page is there. `is_sure`: the mapping is writable, or memory without a name, so the report
        # is true. Else a full report is believed only if the file has no holes: then to read a page that is not in
        # memory makes none.
        runs = pages_there(mapping)
        size = sum(size for _, size in runs)
        is_sure = mapping.rights & WRITE or mapping.device in self._internal
        fd, file = self._descriptor(mapping, kind) if size > _COPIED_ANYWAY_BYTES or not is_sure else (-1, None)
        if runs != [(0, mapping.size)]:
            self._look_closer(mapping)
        elif not (is_sure or (file is not None and file.allocated >= file.size)):
            # for a file that the program may not write, all pages are reported as present
            raise _LackingError("which of its pages are there is not told")
        if len(runs) > _MAX_RUNS:
            raise _LackingError("it is in too many pieces")
        if fd == -1 or size <= _COPIED_ANYWAY_BYTES:
            self._copy(mapping, runs)
        else:
            # First a reservation over all of it: the gaps between the runs read as zeros in the copy, and cost nothing
            # until then.
            self._early.append(_map_over(mapping, _NOTHING_OVER, -1, 0, mapping.size))
            self._early += [_map_over(mapping, _FILE_OVER, fd, at, size) for at, size in runs]

    def _look_closer(self, mapping: SharedMapping) -> None:
        """Checks that pages absent from memory are neither served nor swapped out. Raises _LackingError."""
        try:
            self._memory = self._memory or memory([])
        except PermissionError:
            raise _LackingError("the program has changed its user") from None
        if mapping.start in self._memory.served:
            raise _LackingError("a userfaultfd serves it")
        if mapping.start in self._memory.swapped:
            raise _LackingError("a part of it is swapped out")

    def _add_file(self, mapping: SharedMapping, kind: bytes) -> None:
        is_little = mapping.size <= _LITTLE
        fd = -1 if is_little else self._descriptor(mapping, kind)[0]
        if fd != -1:
            self._early.append(_map_over(mapping, _FILE_OVER, fd, 0, mapping.size))
        elif not is_little and _is_of(mapping, file_at(mapping.name), kind):
            self._late += self._opened_again(mapping)
        else:
            self._copy(mapping, [(0, mapping.size)])

    def _descriptor(self, mapping: SharedMapping, kind: bytes) -> tuple[int, File | None]:
        """Returns an open descriptor of the mapping's file, and the file; (-1, None) without such a descriptor.

        The descriptor is the program's own, which the copy has as well. Opening and closing the file here would release
        the program's locks on the file.
        """
        self._open = open_files() if self._open is None else self._open
        for fd in self._open.get(mapping.name, ()):
            file = file_of(fd)
            if _is_of(mapping, file, kind) and attempt("fcntl", fd, _GET_FLAGS) & _ACCESS != os.O_WRONLY:
                return fd, file
        return -1, None

    def _opened_again(self, mapping: SharedMapping) -> list[Step]:
        """Returns steps that open and map the same file; the copy ends if the path refers to another file by then."""
        path, found = self._arena.put(_path(mapping) + b"\0"), self._arena.put(bytes(STATUS_BYTES))
        wanted = self._arena.put(identity())
        return [
            step("openat", AT_FDCWD, path, os.O_RDONLY, gives=0),
            step("fstat", 0, found),
            same_step(found, wanted, IDENTITY_BYTES),
            _map_over(mapping, _FILE_OVER, 0, 0, mapping.size),
            step("close", 0),
        ]

    def _copy(self, mapping: SharedMapping, runs: list[tuple[int, int]]) -> None:
        size = sum(size for _, size in runs)
        if not self._is_readable:
            raise _LackingError("the program has changed its user")
        if size > self._left:
            raise _LackingError("too large to be copied")
        self._left -= size
        self._copied.append((mapping, runs))

    def _copies(self) -> list[Step]:
        """Returns steps that copy each mapping to a free address and move it to its place."""
        # The old mapping is the source, so the copy can't be made in its place. mremap(2) with MREMAP_FIXED then puts
        # it there and unmaps the old one in one call. The source is read by pread of /proc/self/mem, not by memmove: a
        # page beyond the end of its file gives a short read instead of SIGBUS.
        if not self._copied:
            return []
        room_at = _free_address(max(mapping.size for mapping, _ in self._copied))
        steps = [step("openat", AT_FDCWD, self._arena.put(b"/proc/self/mem\0"), os.O_RDONLY, gives=0)]
        for mapping, runs in self._copied:
            start, size = mapping.start, mapping.size
            steps.append(step("mmap", room_at, size, READ | WRITE, _AT_A_FREE_PLACE, -1, 0, gives=room_at))
            # stops at pages that are gone by now, or beyond their file's end
            steps += [step("pread64", 0, room_at + at, part, start + at, gives=ANYTHING) for at, part in runs]
            steps.append(step("mremap", room_at, size, size, _MOVE_OVER, start, gives=start))
            steps.append(step("mprotect", start, size, mapping.rights))
        return [*steps, step("close", 0)]


def _map_over(mapping: SharedMapping, how: int, fd: int, at: int, size: int) -> Step:
    address = mapping.start + at
    return step("mmap", address, size, mapping.rights, how, fd, max(0, mapping.offset + at), gives=address)


def _shown(mapping: SharedMapping) -> str:
    is_nameless = not mapping.name or mapping.name.startswith(b"/dev/zero")
    return "shared memory" if is_nameless else mapping.name.decode("utf-8", "replace")


def _path(mapping: SharedMapping) -> bytes:
    name = mapping.name
    return name[: -len(DELETED)] if name.endswith(DELETED) else name  # noqa: FURB188  Python 3.8 has no removesuffix


def _is_of(mapping: SharedMapping, file: File | None, kind: bytes) -> bool:
    """Whether a file found by name is the file of the mapping."""
    if file is None or not file.is_regular:
        return False
    is_numbered_twice = kind in _NUMBERED_TWICE and not mapping.name.endswith(DELETED)
    return is_numbered_twice or (file.device, file.inode) == (mapping.device, mapping.inode)


def _free_address(size: int) -> int:
    """Returns a free address for copying mappings; the copy ends if it is in use by then.

    The address lies far below the next free address, where the interpreter may map memory before the copy is made,
    unless the program's limit leaves no room for that. Raises OSError.
    """
    for space in (_MAX_COPIED_BYTES, _SOME_BYTES, 0):
        address = attempt("mmap", 0, size + space, 0, _RESERVED, -1, 0)
        if address != -1:
            call("munmap", address, size + space)
            return address
    raise OSError(12, "mmap")
