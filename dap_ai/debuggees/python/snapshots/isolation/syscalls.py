"""Makes Linux system calls by name, holding the GIL and without audit events, so that no code of the program runs."""

from __future__ import annotations

import collections
import ctypes
import functools
import itertools
import os
import struct
import sys
from typing import Any, Callable, Iterable, Tuple

_MACHINES = ("x86_64", "aarch64")
_TABLE = """
read 0 63; write 1 64; writev 20 66; readv 19 65; pread64 17 67; close 3 57; lseek 8 62; fcntl 72 25; dup 32 23
fstat 5 80; newfstatat 262 79; stat 4 -; lstat 6 -; statx 332 291; access 21 -; faccessat 269 48; faccessat2 439 439
openat 257 56; open 2 -; readlink 89 -; readlinkat 267 78; getdents64 217 61; getcwd 79 17
mmap 9 222; mprotect 10 226; munmap 11 215; mremap 25 216; madvise 28 233; mincore 27 232; brk 12 214
clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; nanosleep 35 101; gettimeofday 96 169; time 201 -
sched_yield 24 124; sched_getaffinity 204 123; getcpu 309 168; futex 202 98; restart_syscall 219 128
poll 7 -; ppoll 271 73; select 23 -; pselect6 270 72; uname 63 160; sysinfo 99 179; getrandom 318 278
getpid 39 172; gettid 186 178; getppid 110 173; getuid 102 174; geteuid 107 175; getgid 104 176; getegid 108 177
getgroups 115 158; getpgrp 111 -; getpgid 121 155; getsid 124 156; getrusage 98 165; times 100 153
getrlimit 97 163; prlimit64 302 261; exit 60 93; exit_group 231 94
ioctl 16 29; clone 56 220; wait4 61 260; kill 62 129; prctl 157 167; seccomp 317 277; rt_sigprocmask 14 135
rt_sigaction 13 134; rt_sigreturn 15 139; sigaltstack 131 132
close_range 436 436; pidfd_open 434 434; pidfd_getfd 438 438; memfd_create 319 279
timer_create 222 107; timer_settime 223 110; process_vm_readv 310 270
landlock_create_ruleset 444 444; landlock_add_rule 445 445; landlock_restrict_self 446 446
"""
"""Call names with their numbers on x86_64 and aarch64; "-" if aarch64 has only a newer call."""

MACHINE = os.uname().machine if hasattr(os, "uname") else ""
SUPPORTED = sys.platform == "linux" and MACHINE in _MACHINES and sys.maxsize > 2**32
AT_FDCWD = -100
PAGE = 4096 if not hasattr(os, "sysconf") else os.sysconf("SC_PAGE_SIZE")


Step = Tuple[str, Callable[[], Any], Any]
"""(name, function without arguments, its result on success): an action that C code makes in a copy."""


def _numbers() -> dict[str, int]:
    column = 1 + _MACHINES.index(MACHINE) if MACHINE in _MACHINES else 1
    rows = [row.split() for row in _TABLE.replace("\n", ";").split(";") if row.strip()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


NUMBERS = _numbers()

_python: Any = ctypes.PyDLL(None, use_errno=True) if SUPPORTED else None
_syscall: Any = _python.syscall if SUPPORTED else None
_memmove: Any = ctypes.memmove
if SUPPORTED:
    _syscall.restype = ctypes.c_long
    _syscall.argtypes = (ctypes.c_long,) * 7
    _memmove = _python.memmove  # `ctypes.memmove` releases the GIL; a copy has no other thread to take it
    _memmove.restype = ctypes.c_void_p
    _memmove.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _memcmp: Any = _python.memcmp
    _memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _usleep: Any = ctypes.CDLL(None).usleep
    _sleeping: Any = ctypes.CDLL(None).syscall
    _sleeping.restype, _sleeping.argtypes = _syscall.restype, _syscall.argtypes
_NOTHING = (0,) * 6


def call(name: str, *arguments: int) -> int:
    """Makes a system call by name. Raises OSError with the name as its text."""
    result = _syscall(NUMBERS[name], *arguments, *_NOTHING[len(arguments) :])
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def attempt(name: str, *arguments: int) -> int:
    """Makes a system call by name; returns -1 instead of raising OSError."""
    return _syscall(NUMBERS[name], *arguments, *_NOTHING[len(arguments) :])


ANYTHING: Any = object()
"""The result of a step that may fail."""


def read_each(name: str, first: int, second: Iterable[int], third: Iterable[int], fourth: int) -> None:
    """Makes a system call for each pair of second and third arguments; ignores failed calls."""
    same = itertools.repeat
    calls: Any = map(_syscall, same(NUMBERS[name]), same(first), second, third, same(fourth), same(0), same(0))
    collections.deque(calls, 0)


def step(name: str, *arguments: int, gives: Any = 0) -> Step:
    """Returns a step that makes a system call; `gives` is the call's result on success."""
    return name, functools.partial(_syscall, NUMBERS[name], *arguments, *_NOTHING[len(arguments) :]), gives


def same_step(address: int, other: int, size: int) -> Step:
    """Returns a step that compares two pieces of memory, and fails if they differ."""
    return "memcmp", functools.partial(_memcmp, address, other, size), 0


def store_step(address: int, source: int, size: int) -> Step:
    """Returns a step that copies bytes from one address to another."""
    return "store", functools.partial(_memmove, address, source, size), address


def python_step(name: str, *arguments: Any) -> Step:
    """Returns a step that calls a function of Python's C API; the function returns nothing."""
    function: Any = getattr(_python, name)
    function.restype = None
    return name, functools.partial(function, *arguments), None


def allocation_step() -> Step:
    """Returns a step that allocates memory from libc and never frees it.

    The block is larger than a thread's own reserve, so that libc must acquire its lock.
    """
    allocate: Any = _python.malloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    return "malloc", functools.partial(allocate, 1 << 14), ANYTHING


def wait_us(microseconds: int) -> None:
    """Sleeps for microseconds without the GIL; does not call the program's `time.sleep`."""
    _usleep(microseconds)


class Buffer:
    """Memory that C code reads and writes. Create it beforehand: its creation raises audit events."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._data: Any = (ctypes.c_char * size)()
        self.address = ctypes.addressof(self._data)

    def put(self, data: bytes, offset: int = 0) -> int:
        """Writes bytes and returns their address."""
        _memmove(self.address + offset, data, len(data))
        return self.address + offset

    def get(self, size: int, offset: int = 0) -> bytes:
        """Returns bytes of the buffer."""
        return self._data[offset : offset + size]

    def load(self, address: int, size: int) -> bytes:
        """Copies bytes from this process's memory into the buffer and returns them."""
        _memmove(self.address, address, size)
        return self._data[:size]


_FUTEX_WAIT, _FUTEX_WAKE = 0, 1
_moment, _polled = Buffer(16), Buffer(8)


def wait_while_zero(address: int, at_most_us: int = 1000) -> None:
    """Sleeps until another process calls `wake` for these four bytes, or `at_most_us` has passed; releases the GIL."""
    _moment.put(struct.pack("=qq", 0, at_most_us * 1000))
    _sleeping(NUMBERS["futex"], address, _FUTEX_WAIT, 0, _moment.address, 0, 0)


def poll_fd(fd: int, at_most_us: int = 100) -> bool:
    """Returns whether a descriptor is readable; waits up to `at_most_us` without the GIL."""
    _moment.put(struct.pack("=qq", 0, at_most_us * 1000))
    _polled.put(struct.pack("=ihh", fd, 1, 0))
    return _sleeping(NUMBERS["ppoll"], _polled.address, 1, _moment.address, 0, 0, 0) == 1 and _polled.get(1, 6) == b"\1"


def wake(address: int) -> None:
    """Ends another process's `wait_while_zero`."""
    attempt("futex", address, _FUTEX_WAKE, 1)


class Arena:
    """A buffer that is filled from its start; contents stay at their addresses until it is cleared."""

    def __init__(self, size: int) -> None:
        self._buffer = Buffer(size)
        self._used = 0

    def put(self, data: bytes) -> int:
        """Writes bytes and returns their address. Raises MemoryError when it is full."""
        if self._used + len(data) > self._buffer.size:
            raise MemoryError("too many folders for one snapshot")
        address = self._buffer.put(data, self._used)
        self._used += len(data) + 7 & ~7
        return address

    def get(self, address: int, size: int) -> bytes:
        """Returns bytes at an address that `put` returned."""
        return self._buffer.get(size, address - self._buffer.address)

    def clear(self) -> None:
        """Empties the buffer."""
        self._used = 0


def store(address: int, data: bytes) -> None:
    """Writes into this process's memory."""
    _memmove(address, data, len(data))


_scratch = Buffer(1 << 16)


def path_pointer(path: bytes) -> int:
    """Returns the address of a path for the next call; at most 4096 bytes."""
    return _scratch.put(path[:4095] + b"\0")


def exit_function() -> Any:
    """Returns libc's `_exit`, for C code to call."""
    end: Any = _python._exit
    end.argtypes = (ctypes.c_int,)
    return end


def read_file(path: bytes, most_bytes: int = 1 << 30) -> bytes:
    """Reads a whole file, by system calls only.

    Raises OSError, also if the file is larger than `most_bytes` or reading would block.
    """
    fd = call("openat", AT_FDCWD, path_pointer(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    pieces: list[bytes] = []
    try:
        while True:
            size = call("read", fd, _scratch.address, _scratch.size)
            if not size:
                break
            most_bytes -= size
            if most_bytes < 0:
                raise OSError(27, "the file is too large")  # EFBIG
            pieces.append(_scratch.get(size))
    finally:
        call("close", fd)
    return b"".join(pieces)
