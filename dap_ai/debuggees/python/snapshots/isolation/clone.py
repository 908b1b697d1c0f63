"""A copy of this process that nobody else notices, and its end.

`clone` without an exit signal: no SIGCHLD, and `wait` without `__WCLONE` never receives the copy. No fork hook of
Python, of libc or of a library runs on either side. Signals stay blocked in the copy, so that none that is meant for
the debuggee reaches a handler, or the wake-up descriptor, twice.
"""

from __future__ import annotations

import _imp
import ctypes
import itertools
import struct
from typing import Any

from .syscalls import ANYTHING, SUPPORTED, Buffer, Step, attempt, call, exit_function, step, wait_us

_NO_HANG, _CLONED = 1, 0x80000000  # WNOHANG, __WCLONE
_SET_MASK, _MASK_SIZE = 2, 8
_KILL = 9
_BROKEN = 255

_all_signals = Buffer(8)
_all_signals.put(b"\xff" * 8)
_mask = Buffer(8)
_status = Buffer(4)
_exit: Any = exit_function() if SUPPORTED else None


class BusyError(Exception):
    """Another thread holds the import lock: a copy could never take it."""


def _take_import_lock() -> bool:
    """Whether it was free and is ours now; decided by C code alone, so that no other thread can come between."""
    steps: Any = map(iter, (_imp.lock_held, _imp.acquire_lock), (False, None))
    return not any(itertools.chain.from_iterable(steps))


def clone(steps: list[Step]) -> int:
    """0 in the copy once it has made all steps, its pid in this process. Raises BusyError; OSError: no more processes.

    The copy is made and the steps are taken inside of one call of C code: the interpreter, did it run a line there,
    could wait for ever for a thread that asked for its lock and was not copied. A step that fails ends the copy, its
    number is the exit status. The copy holds the import lock until a step has called PyOS_AfterFork_Child.
    """
    failures = [_failure(number, call_it, gives) for number, (_, call_it, gives) in enumerate(steps, 1)]
    return _clone(itertools.chain.from_iterable(failures))


def trial(name: str, *arguments: int) -> int:
    """What a system call gives, 0 to 254, where a filter of the program's own may kill who makes it; -1 if it fails.

    Raises BusyError, OSError.
    """
    pid = _clone(iter(step(name, *arguments)[1], None))
    while True:
        status = reap(pid)
        if status is not None:
            return -1 if status & 0x7F else ((status >> 8) + 1) % 256 - 1
        wait_us(50)


def _clone(failing: Any) -> int:
    """As `clone`; a copy ends with the first status that `failing` yields, if it yields one."""
    ends: Any = map(_exit, failing)
    life: Any = itertools.chain(iter(step("clone")[1], 0), ends)
    if not _take_import_lock():
        raise BusyError("another thread is importing a module")
    parent, pid, errno = call("getpid"), -1, 0
    call("rt_sigprocmask", _SET_MASK, _all_signals.address, _mask.address, _MASK_SIZE)
    try:
        pid = next(life, 0)
    finally:
        if call("getpid") != parent:
            if pid:  # an exception: nothing may run on as a second debuggee
                _exit(_BROKEN)
        else:
            errno = ctypes.get_errno()
            call("rt_sigprocmask", _SET_MASK, _mask.address, 0, _MASK_SIZE)
            _imp.release_lock()
    if pid < 0:
        raise OSError(errno, "clone")
    return pid


def _failure(number: int, call_it: Any, gives: Any) -> Any:
    """Makes a step when it is iterated; yields its number if the result is not the one of a success."""
    if gives is ANYTHING:
        return itertools.islice(iter(call_it, ANYTHING), 1, 1)
    return itertools.compress(itertools.repeat(min(number, _BROKEN)), iter(call_it, gives))


def kill(pid: int) -> None:
    """Ends a copy that has not been reaped."""
    attempt("kill", pid, _KILL)


def reap(pid: int) -> int | None:
    """The wait status of a copy that has ended, None while it lives. It must not be waited for again."""
    if attempt("wait4", pid, _status.address, _NO_HANG | _CLONED, 0) == 0:
        return None
    return struct.unpack("=i", _status.get(4))[0]
