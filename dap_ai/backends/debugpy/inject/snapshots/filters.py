"""The seccomp filter of a snapshot: memory, time, waiting, reading and the end are allowed, all else is EPERM.

To look a path up is allowed, asked about (lookups.py), or refused.

Built once a process. A call is found by binary search, because the kernel runs the filter for every one.
"""

from __future__ import annotations

import struct
from typing import Any

from .syscalls import MACHINE, NUMBERS, Buffer, Step, step

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000  # 1 is EPERM
_ASK, _DENY = 0x7FC00000, 0x0005000D  # SECCOMP_RET_USER_NOTIF; 13 is EACCES
_SET_MODE_FILTER, _ALL_THREADS, _LISTENER, _LISTENER_AND_ALL_THREADS = 1, 1, 8, 16
FREE, ASKED, DENIED = "free", "asked", "denied"
"""What is done when a copy looks up a path."""
_LOOKUPS = {FREE: _ALLOW, ASKED: _ASK, DENIED: _DENY}
_OPEN_TO_WRITE = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # accmode, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE

_PLAIN = """read readv pread64 close lseek dup fstat getdents64 getcwd mmap mprotect munmap mremap brk clock_gettime
    clock_getres clock_nanosleep nanosleep gettimeofday time sched_yield sched_getaffinity getcpu futex restart_syscall
    poll ppoll select pselect6 uname sysinfo getrandom getpid gettid getppid getuid geteuid getgid getegid getgroups
    getpgrp getpgid getsid getrusage times getrlimit exit exit_group"""
_OF_PATHS = ("newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat")

_BY_VALUE: dict[str, tuple[int, tuple[int, ...]]] = {
    "write": (0, (1, 2)),  # the buffer of what it prints
    "writev": (0, (1, 2)),
    "fcntl": (1, (1, 2, 3, 1030)),  # F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: the others can send signals
    "madvise": (2, (0, 1, 2, 3, 4, 8, 14, 15)),  # the others can poison pages that are shared with the debuggee
}
"""Calls allowed for some values of one argument: its index, the values."""
_READ_ONLY = {"openat": 2, "open": 1}
"""Calls that open a file; the index of the flags."""


def _argument(index: int, high: bool = False) -> Any:
    return (_LOAD, 0, 0, 16 + 8 * index + 4 * high)


def _rule(name: str, lookups: int) -> list[Any]:
    if name in _OF_PATHS:
        return [(_RETURN, 0, 0, lookups)]
    if name in _BY_VALUE:
        index, values = _BY_VALUE[name]
        tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        return [_argument(index), *tests, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    if name in _READ_ONLY:
        refuse = (_ANY_BIT, 1, 0, _OPEN_TO_WRITE)
        return [_argument(_READ_ONLY[name]), refuse, (_RETURN, 0, 0, lookups), (_RETURN, 0, 0, _REFUSE)]
    if name == "prlimit64":  # reading limits only: no new ones
        halves = [_argument(2), (_EQUAL, 0, 2, 0), _argument(2, high=True), (_EQUAL, 1, 0, 0)]
        return [*halves, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return [(_RETURN, 0, 0, _ALLOW)]


def _search(calls: list[tuple[int, str]], lookups: int) -> list[Any]:
    """Finds the number in the accumulator among these, in ascending order."""
    if len(calls) == 1:
        number, name = calls[0]
        decide = _rule(name, lookups)
        return [(_EQUAL, 0, len(decide), number), *decide, (_RETURN, 0, 0, _REFUSE)]
    middle = len(calls) // 2
    low, high = _search(calls[:middle], lookups), _search(calls[middle:], lookups)
    if len(low) > 255:
        raise ValueError("the filter is too long for a jump")
    return [(_AT_LEAST, len(low), 0, calls[middle][0]), *low, *high]


def program(may_open: bool, lookups: str = FREE) -> bytes:
    """The filter as the kernel reads it; `may_open`: files may be opened for reading (Landlock says which)."""
    names = [*_PLAIN.split(), *_OF_PATHS, *_BY_VALUE, "prlimit64", *(_READ_ONLY if may_open else ())]
    calls = sorted((NUMBERS[name], name) for name in names if name in NUMBERS)
    known = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _ARCHITECTURES[MACHINE]), (_RETURN, 0, 0, _KILL)]
    instructions = [*known, (_LOAD, 0, 0, 0), *_search(calls, _LOOKUPS[lookups])]
    return b"".join(struct.pack("=HBBI", *each) for each in instructions)


class Filter:
    """A program in memory, ready for the kernel."""

    def __init__(self, may_open: bool, lookups: str) -> None:
        code = program(may_open, lookups)
        self._asks = lookups == ASKED
        self._code = Buffer(len(code))
        self._header = Buffer(16)
        self._header.put(struct.pack("=H6xQ", len(code) // 8, self._code.put(code)))

    def install(self, listener: int) -> Step:
        """From then on it holds for every thread of the process, and cannot be taken back.

        One that asks does it by a descriptor, which is the first free one, `listener`.
        """
        if self._asks:
            flags = _ALL_THREADS | _LISTENER | _LISTENER_AND_ALL_THREADS
            return step("seccomp", _SET_MODE_FILTER, flags, self._header.address, gives=listener)
        return step("seccomp", _SET_MODE_FILTER, _ALL_THREADS, self._header.address)
