"""The work of a locked copy of the debuggee: a job of the injected module `jobs`, asked for politely.

Each request is one short evaluate. The copy ends itself at its deadline, so that nothing is left of it even if this
process ends first.
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

from dap_ai.backends.debugpy.inspector import MAGIC, SNAPSHOTS, Caller, call_expression, install_expressions, last_line
from dap_ai.limits import slack
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.snapshot import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import RequestFailed

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05
_GRACE_S = 0.5
"""How much longer than its deadline a copy may seem to live before it is ended from outside."""
_KILL_TRIES = 20
_QUICKLY = 1
"""An edited file is mostly empty lines: three processes read less."""
IMPORTING = "unavailable: busy: another thread is importing a module"


class _Progress(msgspec.Struct):
    done: bool


class Snapshots:
    """The snapshots of one debug session; several may be under way at once."""

    def __init__(self, readable: tuple[str, ...] = ()) -> None:
        """`readable`: folders that a copy may read beside Python's own."""
        self._readable = readable
        self._killing: set[asyncio.Task[None]] = set()
        self._installing = asyncio.Lock()

    async def run(
        self, request: Request, query: SnapshotQuery, begun: Callable[[str], None] = lambda _token: None
    ) -> SnapshotResult:
        """One copy's work in a frame of this stop; cancelled, it ends the copy.

        `begun` gets the job's token before anything is sent. A copy that has answered may take a moment to end: before
        the program goes on, `kill_request` sees to that. A failure of the program's code or of the snapshot is a
        result. Raises RequestFailed, NotStopped as `request` does.
        """
        job = _Job(request, query.frame_id, self._installing)
        begun(job.token)
        try:
            return await self._run(job, query)
        finally:
            if job.alive:
                killing = asyncio.ensure_future(job.kill())
                self._killing.add(killing)
                killing.add_done_callback(self._killing.discard)
                await asyncio.shield(killing)

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """The DAP request (command and arguments) that ends a job at once, and waits for all that have answered.

        Harmless if there is none.
        """
        arguments = {"expression": call_expression("kill", token), "context": "clipboard", "frameId": frame_id}
        return "evaluate", arguments

    async def _run(self, job: _Job, query: SnapshotQuery) -> SnapshotResult:
        by_clock_s = query.waits * query.deadline_s * slack()
        limits = {"deadline_s": query.deadline_s, "by_clock_s": by_clock_s, "memory_bytes": query.memory_bytes}
        readable = [*self._readable, *query.folders]
        wanted = msgspec.to_builtins(query) | limits | {"token": job.token, "readable": readable}
        loop = asyncio.get_running_loop()
        ends, pause_s = loop.time() + by_clock_s + _GRACE_S, _FIRST_PAUSE_S
        result = await job.start(wanted)
        while result is None and loop.time() < ends:
            await asyncio.sleep(pause_s)
            pause_s = min(1.5 * pause_s, _LONGEST_PAUSE_S)
            result = await job.poll()
        return result or SnapshotResult("deadline", milliseconds=by_clock_s * 1000)


class _Job:
    """One job as seen from here. Its name is chosen here, so that it can be ended before its start is answered."""

    def __init__(self, request: Request, frame_id: int, installing: asyncio.Lock) -> None:
        self._installing = installing
        self.token = secrets.token_hex(8)
        self.alive = False
        self._caller = Caller(request, frame_id)

    async def start(self, wanted: dict[str, Any]) -> SnapshotResult | None:
        query = base64.b64encode(zlib.compress(msgspec.json.encode(wanted), _QUICKLY)).decode("ascii")
        self.alive = True
        reply = await self._call("start", query)
        if not reply.startswith(MAGIC):
            if await self._call("importing", "") == MAGIC:  # to install imports: it would wait for the lock
                self.alive = False
                return SnapshotResult(IMPORTING)
            async with self._installing:  # a second installation would forget the jobs of the first
                reply = await self._call("start", query)
                if not reply.startswith(MAGIC):
                    reply = await self._install(reply)
                    reply = await self._call("start", query) if reply == MAGIC else reply
        return self._result(reply)

    async def poll(self) -> SnapshotResult | None:
        return self._result(await self._call("poll", self.token))

    async def kill(self) -> None:
        """Ends it and waits until it is gone; gives up when the stop is over, the copy's own deadline remains."""
        with contextlib.suppress(RequestFailed, ValueError):
            for _ in range(_KILL_TRIES):
                reply = await self._call("kill", self.token)
                if not reply.startswith(MAGIC) or msgspec.json.decode(_body(reply), type=_Progress).done:
                    return
                await asyncio.sleep(_FIRST_PAUSE_S)

    async def _install(self, said: str) -> str:
        walker = () if not said and await self._call("has", "runtime") else (install_expressions(),)
        return await self._caller.install(said, *walker, install_expressions(SNAPSHOTS))

    async def _call(self, name: str, argument: str) -> str:
        return await self._caller.evaluate(call_expression(name, argument))

    def _result(self, reply: str) -> SnapshotResult | None:
        """The result, None while the job runs. Raises RequestFailed."""
        if not reply.startswith(MAGIC):
            raise RequestFailed("snapshot", "snapshotFailed", f"no snapshot could be made: {last_line(reply)}")
        if reply.startswith(MAGIC + "!"):
            raise RequestFailed("snapshot", "snapshotFailed", f"the snapshot failed: {reply.removeprefix(MAGIC)[1:]}")
        body = _body(reply)
        try:
            if not msgspec.json.decode(body, type=_Progress).done:
                return None
            self.alive = False
            return msgspec.json.decode(body, type=SnapshotResult)
        except (ValueError, msgspec.MsgspecError):  # the expression has written where only its answer belongs
            self.alive = False
            return SnapshotResult("unavailable: the copy's answer was not understood")


def _body(reply: str) -> bytes:
    return base64.b64decode(reply.removeprefix(MAGIC))
