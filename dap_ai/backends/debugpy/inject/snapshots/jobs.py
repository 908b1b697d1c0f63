"""Snapshots as jobs: each is started, asked for, and ended by short calls, so that nobody waits behind one.

A copy writes its answer into memory that it shares with the debuggee and ends: no descriptor of the debuggee is used.
The answer is told as soon as it is there: to end takes the longer the more memory the copy has. Whether it is gone is
seen to when the next one is made, or by `kill`.
A request and a reply travel as in runtime.py.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import binascii
import gc
import posix
import struct
import sys
import time
import zlib
from typing import Any, Callable

from ..reading import runtime, scopes
from ..reading.jsons import loads
from ..reading.statics import forget
from ..reading.stopped import located
from ..reading.texts import path_bytes
from . import clone, truth
from .answers import encoded, fitting, unavailable, with_effects
from .evaluation import Evaluation
from .filters import ASKED, DENIED, FREE
from .lockdown import Lockdown
from .lookups import Lookups
from .mounts import mounts
from .reasons import NO_LOOKUPS, lacking, reason
from .syscalls import SUPPORTED, Buffer, Step, attempt, call, store, store_step, wait_us, wait_while_zero, wake

_MEMORY_BYTES = 1 << 19
_HEADER = struct.Struct("=QQQ")
"""Of the shared memory: how far the copy has come, bytes of its answer, where the fork hooks are."""
_ANSWERED = 8
"""Where in the header the copy's end of work is waited for: at the bytes of its answer."""
_LOCKED = 1
_READ_WRITE, _SHARED_ANONYMOUS = 3, 0x21
_NOT_IN_COPIES, _IN_COPIES = 10, 11  # MADV_DONTFORK, MADV_DOFORK
_MAX_JOBS = 8
_KILLED = 9
_NO_MEMORY_THERE = (7, 11)
"""SIGBUS, SIGSEGV."""
_SHORT_WAIT_S = 0.004
_SHORTER_US, _LONGER_S = 200, 0.008
"""Where the copy may ask something meanwhile; where it has."""
_ENDING_S = 0.015
"""What a copy with a gigabyte takes to end."""
_ABANDONED_S = 5.0
"""After its deadline, in which its answer may still be asked for."""
_LOCKDOWN_S = 0.3
"""Longer, and it may hang on a lock that another thread held in malloc: it is made anew, once."""

_clock, _processor = time.perf_counter, time.process_time
_reader = Buffer(_MEMORY_BYTES)
_locked = Buffer(_HEADER.size)
_locked.put(_HEADER.pack(_LOCKED, 0, 0))
_jobs: dict[str, Job] = {}
_dying: list[int] = []
_made: dict[str, Any] = {}


class Job:
    """One copy and the memory it answers in."""

    def __init__(self, wanted: dict[str, Any], collecting: bool) -> None:
        self.wanted = wanted
        self.collecting = collecting
        self.deadline_s: float = wanted["deadline_s"]
        self.by_clock_s: float = wanted["by_clock_s"]
        self.memory = call("mmap", 0, _MEMORY_BYTES, _READ_WRITE, _SHARED_ANONYMOUS, -1, 0)
        self.started = _clock()
        self.is_second = False
        self.pid = 0
        self.hooks = 0
        self.failure = ""
        self.steps: list[Step] = []
        self.left_out: list[str] = []
        self.lookups = Lookups()
        self.how = FREE

    def run(self) -> None:
        """Makes a copy: first one that finds out what all later ones need, then the one that evaluates.

        Raises BusyError, LookupError, OSError.
        """
        self.lookups.close()
        followed = self.wanted.get("follow") or {}
        ids = [self.wanted["frame_id"], followed.get("frame_id", self.wanted["frame_id"])]
        frames = {frame_id: frame for frame_id, frame, *_ in located(ids)[0]}
        if not frames.keys() >= set(ids):
            raise LookupError("the frame is not of a stopped thread: take one from a stackTrace of this stop")
        evaluation = Evaluation(frames[ids[0]], self.wanted, frames[ids[1]])
        facts = truth.Facts()
        hooks = self.hooks = _made.get("hooks", 0)
        store(self.memory, bytes(_HEADER.size))
        attempt("madvise", self.memory, _MEMORY_BYTES, _IN_COPIES)
        self.steps = self._steps(hooks)
        try:
            self.pid = clone.clone(self.steps)
            if not self.pid:
                _live_as_copy(self, evaluation if hooks else None, facts)
        finally:
            forget()
            scopes.forget()
            attempt("madvise", self.memory, _MEMORY_BYTES, _NOT_IN_COPIES)

    def _steps(self, hooks: int) -> list[Step]:
        readable = [path_bytes(path) for path in self.wanted.get("readable", ())]
        left_s = self.deadline_s, max(0.05, self.by_clock_s - self.age_s())
        mounted = mounts()
        self.how = _made.get("lookups", ASKED) if mounted.foreign else FREE
        lockdown, self.left_out = _made["lockdown"].steps(
            left_s,
            self.wanted["memory_bytes"],
            self.memory,
            readable,
            mounted=mounted,
            lookups=self.how,
            useless=[job.memory for job in _jobs.values() if job is not self],
        )
        return [*lockdown, store_step(self.memory, _locked.address, _HEADER.size), *truth.after_fork(hooks)]

    def age_s(self) -> float:
        """Since it was asked for."""
        return _clock() - self.started

    def progress(self) -> tuple[int, int, int]:
        """The header of the shared memory."""
        step, size, hooks = _HEADER.unpack(_reader.load(self.memory, _HEADER.size))
        return step, min(size, _MEMORY_BYTES - _HEADER.size), hooks

    def answer(self) -> bytes:
        """What it wrote; b"" if it ended before."""
        _, size, _ = self.progress()
        return _reader.load(self.memory + _HEADER.size, size) if size else b""

    def failed_step(self, status: int) -> str:
        """The step that a wait status before the lock speaks of; "" if it speaks of none."""
        number = status >> 8
        return self.steps[number - 1][0] if 0 < number <= len(self.steps) else ""

    def wait(self) -> bool:
        """Waits a moment for the answer, and says meanwhile which paths may be looked up; whether that was asked.

        Raises OSError if it cannot be heard what the copy asks.
        """
        if self.how != ASKED:
            wait_while_zero(self.memory + _ANSWERED)
        elif self.progress()[0] >= _LOCKED and self.lookups.answer(self.pid):
            return True
        else:
            wait_while_zero(self.memory + _ANSWERED, _SHORTER_US)
        return False

    def told(self, answer: bytes) -> bytes:
        """An answer, with the lookups that were refused."""
        refused = self.lookups.refused if self.how == ASKED else [NO_LOOKUPS] if self.how == DENIED else []
        return with_effects(answer, refused)

    def close(self) -> None:
        """Gives its memory back."""
        self.lookups.close()
        attempt("munmap", self.memory, _MEMORY_BYTES)


def _live_as_copy(job: Job, evaluation: Evaluation | None, facts: truth.Facts) -> None:
    """The rest of a copy's life, in which it is locked; does not return."""
    try:
        if evaluation is None:
            store(job.memory, _HEADER.pack(_LOCKED, 0, truth.found_fork_hooks()))
        else:
            truth.stop_monitoring()
            truth.keep_threads()
            facts.keep()
            if job.collecting:
                gc.enable()
            _write_timed(job, evaluation.run(lambda reply: _end_with(job, reply)))
    except BaseException as error:
        _write(job, {"status": "unavailable: " + str(error)[:300]})
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage]  its documented name


def _end_with(job: Job, reply: dict[str, Any]) -> None:
    """Ends the copy in the midst of what it runs."""
    try:
        _write_timed(job, reply)
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage]  its documented name


def _write_timed(job: Job, reply: dict[str, Any]) -> None:
    reply["milliseconds"] = round(job.age_s() * 1000, 3)
    reply["processor_ms"] = round(_processor() * 1000, 3)
    _write(job, reply)


def _write(job: Job, reply: dict[str, Any]) -> None:
    data = fitting(reply, _MEMORY_BYTES - _HEADER.size)
    store(job.memory + _HEADER.size, data)
    store(job.memory, _HEADER.pack(_LOCKED, len(data), 0))
    wake(job.memory + _ANSWERED)


# -- what the proxy calls --------------------------------------------------------------------------------------------


def start(query: str) -> str:
    """Begins a job: base64(zlib(a SnapshotQuery with {token, readable, limits...})); then as `poll`."""
    return _reply(lambda collecting: _start(loads(zlib.decompress(binascii.a2b_base64(query))), collecting))


def poll(token: str) -> str:
    """{done: false}, or {done: true} with what a SnapshotResult holds; waits a few milliseconds at most."""
    return _reply(lambda _: _poll(token))


def kill(token: str) -> str:
    """Ends a job, if it has not ended. {done: whether nothing is left of any that was ended or has answered}."""
    return _reply(lambda _: _kill(token))


def _reply(work: Callable[[bool], bytes]) -> str:
    collecting = gc.isenabled()
    gc.disable()  # a collection runs finalizers and callbacks of the program, in the copy before it is locked
    try:
        return runtime.MAGIC + binascii.b2a_base64(work(collecting), newline=False).decode("ascii")
    except Exception as error:
        return runtime.MAGIC + "!" + type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]
    finally:
        if collecting:
            gc.enable()


def _start(wanted: dict[str, Any], collecting: bool) -> bytes:
    _end_abandoned()
    impossible = _impossible()
    if impossible:
        return unavailable(impossible)
    job = Job(wanted, collecting)
    try:
        job.run()
    except (clone.BusyError, LookupError, OSError) as error:
        job.close()
        return unavailable(reason(error))
    _jobs[wanted["token"]] = job
    return _poll(wanted["token"])


def _impossible() -> str:
    """Why there can be no snapshot; "" if there can."""
    if not SUPPORTED:
        return "snapshots need Linux on x86_64 or aarch64"
    if "t" in getattr(sys, "abiflags", "") or sys.implementation.name != "cpython":
        return "snapshots need CPython with its global lock"
    if len(_jobs) + len(_dying) >= _MAX_JOBS:
        return "too many snapshots at once"
    if "lockdown" not in _made:
        try:
            _made["lockdown"] = Lockdown()
        except (clone.BusyError, OSError) as error:
            return reason(error)
    return ""


def _poll(token: str) -> bytes:
    _reap_dying()
    ends = _clock() + _SHORT_WAIT_S
    ends_if_asked = ends + _LONGER_S
    while True:
        job = _jobs.get(token)
        if job is None:
            return unavailable("there is no such job")
        if job.failure:
            del _jobs[token]
            job.close()
            return unavailable(job.failure)
        status, answer = clone.reap(job.pid), job.answer()
        if status is None and answer:
            _end(token)  # it may only say that it is done
            return job.told(answer)
        if (
            status is not None
            and job.how == ASKED
            and job.progress()[0] < _LOCKED
            and job.failed_step(status) == "seccomp"
        ):
            _made["lookups"] = DENIED  # whoever has put the program into a sandbox listens to it
            _run_again(job)
            continue
        if status is not None:
            hooks = 0 if job.hooks else job.progress()[2]
            if not hooks:
                del _jobs[token]
                return _ended(job, status)
            _made["hooks"] = hooks
            _run_again(job)
            continue
        if job.age_s() > _LOCKDOWN_S and not job.is_second and job.progress()[0] < _LOCKED:
            clone.kill(job.pid)
            _dying.append(job.pid)
            job.is_second = True
            _run_again(job)
            continue
        if _clock() > ends:
            return encoded(done=False)
        try:
            if job.wait():
                ends = ends_if_asked
        except OSError:
            clone.kill(job.pid)
            _dying.append(job.pid)
            _made["lookups"] = DENIED
            _run_again(job)


def _run_again(job: Job) -> None:
    try:
        job.run()
    except (clone.BusyError, LookupError, OSError) as error:
        job.failure, job.pid = reason(error), 0


def _ended(job: Job, status: int) -> bytes:
    """What to tell about a copy that has ended with a wait status."""
    data, signal_number, age_s = job.answer(), status & 0x7F, job.age_s()
    was_locked = job.progress()[0] >= _LOCKED
    job.close()
    if data:
        return job.told(data)
    milliseconds = round(age_s * 1000, 3)
    if signal_number == _KILLED and age_s >= job.deadline_s - 0.05:
        if not was_locked:
            return unavailable("busy: another thread holds a lock of malloc", milliseconds=milliseconds)
        return encoded(done=True, status="deadline", milliseconds=milliseconds)
    if signal_number == _KILLED:
        return unavailable("the copy was killed (out of memory?)", milliseconds=milliseconds)
    if was_locked and signal_number in _NO_MEMORY_THERE and job.left_out:
        return unavailable(lacking(job.left_out), milliseconds=milliseconds)
    failed = job.failed_step(status)
    not_locked = "the copy could not be locked" + (" (" + failed + " failed)" if failed else "")
    why = "the expression ended its process" if was_locked else not_locked
    return unavailable(why + (", by signal %d" % signal_number if signal_number else ""), milliseconds=milliseconds)


def _kill(token: str) -> bytes:
    _end(token)
    ends = _clock() + _ENDING_S
    while _reap_dying() and _clock() < ends:
        wait_us(150)
    return encoded(done=not _dying)


def _end(token: str) -> None:
    job = _jobs.pop(token, None)
    if job is None:
        return
    if job.pid:
        clone.kill(job.pid)
        _dying.append(job.pid)
    job.close()


def _end_abandoned() -> None:
    """Ends the jobs that nobody asks for any more: their proxy is gone. A copy is a zombie from its end until here."""
    for token, job in list(_jobs.items()):
        if job.age_s() > job.by_clock_s + _ABANDONED_S:
            _end(token)
    _reap_dying()


def _reap_dying() -> bool:
    """Whether copies that were ended are still there."""
    _dying[:] = [pid for pid in _dying if clone.reap(pid) is None]
    return bool(_dying)
