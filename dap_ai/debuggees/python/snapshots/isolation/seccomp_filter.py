"""The seccomp filter of a snapshot: allows memory, time, waiting, reading and exit; other calls get EPERM.

A path lookup is allowed, decided by the debuggee (lookups.py), or refused. If refusals are recorded, calls that may be
refused are trapped (trapping.py), unless the trap's handler makes them.

The filter is built once per process. It finds a call by binary search, because the kernel runs the filter for every
call.

The filter lists allowed calls, not forbidden ones: a call of a newer kernel is refused, and so is each call of the x32
ABI, which has the same architecture number but other call numbers (seccomp(2)). A refused call gets EPERM and does not
end the process, because the program may catch the error, and the answer can describe the refusal. Only a call of
another architecture ends the process.

The filter is classic BPF: instructions of (code, jump if true, jump if false, constant) over `struct seccomp_data`,
which holds the number at 0, the architecture at 4, the address of the call at 8 and six arguments of 8 bytes from 16
on. A filter reads 32 bits at a time, and follows no pointer: hence Landlock for paths.
"""

from __future__ import annotations

import struct
from typing import Any

from .syscalls import MACHINE, NUMBERS, Buffer, Step, step
from .trapping import MAY_READ, MAY_WRITE, OF_FIRST, OF_SECOND

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _JUMP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000  # 1 is EPERM
_ASK, _DENY = 0x7FC00000, 0x0005000D  # SECCOMP_RET_USER_NOTIF; 13 is EACCES
_TRAP, _QUIETLY, _NO_TERMINAL = 0x00030000, 0x00050001, 0x00050019  # 25 is ENOTTY
_NOT_PERMITTED, _NO_DESCRIPTOR, _NO_MEMORY, _NO_ACCESS = 1, 9, 12, 13
_SET_MODE_FILTER, _ALL_THREADS, _LISTENER, _LISTENER_AND_ALL_THREADS = 1, 1, 8, 16
FREE, ASKED, DENIED = "free", "asked", "denied"
"""How a copy's path lookups are treated: allowed, decided by the debuggee, or refused."""
_LOOKUPS = {FREE: _ALLOW, ASKED: _ASK, DENIED: _DENY}
_OPEN_TO_WRITE = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # accmode, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE

_PLAIN = """read readv pread64 close lseek dup fstat getdents64 getcwd mmap mprotect munmap mremap brk clock_gettime
    clock_getres clock_nanosleep nanosleep gettimeofday time sched_yield sched_getaffinity getcpu futex restart_syscall
    poll ppoll select pselect6 uname sysinfo getrandom getpid gettid getppid getuid geteuid getgid getegid getgroups
    getpgrp getpgid getsid getrusage times getrlimit exit exit_group rt_sigreturn"""
_OF_PATHS = ("newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat")

_BY_VALUE: dict[str, tuple[int, tuple[int, ...]]] = {
    "write": (0, (1, 2)),  # the buffer of what it prints
    "writev": (0, (1, 2)),
    "fcntl": (1, (1, 2, 3, 1030)),  # F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: the others can send signals
    "madvise": (2, (0, 1, 2, 3, 4, 8, 14, 15)),  # the others can poison pages that are shared with the debuggee
}
"""Calls allowed only for some values of one argument: (the argument's index, the values) by call."""
_READ_ONLY = {"openat": 2, "open": 1}
"""Calls that open a file, with the index of their flags argument."""


_PATHS = {
    **dict.fromkeys((59, 76, 80, 82, 83, 84, 85, 86, 87, 88, 90, 92, 137, 161), OF_FIRST),
    **dict.fromkeys((258, 263, 264, 268, 280, 316), OF_SECOND),
}
"""Numbers of calls on x86_64 that are always refused and have a path: execve, truncate, chdir, rename, mkdir, ..."""
_OF_DESCRIPTORS = ("read", "readv", "pread64", "lseek", "fstat", "dup", "getdents64", "close")
_MADVISE, _SAYS_NOTHING = "madvise", (273, 324, 334)  # set_robust_list, membarrier, rseq
_IS_TERMINAL = (0x5401, 0x802C542A)  # TCGETS, TCGETS2: no descriptor of a copy leads to a terminal


def _argument(index: int, high: bool = False) -> Any:
    # Both machines are little-endian: the low half stands first. It decides for descriptors, commands and flags, which
    # the kernel takes as 32 bits; a pointer (`prlimit64`) is 0 only if both halves are.
    return (_LOAD, 0, 0, 16 + 8 * index + 4 * high)


def _rule(name: str, lookups: int) -> list[Any]:
    if name in _OF_PATHS:
        return [(_RETURN, 0, 0, lookups)]
    if name in _BY_VALUE:
        index, values = _BY_VALUE[name]
        # Each test jumps over the rest of the tests and over the refusal. Jumps count from the instruction that
        # follows.
        tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        return [_argument(index), *tests, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    if name in _READ_ONLY:
        refuse = (_ANY_BIT, 1, 0, _OPEN_TO_WRITE)
        return [_argument(_READ_ONLY[name]), refuse, (_RETURN, 0, 0, lookups), (_RETURN, 0, 0, _REFUSE)]
    if name == "prlimit64":  # reading limits only: no new ones
        halves = [_argument(2), (_EQUAL, 0, 2, 0), _argument(2, high=True), (_EQUAL, 1, 0, 0)]
        return [*halves, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return [(_RETURN, 0, 0, _ALLOW)]


def _search(calls: list[tuple[int, list[Any]]], otherwise: int) -> list[Any]:
    """Returns instructions that find the call number by binary search and apply the call's rule."""
    if len(calls) == 1:
        number, decide = calls[0]
        return [(_EQUAL, 0, len(decide), number), *decide, (_RETURN, 0, 0, otherwise)]
    middle = len(calls) // 2
    low, high = _search(calls[:middle], otherwise), _search(calls[middle:], otherwise)
    # A conditional jump has 8 bits, and a half can be longer than 255 instructions; the plain jump has 32. So: at least
    # the middle one, fall into the jump over `low`; else skip that jump.
    return [(_AT_LEAST, 0, 1, calls[middle][0]), (_JUMP, 0, 0, len(low)), *low, *high]


def _trapped(may_open: bool, lookups: str) -> list[Any]:
    """Returns a filter with the same decisions that sends calls it may refuse to the trap's handler."""
    # The low 16 bits of SECCOMP_RET_TRAP reach the handler as `si_errno` (seccomp(2)): 8 of them are the errno by which
    # it recognises a refusal, the others say which argument is a path and what the process itself must be allowed to
    # do.
    rules: dict[int, list[Any]] = {number: _ends(_QUIETLY) for number in _SAYS_NOTHING}
    for number, bits in _PATHS.items():
        rules[number] = _ends(
            _TRAP | _NOT_PERMITTED | (0 if lookups == DENIED else bits)
        )  # without lookups, no address can be checked
    for name in _PLAIN.split():
        rules[NUMBERS.get(name, -1)] = _ends(_ALLOW)
    for name in _OF_DESCRIPTORS:
        own = [_argument(0), (_AT_LEAST, 0, 1, 3), (_RETURN, 0, 0, _TRAP | _NO_DESCRIPTOR), (_RETURN, 0, 0, _ALLOW)]
        rules[NUMBERS.get(name, -1)] = own
    rules[NUMBERS["mmap"]] = _ends(_TRAP | _NO_MEMORY)
    for name in _OF_PATHS:
        rules[NUMBERS.get(name, -1)] = _ends(_TRAP | _NO_ACCESS if lookups == DENIED else _LOOKUPS[lookups])
    for name in (*_BY_VALUE, "prlimit64"):
        refused = _QUIETLY if name == _MADVISE else _TRAP | _NOT_PERMITTED
        rules[NUMBERS[name]] = [
            (*each[:3], refused) if each[::3] == (_RETURN, _REFUSE) else each for each in _rule(name, 0)
        ]
    rules[NUMBERS["ioctl"]] = [
        _argument(1), (_EQUAL, 2, 0, _IS_TERMINAL[0]), (_EQUAL, 1, 0, _IS_TERMINAL[1]),
        (_RETURN, 0, 0, _TRAP | _NOT_PERMITTED), (_RETURN, 0, 0, _NO_TERMINAL),
    ]  # fmt: skip
    for name, flags in _READ_ONLY.items():
        path = OF_SECOND if flags == 2 else OF_FIRST
        reading = _TRAP | path | (MAY_READ | _NO_ACCESS if may_open else MAY_READ | _NOT_PERMITTED)
        if lookups == DENIED:
            reading = _TRAP | _NO_ACCESS
        writing = _TRAP | _NOT_PERMITTED | (0 if lookups == DENIED else path | MAY_WRITE)
        rules[NUMBERS.get(name, -1)] = [
            _argument(flags),
            (_ANY_BIT, 0, 1, _OPEN_TO_WRITE),
            *_ends(writing),
            *_ends(reading),
        ]
    return _search(sorted((number, rule) for number, rule in rules.items() if number >= 0), _TRAP | _NOT_PERMITTED)


def _ends(result: int) -> list[Any]:
    return [(_RETURN, 0, 0, result)]


def program(may_open: bool, lookups: str = FREE, again_at: int = 0) -> bytes:
    """Returns the filter's code for the kernel. `may_open`: files may be opened for reading, as far as Landlock allows.

    `again_at`: the address from which the trap's handler makes calls; if 0, refusals are not recorded.
    """
    names = [*_PLAIN.split(), *_OF_PATHS, *_BY_VALUE, "prlimit64", *(_READ_ONLY if may_open else ())]
    rules = sorted((NUMBERS[name], _rule(name, _LOOKUPS[lookups])) for name in names if name in NUMBERS)
    known = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _ARCHITECTURES[MACHINE]), (_RETURN, 0, 0, _KILL)]
    plain = [(_LOAD, 0, 0, 0), *_search(rules, _REFUSE)]
    instructions = [*known, *plain]
    if again_at:
        # Calls from the handler's own instruction meet the plain filter, all others the trapping one. This is no way
        # round the locks: code of the program that jumps there gets no more than the plain filter allows. It is what
        # ends the recursion.
        low, high = again_at & 0xFFFFFFFF, again_at >> 32
        of_handler = [(_LOAD, 0, 0, 8), (_EQUAL, 0, 2, low), (_LOAD, 0, 0, 12), (_EQUAL, 1, 0, high)]
        trapped = [(_LOAD, 0, 0, 0), *_trapped(may_open, lookups)]
        instructions = [*known, *of_handler, (_JUMP, 0, 0, len(plain)), *plain, *trapped]
    return b"".join(struct.pack("=HBBI", *each) for each in instructions)


class SeccompFilter:
    """A seccomp filter in memory, ready for the kernel."""

    def __init__(self, may_open: bool, lookups: str, again_at: int) -> None:
        code = program(may_open, lookups, again_at)
        self._asks = lookups == ASKED
        self._code = Buffer(len(code))
        self._header = Buffer(16)
        self._header.put(struct.pack("=H6xQ", len(code) // 8, self._code.put(code)))

    def install(self, listener: int) -> Step:
        """Returns the step that installs the filter for every thread of the process, irrevocably.

        With ASKED, the filter sends lookups through the descriptor `listener`, which must be the first free number.
        """
        if self._asks:
            # With TSYNC alone a failure is a thread's id, a positive number like a descriptor; TSYNC_ESRCH makes it an
            # errno, and seccomp(2) asks for it beside NEW_LISTENER.
            flags = _ALL_THREADS | _LISTENER | _LISTENER_AND_ALL_THREADS
            return step("seccomp", _SET_MODE_FILTER, flags, self._header.address, gives=listener)
        return step("seccomp", _SET_MODE_FILTER, _ALL_THREADS, self._header.address)
