"""Makes a copy of this process that no other process notices, and ends it.

The system call `clone` is used without an exit signal, so no SIGCHLD is sent, and `wait` without `__WCLONE` never
receives the copy. No fork hook of Python, of libc or of a library runs on either side. Signals stay blocked in the
copy, so that a signal meant for the debuggee does not reach a handler, or the wake-up descriptor, twice. See clone(2)
and wait(2).

The GIL stays held from before the clone until the last step. Python code between the steps is not an option: the
interpreter checks between instructions whether a thread has asked for the GIL, and hands it over; in the copy that
thread does not exist, so the copy would wait for ever. Therefore the steps are iterators of C code (`iter`, `map`,
`chain`, `compress`) that are built in the debuggee, and one `next` runs all of them.
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
    """Another thread holds the import lock, which the copy could never acquire."""


def _take_import_lock() -> bool:
    """Acquires the import lock if it is free, and returns whether it was free.

    Only C code runs, so no other thread can run in between.
    """
    # `iter(f, stop)` calls f until it returns `stop`. Lock free: lock_held gives False, the first iterator ends empty;
    # acquire_lock gives None, the second one ends empty too; `any` of nothing is False. Lock taken: lock_held gives
    # True, `any` stops there, and acquire_lock is never called. An `if` would leave a gap between check and taking.
    steps: Any = map(iter, (_imp.lock_held, _imp.acquire_lock), (False, None))
    return not any(itertools.chain.from_iterable(steps))


def clone(steps: list[Step]) -> int:
    """Copies this process; returns 0 in the copy after it has made all steps, and the copy's pid in this process.

    Raises BusyError, and OSError if no more processes are allowed. One call of C code makes the copy and the steps,
    because a line of Python in the copy could wait forever for a thread that asked for the interpreter's lock and was
    not copied. A step that fails ends the copy, with the step's number as exit status. The copy holds the import lock
    until a step calls PyOS_AfterFork_Child.
    """
    failures = [_failure(number, call_it, gives) for number, (_, call_it, gives) in enumerate(steps, 1)]
    return _clone(itertools.chain.from_iterable(failures))


def trial(name: str, *arguments: int) -> int:
    """Makes a system call in a copy, because the program's own filter may kill the caller.

    Returns the call's result (0 to 254), or -1 if it fails. Raises BusyError, OSError.
    """
    pid = _clone(iter(step(name, *arguments)[1], None))
    while True:
        status = reap(pid)
        if status is not None:
            return -1 if status & 0x7F else ((status >> 8) + 1) % 256 - 1
        wait_us(50)


def _clone(failing: Any) -> int:
    """Copies this process as `clone` does; the copy exits with the first status that `failing` yields, if any."""
    # One `next` does it on both sides. In the debuggee clone returns the copy's pid, which `next` gives at once. In the
    # copy it returns 0, the sentinel: that iterator is over, and the chain goes on to `ends`, which makes the steps.
    # The first step that fails yields its number, and `_exit` ends the copy. If none fails, the chain is empty, and
    # `next` gives its default, 0. All arguments of clone are 0: no flag, no exit signal, the same stack address, copied
    # on write.
    ends: Any = map(_exit, failing)
    life: Any = itertools.chain(iter(step("clone")[1], 0), ends)
    # As `os.fork` does: a lock that another thread held would stay locked in the copy for ever. Ours, held by the very
    # thread that is copied, can be released there.
    if not _take_import_lock():
        raise BusyError("another thread is importing a module")
    parent, pid, errno = call("getpid"), -1, 0
    # Before the clone, because the copy inherits the mask: a signal that came between clone and a mask set in the copy
    # would run the program's handler a second time.
    call("rt_sigprocmask", _SET_MASK, _all_signals.address, _mask.address, _MASK_SIZE)
    try:
        pid = next(life, 0)
    finally:
        if call("getpid") != parent:
            if pid:  # after an exception: the copy must not continue as a second debuggee
                _exit(_BROKEN)
        else:
            errno = ctypes.get_errno()
            call("rt_sigprocmask", _SET_MASK, _mask.address, 0, _MASK_SIZE)
            _imp.release_lock()
    if pid < 0:
        raise OSError(errno, "clone")
    return pid


def _failure(number: int, call_it: Any, gives: Any) -> Any:
    """Returns an iterator that makes a step, and yields the step's number if the step fails."""
    # A success is the sentinel, so `iter` ends without a value and the chain goes on to the next step. `islice(.., 1,
    # 1)` makes one call and yields nothing, whatever the call returned. Otherwise `compress` yields the number in the
    # place of a true result; ctypes returns -1 for a system call that fails.
    if gives is ANYTHING:
        return itertools.islice(iter(call_it, ANYTHING), 1, 1)
    return itertools.compress(itertools.repeat(min(number, _BROKEN)), iter(call_it, gives))


def kill(pid: int) -> None:
    """Kills a copy that has not been reaped."""
    attempt("kill", pid, _KILL)


def reap(pid: int) -> int | None:
    """Returns the wait status of a copy that has ended, or None while it lives.

    Do not call it again after it has returned a status.
    """
    if attempt("wait4", pid, _status.address, _NO_HANG | _CLONED, 0) == 0:
        return None
    return struct.unpack("=i", _status.get(4))[0]
