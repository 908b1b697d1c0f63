"""The proxy's entry points: short calls start, poll and end jobs, so that nobody waits for one.

One call starts and polls several jobs. An answer is reported as soon as the copy has written it, because a copy with
much memory takes long to end. The next new job, or `kill`, checks that the copy is gone.

Requests and replies are encoded as in runtime.py.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import binascii
import gc
import sys
import time
import zlib
from typing import Any, Callable

from ..inspector import runtime, scopes
from ..inspector.jsons import loads
from ..inspector.stored.statics import forget
from .answer_bytes import encoded, unavailable
from .isolation import clone
from .isolation.lockdown import Lockdown
from .isolation.reasons import reason
from .isolation.syscalls import SUPPORTED, wait_us
from .snapshot_job import SnapshotJob, dying, jobs, made

_MAX_JOBS = 8
_SHORT_WAIT_S, _LONGER_S = 0.004, 0.008
"""Seconds to wait for an answer; the longer wait is for copies whose path lookups need answers."""
_ENDING_S = 0.015
"""Seconds to wait for copies to end; a copy of a gigabyte takes that long."""
_CLOSING_S = 1.0
_ABANDONED_S = 5.0
"""Seconds past a job's deadline until it counts as abandoned and is ended."""

_clock = time.perf_counter


def turn(work: str) -> str:
    """Starts jobs and returns the answers of jobs that have ended; waits a few milliseconds if no job has ended.

    `work`: base64(zlib({begin: [a SnapshotQuery with {token, readable, limits...}], ask: [token]})). The reply has `
    TOKEN=base64(a SnapshotResult with done: true)` for each job that has ended, and ` TOKEN!base64(why)` for each that
    failed.
    """
    wanted = loads(zlib.decompress(binascii.a2b_base64(work)))
    return _reply(lambda collecting: _turn(wanted["begin"], wanted["ask"], collecting))


def kill(token: str) -> str:
    """Ends a job. Returns {done: whether all copies that were killed or have answered are gone}."""
    return _reply(lambda _: _base64(_kill(token)))


def close() -> None:
    """Ends all jobs, and waits at most a second until their copies are gone; called when the session is over."""
    for job in list(jobs.values()):
        job.end()
    ends = _clock() + _CLOSING_S
    while _reap_dying() and _clock() < ends:
        wait_us(150)


def _reply(work: Callable[[bool], str]) -> str:
    collecting = gc.isenabled()
    gc.disable()  # a collection runs finalizers and callbacks of the program, in the copy before it is locked
    try:
        return runtime.MAGIC + work(collecting)
    except Exception as error:
        return runtime.MAGIC + "!" + _error_text(error)
    finally:
        forget()
        scopes.forget()
        if collecting:
            gc.enable()


def _error_text(error: Exception) -> str:
    return type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _turn(queries: list[dict[str, Any]], tokens: list[str], collecting: bool) -> str:
    _end_abandoned()
    parts: list[str] = []
    for query in queries:
        try:
            answer = _begin(query, collecting)
        except Exception as error:
            parts.append(" " + query["token"] + "!" + _base64(_error_text(error).encode("utf-8", "replace")))
            continue
        if answer:
            parts.append(" " + query["token"] + "=" + _base64(answer))
        else:
            tokens = [*tokens, query["token"]]
    ends = _clock() + _SHORT_WAIT_S
    ends_if_asked = ends + _LONGER_S
    while True:
        parts += [" " + token + "=" + _base64(answer) for token in tokens for answer in _looked(token)]
        if parts or not tokens or _clock() > ends:
            return "".join(parts)
        for token in tokens:
            if jobs[token].wait():
                ends = ends_if_asked


def _begin(query: dict[str, Any], collecting: bool) -> bytes:
    """Starts a job; returns b"", or the answer that explains why it cannot be started."""
    impossible = _impossible()
    if impossible:
        return unavailable(impossible)
    job = SnapshotJob(query, collecting)
    jobs[query["token"]] = job
    try:
        job.run()
    except (clone.BusyError, LookupError, OSError) as error:
        job.end()
        return unavailable(reason(error))
    except BaseException:
        job.end()
        raise
    return b""


def _impossible() -> str:
    """Returns the reason why snapshots are impossible, or an empty string."""
    if not SUPPORTED:
        return "snapshots need Linux on x86_64 or aarch64"
    if "t" in getattr(sys, "abiflags", "") or sys.implementation.name != "cpython":
        return "snapshots need CPython with its global lock"
    if len(jobs) + len(dying) >= _MAX_JOBS:
        return "too many snapshots at once"
    if "lockdown" not in made:
        try:
            made["lockdown"] = Lockdown()
        except (clone.BusyError, OSError) as error:
            return reason(error)
    return ""


def _looked(token: str) -> list[bytes]:
    """Returns a list with the job's answer, or an empty list without an answer."""
    job = jobs.get(token)
    answer = unavailable("there is no such job") if job is None else job.look()
    return [] if answer is None else [answer]


def _kill(token: str) -> bytes:
    job = jobs.get(token)
    if job is not None:
        job.end()
    ends = _clock() + _ENDING_S
    while _reap_dying() and _clock() < ends:
        wait_us(150)
    return encoded(done=not dying)


def _end_abandoned() -> None:
    """Ends jobs that the proxy has stopped polling, because it is gone."""
    for job in list(jobs.values()):
        if job.age_s() > job.by_clock_s + _ABANDONED_S:
            job.end()
    _reap_dying()


def _reap_dying() -> bool:
    """Reaps ended copies; returns whether some are still there."""
    dying[:] = [pid for pid in dying if clone.reap(pid) is None]
    return bool(dying)
