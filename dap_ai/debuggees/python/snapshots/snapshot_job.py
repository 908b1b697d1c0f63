"""A snapshot as a job: the copy, the memory for its answer, and their lifetimes.

A copy writes its answer into memory that it shares with the debuggee, then exits; it uses no descriptor of the
debuggee.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import gc
import posix
import struct
import time
from typing import Any

from ..inspector.path_texts import path_bytes
from ..inspector.stopped import located
from . import debuggee_identity
from .answer_bytes import completed, encoded, fitting, unavailable
from .evaluation import Evaluation
from .isolation import clone
from .isolation.lookups import Lookups
from .isolation.mounts import mounts
from .isolation.reasons import NO_LOOKUPS, lacking, reason
from .isolation.refused_calls import refusals
from .isolation.seccomp_filter import ASKED, DENIED, FREE
from .isolation.syscalls import Buffer, Step, attempt, call, store, store_step, wait_while_zero, wake
from .isolation.trapping import RECORDS_BYTES

_MEMORY_BYTES = 1 << 19
_RECORDS_AT = _MEMORY_BYTES - RECORDS_BYTES
"""Offset of the refusal records in the shared memory; the answer ends before it."""
_HEADER = struct.Struct("=QQQ")
"""Header of the shared memory: the copy's progress, bytes of its answer, address of the fork hooks."""
_ANSWERED = 8
"""Offset of the answer's size in the header; the size changes from 0 when the copy has answered."""
_LOCKED = 1
_NO_DESCRIPTOR = b"OSError: [Errno 9]"
_READ_WRITE, _SHARED_ANONYMOUS = 3, 0x21
_NOT_IN_COPIES, _IN_COPIES = 10, 11  # MADV_DONTFORK, MADV_DOFORK
_KILLED = 9
_NO_MEMORY_THERE = (7, 11)
"""SIGBUS and SIGSEGV, the signals that end a copy that uses memory it lacks."""
_WAIT_US, _SHORTER_US = 1000, 200
"""Microseconds to wait for an answer; the shorter wait is for copies whose path lookups need answers."""
_LOCKDOWN_S = 0.3
"""Seconds until the restrictions must be in force; a slower copy may hang on a lock in malloc and is remade once."""

_clock, _processor = time.perf_counter, time.process_time
_reader = Buffer(_MEMORY_BYTES)
_locked = Buffer(_HEADER.size)
_locked.put(_HEADER.pack(_LOCKED, 0, 0))
jobs: dict[str, SnapshotJob] = {}
"""Jobs by token, until their answers are reported."""
dying: list[int] = []
"""Pids of copies that have answered or were killed, until they are reaped."""
made: dict[str, Any] = {}
"""Facts shared by all copies of this process: the lockdown, the fork hooks' address, how paths are treated."""


class SnapshotJob:
    """One copy and the memory for its answer."""

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
        """Makes a copy that evaluates the query; the first copy of a process only finds the fork hooks.

        Raises BusyError, LookupError, OSError.
        """
        self.lookups.close()
        followed = self.wanted.get("follow") or {}
        ids = [self.wanted["frame_id"], followed.get("frame_id", self.wanted["frame_id"])]
        frames = {frame_id: frame for frame_id, frame, *_ in located(ids)[0]}
        if not frames.keys() >= set(ids):
            raise LookupError("the frame is not of a stopped thread: take one from a stackTrace of this stop")
        evaluation = Evaluation(frames[ids[0]], self.wanted, frames[ids[1]])
        facts = debuggee_identity.DebuggeeIdentity()
        hooks = self.hooks = made.get("hooks", 0)
        store(self.memory, bytes(_HEADER.size))
        store(self.memory + _RECORDS_AT, bytes(8))
        attempt("madvise", self.memory, _MEMORY_BYTES, _IN_COPIES)
        self.steps = self._steps(hooks)
        try:
            self.pid = clone.clone(self.steps)
            if not self.pid:
                _live_as_copy(self, evaluation if hooks else None, facts)
        finally:
            attempt("madvise", self.memory, _MEMORY_BYTES, _NOT_IN_COPIES)

    def _steps(self, hooks: int) -> list[Step]:
        readable = [path_bytes(path) for path in self.wanted.get("readable", ())]
        left_s = self.deadline_s, max(0.05, self.by_clock_s - self.age_s())
        mounted = mounts()
        self.how = made.get("lookups", ASKED) if mounted.foreign else FREE
        lockdown, self.left_out = made["lockdown"].steps(
            left_s,
            self.wanted["memory_bytes"],
            self.memory,
            readable,
            records=self.memory + _RECORDS_AT,
            mounted=mounted,
            lookups=self.how,
            useless=[job.memory for job in jobs.values() if job is not self],
        )
        return [*lockdown, store_step(self.memory, _locked.address, _HEADER.size), *debuggee_identity.after_fork(hooks)]

    def age_s(self) -> float:
        """Returns the seconds since the job was requested."""
        return _clock() - self.started

    def progress(self) -> tuple[int, int, int]:
        """Returns the shared memory's header: progress, answer size, fork hooks' address."""
        step, size, hooks = _HEADER.unpack(_reader.load(self.memory, _HEADER.size))
        return step, min(size, _RECORDS_AT - _HEADER.size), hooks

    def answer(self) -> bytes:
        """Returns the answer that the copy wrote; b"" if there is no answer yet."""
        _, size, _ = self.progress()
        return _reader.load(self.memory + _HEADER.size, size) if size else b""

    def failed_step(self, status: int) -> str:
        """Returns the name of the failed lockdown step in a wait status; an empty string if no step failed."""
        number = status >> 8
        return self.steps[number - 1][0] if 0 < number <= len(self.steps) else ""

    def look(self) -> bytes | None:
        """Returns the answer and removes the job, once there is an answer or the copy has ended; otherwise None.

        It may make the copy again.
        """
        while True:
            if self.failure:
                return self._done(unavailable(self.failure))
            status, answer = clone.reap(self.pid), self.answer()
            if status is None and answer:  # the answer may only say that the copy is done
                answer = self.completed_answer(answer)
                self.end()
                return answer
            if status is None:
                if self.age_s() <= _LOCKDOWN_S or self.is_second or self.progress()[0] >= _LOCKED:
                    return None
                self.is_second = True
                self._again(kill=True)
            elif self.how == ASKED and self.progress()[0] < _LOCKED and self.failed_step(status) == "seccomp":
                made["lookups"] = DENIED  # the program's sandbox already has a listener
                self._again()
            else:
                hooks = 0 if self.hooks else self.progress()[2]
                if not hooks:
                    return self._done(self._last_words(status))
                made["hooks"] = hooks
                self._again()

    def end(self) -> None:
        """Kills the copy if it has not ended, and removes the job."""
        if self.pid:
            clone.kill(self.pid)
            dying.append(self.pid)
        self._done(b"")

    def _again(self, *, kill: bool = False) -> None:
        if kill:
            clone.kill(self.pid)
            dying.append(self.pid)
        try:
            self.run()
        except (clone.BusyError, LookupError, OSError) as error:
            self.failure, self.pid = reason(error), 0

    def _done(self, answer: bytes) -> bytes:
        jobs.pop(self.wanted["token"], None)
        self.lookups.close()
        attempt("munmap", self.memory, _MEMORY_BYTES)
        return answer

    def wait(self) -> bool:
        """Waits a moment for the answer, and answers path lookups; returns whether there were lookups.

        A copy whose lookups cannot be received is made again with all lookups refused.
        """
        try:
            if self.how == ASKED and self.progress()[0] >= _LOCKED and self.lookups.answer(self.pid):
                return True
        except OSError:
            made["lookups"] = DENIED
            self._again(kill=True)
        wait_while_zero(self.memory + _ANSWERED, _SHORTER_US if self.how == ASKED else _WAIT_US)
        return False

    def refused(self) -> int:
        """Returns the number of calls that the restrictions have refused."""
        return struct.unpack("=Q", _reader.load(self.memory + _RECORDS_AT, 8))[0]

    def completed_answer(self, answer: bytes) -> bytes:
        """Returns the answer with descriptions of the refused calls added."""
        lookups = self.lookups.refused if self.how == ASKED else []
        more = [NO_LOOKUPS] if self.how == DENIED else lookups
        records = _reader.load(self.memory + _RECORDS_AT, RECORDS_BYTES)
        refused = refusals(records, closing=_NO_DESCRIPTOR in answer)
        return completed(answer, more, [*refused, *["make the " + each for each in lookups]])

    def _last_words(self, status: int) -> bytes:
        """Returns the answer for a copy that has ended; without an answer of the copy, it explains the wait status."""
        data, signal_number, age_s = self.answer(), status & 0x7F, self.age_s()
        was_locked = self.progress()[0] >= _LOCKED
        if data:
            return self.completed_answer(data)
        milliseconds = round(age_s * 1000, 3)
        if signal_number == _KILLED and age_s >= self.deadline_s - 0.05:
            if not was_locked:
                return unavailable("busy: another thread holds a lock of malloc", milliseconds=milliseconds)
            return self.completed_answer(encoded(done=True, status="deadline", milliseconds=milliseconds))
        if signal_number == _KILLED:
            return unavailable("the copy was killed (out of memory?)", milliseconds=milliseconds)
        if was_locked and signal_number in _NO_MEMORY_THERE and self.left_out:
            return unavailable(lacking(self.left_out), milliseconds=milliseconds)
        failed = self.failed_step(status)
        not_locked = "the copy could not be locked" + (" (" + failed + " failed)" if failed else "")
        why = "the expression ended its process" if was_locked else not_locked
        return unavailable(why + (", by signal %d" % signal_number if signal_number else ""), milliseconds=milliseconds)


def _live_as_copy(job: SnapshotJob, evaluation: Evaluation | None, facts: debuggee_identity.DebuggeeIdentity) -> None:
    """Runs the rest of a copy's life after the lockdown; does not return."""
    try:
        if evaluation is None:
            store(job.memory, _HEADER.pack(_LOCKED, 0, debuggee_identity.found_fork_hooks()))
        else:
            debuggee_identity.stop_monitoring()
            store(job.memory + _RECORDS_AT, bytes(8))  # calls that the interpreter itself has tried
            debuggee_identity.keep_threads()
            facts.keep()
            if job.collecting:
                gc.enable()
            _write_timed(job, evaluation.run(lambda reply: _end_with(job, reply), job.refused))
    except BaseException as error:
        _write(job, {"status": "unavailable: " + str(error)[:300]})
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage]  its documented name


def _end_with(job: SnapshotJob, reply: dict[str, Any]) -> None:
    """Writes the answer and ends the copy in the middle of its run."""
    try:
        _write_timed(job, reply)
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage]  its documented name


def _write_timed(job: SnapshotJob, reply: dict[str, Any]) -> None:
    reply["milliseconds"] = round(job.age_s() * 1000, 3)
    reply["processor_ms"] = round(_processor() * 1000, 3)
    _write(job, reply)


def _write(job: SnapshotJob, reply: dict[str, Any]) -> None:
    data = fitting(reply, _RECORDS_AT - _HEADER.size)
    store(job.memory + _HEADER.size, data)
    store(job.memory, _HEADER.pack(_LOCKED, len(data), 0))
    wake(job.memory + _ANSWERED)
