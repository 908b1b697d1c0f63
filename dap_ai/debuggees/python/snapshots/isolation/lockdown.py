"""The ordered steps that restrict a copy before it evaluates anything.

The steps are prepared in the debuggee, and made in the copy by C code alone: no line of Python runs there before the
last step. A step that fails ends the copy.

The order is forced. First come the steps that end the copy (its parent's death, its deadlines), so that no later step
can hang unnoticed. Then come the memory steps, in two parts: those that need the debuggee's descriptors and, when these
are closed, those that need the copy's own. Then come the limits and Landlock. seccomp is last, because the filter
forbids most of the calls before it. `no_new_privs` comes before both: without it neither lets an unprivileged process
restrict itself (seccomp(2), landlock(7)).
"""

from __future__ import annotations

import os
import struct

from . import landlock
from .lookups import LISTENER
from .mounts import Mounts
from .pools import one_thread
from .private_memory import check_clonable, make_private
from .seccomp_filter import ASKED, DENIED, FREE, SeccompFilter
from .syscalls import AT_FDCWD, PAGE, Arena, Step, allocation_step, call, read_file, step
from .trapping import Trap

_PDEATHSIG, _NO_NEW_PRIVS, _GET_DUMPABLE, _DUMPABLE = 1, 38, 3, 4
_CPU, _FILE_SIZE, _CORE, _ADDRESS_SPACE = 0, 1, 4, 9
_MONOTONIC, _OF_PROCESSOR, _KILL = 1, 2, 9
_MAX_PRINTED_BYTES = 16 << 20
_ALL = 0xFFFFFFFF


class Lockdown:
    """Builds the steps that restrict a copy, from parts that are prepared once per process."""

    def __init__(self) -> None:
        check_clonable()
        self._abi = landlock.version()
        self._trap = Trap()
        again_at = self._trap.again_at
        self._filters = {how: SeccompFilter(self._abi > 0, how, again_at) for how in (FREE, ASKED, DENIED)}
        self._folders = landlock.library_folders()
        self._arena = Arena(1 << 16)

    def steps(
        self,
        deadlines_s: tuple[float, float],
        memory_bytes: int,
        kept: int,
        readable: list[bytes],
        *,
        records: int,
        mounted: Mounts,
        lookups: str,
        useless: list[int] | None = None,
    ) -> tuple[list[Step], list[str]]:
        """Returns the steps for a copy of this process as it is now, and the memory that the copy will lack.

        The steps are valid until the next call. `deadlines_s`: seconds of processor time, and by the clock. `kept`:
        address of the shared mapping for the answer. `records`: where refusals are recorded in that mapping. `useless`:
        mappings of other copies' answers. `lookups`: FREE, ASKED or DENIED, how path lookups are treated. Raises
        OSError.
        """
        arena = self._arena
        arena.clear()
        private = make_private(kept, mounted, arena, useless)
        memory_bytes += int(read_file(b"/proc/self/statm").split()[0]) * PAGE
        steps = [
            # prctl(2) sends the signal only for a parent that dies after the call; if it has died before, the copy has
            # another parent by now, and getppid does not give what the step expects.
            step("prctl", _PDEATHSIG, _KILL, 0, 0, 0),
            step("getppid", gives=call("getpid")),
            *_die_after(deadlines_s, arena),
            *private.early,
            # close_range(2) instead of a loop over /proc/self/fd: no list of descriptors can be out of date. Afterwards
            # open gives the lowest free number, so each result from here on is known beforehand: 0, 1, 2, then 3 and 4
            # for a moment.
            step("close_range", 0, _ALL, 0),
            *_expendable(arena),
            *private.late,
            step("openat", AT_FDCWD, arena.put(b"/dev/null\0"), os.O_RDONLY, gives=0),
            step("memfd_create", arena.put(b"printed\0"), 0, gives=1),
            step("dup", 1, gives=2),
            step("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0),
            _limit(_CPU, int(deadlines_s[0]) + 2, arena),
            _limit(_FILE_SIZE, _MAX_PRINTED_BYTES, arena),
            _limit(_CORE, 0, arena),
            _limit(_ADDRESS_SPACE, memory_bytes, arena),
            # Not dumpable: nobody with the same user may attach to the copy or read its memory (ptrace(2), proc(5)).
            # Where the debuggee answers the copy's lookups it must read paths in the copy's memory, so there the copy
            # stays dumpable.
            *([] if lookups == ASKED else [step("prctl", _DUMPABLE, 0, 0, 0, 0)]),  # its questions must be readable
            *(landlock.restrict(self._abi, self._folders + readable, arena) if self._abi else ()),
            *one_thread(),
            *self._trap.steps(records),
            self._filters[lookups].install(LISTENER),
            allocation_step(),  # a copy that could never allocate hangs here, where it is detected
        ]
        return steps, private.left_out


def _die_after(deadlines_s: tuple[float, float], arena: Arena) -> list[Step]:
    """Returns steps that set timers whose signal cannot be caught; the filter forbids cancelling the timers.

    A copy does not inherit timers, and its timer ids count from 0.
    """
    event = struct.pack("=QiI48x", 0, _KILL, 0)
    made: list[Step] = []
    for number, (clock, seconds) in enumerate(zip((_OF_PROCESSOR, _MONOTONIC), deadlines_s)):  # noqa: B905  not in 3.8
        # The kernel numbers a process's timers from 0, and a cloned process begins without any (timer_create(2)), so
        # the ids are known before they exist. SIGKILL, because a handler or a mask of the program's can't stop it; a
        # timer, because RLIMIT_CPU counts whole seconds and does not count waiting.
        whole = int(seconds)
        moment = struct.pack("=qqqq", 0, 0, whole, max(1, int((seconds - whole) * 1e9)))
        made += [
            step("timer_create", clock, arena.put(event), arena.put(bytes(8))),
            step("timer_settime", number, 0, arena.put(moment), 0),
        ]
    return made


def _expendable(arena: Arena) -> list[Step]:
    """Returns steps that let the kernel end the copy first when memory runs out.

    Empty for a process that has changed its user.
    """
    if call("prctl", _GET_DUMPABLE, 0, 0, 0, 0) != 1:
        return []
    return [
        step("openat", AT_FDCWD, arena.put(b"/proc/self/oom_score_adj\0"), os.O_WRONLY, gives=0),
        step("write", 0, arena.put(b"1000"), 4, gives=4),
        step("close", 0),
    ]


def _limit(resource: int, most: int, arena: Arena) -> Step:
    had = arena.put(bytes(16))
    call("prlimit64", 0, resource, 0, had)
    # Soft and hard limit alike, so that the copy can't raise it; never above what the debuggee has, because to raise a
    # hard limit needs a privilege (setrlimit(2)), and the step would fail.
    most = min(most, *struct.unpack("=QQ", arena.get(had, 16)))
    return step("prlimit64", 0, resource, arena.put(struct.pack("=QQ", most, most)), 0)
