"""Runs jobs in locked copies (snapshots) of the debuggee, through the injected module `turns`.

Each request is one short `evaluate` that starts and polls all jobs of one frame. Each copy ends itself at its deadline,
even if this process ends first.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
import zlib
from collections.abc import Callable
from typing import Any

import msgspec

from dap_ai.debuggees.python.injection.inspector import (
    MAGIC,
    SNAPSHOTS,
    Caller,
    call_expression,
    install_expressions,
    last_line,
)
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.load_limits import slack

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05
_GRACE_S = 0.5
"""Seconds that a copy gets past its deadline before this process ends the copy."""
_KILL_TRIES = 20
_STEPS = 3
"""Event loop iterations to wait after a result, so that its receiver can send another query."""
_QUICKLY = 1
"""The fastest zlib level."""
IMPORTING = "unavailable: busy: another thread is importing a module"


class _Progress(msgspec.Struct):
    done: bool


class DebugpySnapshots:
    """Runs snapshots in one debug session, several at once."""

    def __init__(self, readable: tuple[str, ...] = ()) -> None:
        """`readable` lists folders that a copy may read in addition to Python's own."""
        self._readable = readable
        self._killing: set[asyncio.Task[None]] = set()
        self._installing = asyncio.Lock()
        self._turns: dict[tuple[Request, int], _Turns] = {}

    async def run(
        self, request: Request, query: SnapshotQuery, begun: Callable[[str], None] = lambda _token: None
    ) -> SnapshotResult:
        """Runs one query in a copy of the program, in a frame of the current stop. Cancelling the call ends the copy.

        `begun` is called with the job's token before any request. A copy may take a moment to end after its answer, so
        send `kill_request` before the program continues. A failure of the program's code or of the snapshot is a
        result, not an error. Raises RequestFailed, and NotStopped if the program has continued.
        """
        by_clock_s = query.waits * query.deadline_s * slack()
        limits = {"deadline_s": query.deadline_s, "by_clock_s": by_clock_s, "memory_bytes": query.memory_bytes}
        job = _Job(by_clock_s)
        readable = [*self._readable, *query.folders]
        wanted = msgspec.to_builtins(query) | limits | {"token": job.token, "readable": readable}
        begun(job.token)
        key = request, query.frame_id
        turns = self._turns.get(key)
        if turns is None:
            turns = self._turns[key] = _Turns(Caller(request, query.frame_id), self._installing)
        try:
            return await turns.result(job, wanted)
        finally:
            if not turns.jobs:
                self._turns.pop(key, None)
            if job.alive:
                killing = asyncio.ensure_future(turns.kill(job))
                self._killing.add(killing)
                killing.add_done_callback(self._killing.discard)
                await asyncio.shield(killing)

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """Returns the DAP request (command and arguments) that ends a job at once.

        The request waits until copies that have answered are gone. It has no effect if the job does not exist.
        """
        arguments = {"expression": call_expression("kill", token), "context": "clipboard", "frameId": frame_id}
        return "evaluate", arguments


class _Job:
    """The proxy's record of a job. The proxy chooses the token, so it can end a job whose start is not confirmed."""

    def __init__(self, by_clock_s: float) -> None:
        self.token = secrets.token_hex(8)
        self.by_clock_s = by_clock_s
        self.alive = False
        self.ends = 0.0
        self.result: asyncio.Future[SnapshotResult] = asyncio.get_running_loop().create_future()

    def begin(self) -> None:
        """Records that the job was sent to the debuggee."""
        self.alive, self.ends = True, asyncio.get_running_loop().time() + self.by_clock_s + _GRACE_S

    def end(self, result: SnapshotResult) -> None:
        """Sets the job's result."""
        self.alive = False
        if not self.result.done():
            self.result.set_result(result)

    def fail(self, error: Exception) -> None:
        """Sets an error as the job's outcome, because no reply will arrive."""
        if not self.result.done():
            self.result.set_exception(error)


class _Turns:
    """The jobs in one frame of a stop. One task polls the jobs until none is left."""

    def __init__(self, caller: Caller, installing: asyncio.Lock) -> None:
        self.jobs: dict[str, _Job] = {}
        self._new: list[dict[str, Any]] = []
        self._caller = caller
        self._installing = installing
        self._more = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def result(self, job: _Job, wanted: dict[str, Any]) -> SnapshotResult:
        """Runs a job and returns its result; `wanted` is a SnapshotQuery plus the job's limits.

        Raises the errors of `DebugpySnapshots.run`.
        """
        self.jobs[job.token] = job
        self._new.append(wanted)
        self._more.set()
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())
        try:
            return await job.result
        finally:
            self.jobs.pop(job.token, None)
            self._new = [each for each in self._new if each["token"] != job.token]
            if not self.jobs:
                self._task.cancel()

    async def kill(self, job: _Job) -> None:
        """Ends a job and waits until its copy is gone.

        Gives up when the stop is over; then the copy ends at its deadline.
        """
        with contextlib.suppress(RequestFailed, ValueError):
            for _ in range(_KILL_TRIES):
                reply = await self._call("kill", job.token)
                said = reply.removeprefix(MAGIC)
                if said == reply or msgspec.json.decode(_decoded(said), type=_Progress).done:
                    return
                await asyncio.sleep(_FIRST_PAUSE_S)

    async def _run(self) -> None:
        try:
            await self._ask()
        except Exception as error:  # noqa: BLE001  each waiter raises it
            for job in list(self.jobs.values()):
                job.fail(error)

    async def _ask(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while self.jobs:
            if not self._new:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._more.wait(), pause_s)
            self._more.clear()
            if not self.jobs:
                return
            has_ended = await self._turn()
            pause_s = _FIRST_PAUSE_S if has_ended or self._new else min(1.5 * pause_s, _LONGEST_PAUSE_S)
            self._give_up()
            for _ in range(_STEPS if has_ended else 0):
                await asyncio.sleep(0)  # a caller with an answer may send another query

    def _give_up(self) -> None:
        """Gives each overdue job the result "deadline"; the waiting caller then ends the copy."""
        now = asyncio.get_running_loop().time()
        for job in self.jobs.values():
            if job.alive and job.ends < now and not job.result.done():
                job.result.set_result(SnapshotResult("deadline", milliseconds=job.by_clock_s * 1000))

    async def _turn(self) -> bool:
        """Starts new jobs and polls running jobs; returns whether a job has ended. Raises RequestFailed, NotStopped."""
        begin, self._new = self._new, []
        ask = [job.token for job in self.jobs.values() if job.alive and not job.result.done()]
        for query in begin:
            self.jobs[query["token"]].begin()
        work = msgspec.json.encode({"begin": begin, "ask": ask})
        text = base64.b64encode(zlib.compress(work, _QUICKLY)).decode("ascii")
        reply = await self._call("turn", text)
        if not reply.startswith(MAGIC):
            if await self._call("importing", "") == MAGIC:  # an installation would wait for the import lock
                for job in list(self.jobs.values()):
                    job.end(SnapshotResult(IMPORTING))
                return True
            async with self._installing:  # a second installation would forget the jobs of the first
                reply = await self._call("turn", text)
                if not reply.startswith(MAGIC):
                    reply = await self._install(reply)
                    reply = await self._call("turn", text) if reply == MAGIC else reply
        if not reply.startswith(MAGIC):
            raise RequestFailed("snapshot", "snapshotFailed", f"no snapshot could be made: {last_line(reply)}")
        if reply.startswith(MAGIC + "!"):
            raise _failed(reply.removeprefix(MAGIC)[1:])
        parts = reply.removeprefix(MAGIC).split()
        for part in parts:
            self._end(part)
        return bool(parts)

    def _end(self, part: str) -> None:
        """Decodes one job's part of a reply and sets the job's result."""
        token, mark, text = part.partition("!" if "!" in part else "=")
        job = self.jobs.get(token)
        if job is None:
            return
        if mark == "!":
            job.alive = False
            job.fail(_failed(_decoded(text).decode("utf-8", "replace")))
            return
        try:
            job.end(msgspec.json.decode(_decoded(text), type=SnapshotResult))
        except (ValueError, msgspec.MsgspecError):  # the expression wrote into the answer's memory
            job.end(SnapshotResult("unavailable: the copy's answer was not understood"))

    async def _install(self, said: str) -> str:
        inspector = () if not said and await self._call("has", "runtime") else (install_expressions(),)
        return await self._caller.install(said, *inspector, install_expressions(SNAPSHOTS))

    async def _call(self, name: str, argument: str) -> str:
        return await self._caller.evaluate(call_expression(name, argument))


def _decoded(text: str) -> bytes:
    return base64.b64decode(text)


def _failed(why: str) -> RequestFailed:
    return RequestFailed("snapshot", "snapshotFailed", f"the snapshot failed: {why}")
