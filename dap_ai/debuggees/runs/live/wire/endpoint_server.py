"""HTTP server in the model's place: forwards the agent's requests, and the answers piece by piece as they arrive."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import h11

from dap_ai.debuggees.runs.live.endpoint_plan import EVERY_S
from dap_ai.debuggees.runs.live.wire.apis.request_parts import api_of
from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.live.wire.endpoint_token import admitted
from dap_ai.debuggees.runs.live.wire.http import (
    READ_BYTES,
    BrokenConnection,
    Headers,
    uncompressed,
    value_of,
)
from dap_ai.debuggees.runs.live.wire.query_visit import Decision, Gatekeeper, Replies
from dap_ai.debuggees.runs.live.wire.request_notes import RequestStart
from dap_ai.debuggees.runs.live.wire.request_route import Dropped, RequestRoute
from dap_ai.debuggees.runs.live.wire.request_state import Passing, without_header
from dap_ai.debuggees.runs.live.wire.routes import ASKER, Upstream, asker, is_gate, target
from dap_ai.debuggees.runs.live.wire.upstream import Pool, Unreached
from dap_ai.transport import admission

_MAX_HEAD = 256 * 1024
_MAX_BODY = 512 * 1024 * 1024
_BACKLOG = 1024
_Result = TypeVar("_Result")
Keeping = Callable[[int], "asyncio.Future[Sequence[str] | None]"]
"""Starts saving the workspace before the query with that number; the future's result is the list of changed files."""


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201  log of the endpoint's process


class Left(Exception):  # noqa: N818  named for what the agent did
    """The agent has closed the connection."""


class Endpoint:
    """Server on loopback that accepts only requests with its token."""

    def __init__(
        self,
        token: str,
        upstreams: Mapping[str, Upstream],
        notes: EndpointRecorder,
        *,
        first: int = 1,
        keeping: Keeping | None = None,
        others: Callable[[], Collection[int]] = frozenset,
    ) -> None:
        """Create a server. `first` is the first request's number; `keeping` saves the workspace before a query.

        `others` returns the ids of users whose agents are also served if this process runs as root.
        """
        self.token, self.upstreams, self.notes, self.keeping = token, upstreams, notes, keeping
        self.replay: Replies | None = None
        """Answers queries from a recording instead of the model."""
        self.gate: Gatekeeper | None = None
        """Pauses queries and edits them."""
        self.alive_s = EVERY_S
        self.pool = Pool()
        self._others = others
        self.numbers = itertools.count(first)
        self._open: set[asyncio.Task[None]] = set()

    async def serve(self, listener: socket.socket) -> asyncio.Server:
        """Serve on a listening socket."""
        return await admission.serve(listener, self._protocol, _log, others=self._others, backlog=_BACKLOG)

    async def end(self) -> None:
        """Close every connection; requests in progress are recorded as `left`."""
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=READ_BYTES), self._accept)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found = writer.get_extra_info("socket")
        if found is not None:  # asyncio skips this if proto is 0; costs 40 ms per query
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = asyncio.get_running_loop().create_task(_Conversation(self, reader, writer).run())
        self._open.add(task)
        task.add_done_callback(self._open.discard)


class _Conversation:
    """One connection from the agent; serves its requests one after the other."""

    def __init__(self, endpoint: Endpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._endpoint = endpoint
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)

    async def run(self) -> None:
        """Serve requests until either side closes the connection."""
        with contextlib.suppress(OSError, Left, asyncio.CancelledError):
            try:
                while isinstance(request := await self._next(), h11.Request):
                    await self._serve(request, await self._body())
                    if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                        break
                    self._http.start_next_cycle()
            except (h11.RemoteProtocolError, BrokenConnection) as error:
                await self._refuse(400, f"is no request: {error}")
        self._writer.close()

    async def _next(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                self._writer.write(self._http.send(go_on) or b"")
            self._http.receive_data(await self._reader.read(READ_BYTES))

    async def _body(self) -> bytes:
        pieces, length = list[bytes](), 0
        while isinstance(event := await self._next(), h11.Data):
            pieces.append(bytes(event.data))
            length += len(event.data)
            if length > _MAX_BODY:
                raise BrokenConnection("it has more than 512 MB")
        if not isinstance(event, h11.EndOfMessage):
            raise Left
        return b"".join(pieces)

    async def _serve(self, request: h11.Request, body: bytes) -> None:
        known = admitted(request, self._endpoint.token)
        if known is None:
            return await self._refuse(404, "is nothing here")
        request, place = known, known.target.decode("latin-1")
        if is_gate(place) and self._endpoint.gate:
            return await self._announce(self._endpoint.gate, body)
        found = target(place, self._endpoint.upstreams)
        if found is None:
            return await self._refuse(404, "is nothing here")
        if value_of(request.headers, b"upgrade"):
            return await self._refuse(426, "no other protocol than HTTP is spoken here")
        upstream, path = found
        number = next(self._endpoint.numbers)
        method, encoding = request.method.decode("latin-1"), value_of(request.headers, b"content-encoding")
        plain = path.partition("?")[0]
        passing = Passing(number)
        api, own, who = api_of(method, plain), None, asker(value_of(request.headers, ASKER))
        request = without_header(ASKER, request) if who else request
        if api and (self._endpoint.replay or self._endpoint.gate):
            with contextlib.suppress(ValueError):  # unknown compression: forwarded unread
                body, encoding = uncompressed(body, encoding), ""
                request = without_header(b"content-encoding", request)
                if self._endpoint.replay:
                    passing.decided = self._endpoint.replay.decide(number, api, body)
                    own, body = passing.decided.own, passing.decided.body
                if self._endpoint.gate:
                    passing.visit = self._endpoint.gate.visit(number, api, body, upstream.url, who)
                    own, body = passing.visit.own or own, passing.visit.body
        self._endpoint.notes.began(
            RequestStart(number, time.time(), method, plain, upstream.name, body, encoding, own, who)
        )
        if self._endpoint.keeping and api:
            passing.kept = self._endpoint.keeping(number)
        work = asyncio.ensure_future(self._pass(request, body, upstream, path, passing))
        try:
            await self._unless_left(work)
        except (asyncio.CancelledError, Left, ConnectionError):
            passing.end, passing.words = passing.end or "left", passing.words or "the agent closed the connection"
            raise
        finally:
            self._note(passing)
        return None

    def _note(self, passing: Passing) -> None:
        if not passing.is_noted:
            passing.is_noted = True
            self._endpoint.notes.ended(passing.note())

    async def _announce(self, gate: Gatekeeper, body: bytes) -> None:
        """Process a hook's announcement; wait for the gate's verdict and send it."""
        status, data = await self._unless_left(asyncio.ensure_future(gate.announced(body)))
        await self._whole(status, b"application/json", data)

    async def _whole(self, status: int, kind: bytes, body: bytes) -> None:
        headers: Headers = [(b"Content-Type", kind), (b"Content-Length", str(len(body)).encode())]
        head = h11.Response(status_code=status, headers=headers, reason=b"dap-ai")
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            await self._send(event)

    async def _unless_left(self, work: asyncio.Future[_Result]) -> _Result:
        """Await `work`, and cancel it when the agent disconnects. Raises Left."""
        while not work.done():
            reading = asyncio.ensure_future(self._reader.read(READ_BYTES))
            try:
                await asyncio.wait([work, reading], return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    data = reading.result()
                    self._http.receive_data(data)  # a pipelined request
                    if not data:
                        raise Left  # noqa: TRY301  `work` is cancelled on any error
            except BaseException:
                work.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    await work
                raise
            finally:
                if not reading.done():
                    reading.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await reading
        return await work

    async def _pass(self, request: h11.Request, body: bytes, upstream: Upstream, path: str, passing: Passing) -> None:
        if passing.decided is not None and await self._replayed(passing.decided, passing):
            return
        way = RequestRoute(self._endpoint, self._send, request, upstream, path, passing)
        try:
            if passing.visit is None:
                await way.through(body)
            else:
                await way.visited(passing.visit, note=lambda: self._note(passing))
        except Dropped as error:
            passing.end, passing.words = "whole", str(error)
            await self._refuse(400, str(error))
        except Unreached as error:
            passing.end, passing.words = "unreached", str(error)
            if way.is_promised:
                self._writer.transport.abort()
                raise Left from error
            await self._refuse(502, str(error))
        except (BrokenConnection, OSError, h11.LocalProtocolError) as error:
            if self._writer.is_closing():
                raise Left from error
            passing.end, passing.words = "broken", str(error) or "the connection to the model ended"
            if passing.status or way.is_promised:
                self._writer.transport.abort()  # as the agent would have seen it without dap_ai
                raise Left from error
            await self._refuse(502, passing.words)

    async def _replayed(self, decided: Decision, passing: Passing) -> bool:
        """Send the replay's answer, if any, and return whether there is one.

        At the fork, resets the workspace before the model is called.
        """
        replay, keeping, sent = self._endpoint.replay, self._endpoint.keeping, decided.sent
        if passing.kept is not None and (decided.is_fork or sent):
            await passing.kept
        if decided.is_fork and replay and keeping:
            await replay.settle(lambda: keeping(passing.number))
        if sent is None:
            return False
        headers: Headers = [(b"Content-Type", sent.kind.encode())]
        passing.headed(h11.Response(status_code=sent.status, headers=headers, reason=b"dap-ai"))
        passing.taped = sent.taped
        passing.body.append(sent.body)
        await self._whole(sent.status, sent.kind.encode(), sent.body)
        passing.end = "whole"
        if decided.stop and replay is not None:
            replay.end_agent()
        return True

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()

    async def _refuse(self, status: int, words: str) -> None:
        """Send an error in the vendors' format."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        error = {"message": f"dap-ai: {words}", "type": "dap_ai", "param": None, "code": None}
        body = json.dumps({"type": "error", "error": error}).encode()
        await self._whole(status, b"application/json", body)
