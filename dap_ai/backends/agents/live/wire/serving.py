"""The endpoint: takes requests of the agent, passes them on, and the answers back piece by piece as they come."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

import h11

from dap_ai.backends.agents.live.wire.apis.asked import api_of
from dap_ai.backends.agents.live.wire.http import (
    READ_BYTES,
    Broken,
    Headers,
    passed_on,
    uncompressed,
    value_of,
    without,
)
from dap_ai.backends.agents.live.wire.notes import Began, End, Ended, Notes
from dap_ai.backends.agents.live.wire.replies import Decision, Replies
from dap_ai.backends.agents.live.wire.routes import Upstream, target
from dap_ai.backends.agents.live.wire.upstream import Link, Pool, Unreached, proxy_headers

_MAX_HEAD = 256 * 1024
_MAX_BODY = 512 * 1024 * 1024
_BACKLOG = 1024
_KEEPING_S = 1.0
"""So long at most an answer that has come waits until the workspace's state before it is kept."""
Keeping = Callable[[int], "asyncio.Future[None]"]


class Left(Exception):  # noqa: N818  what it says of the agent
    """The agent has closed the connection."""


class Endpoint:
    """A server on loopback that knows a token."""

    def __init__(
        self,
        token: str,
        upstreams: Mapping[str, Upstream],
        notes: Notes,
        *,
        first: int = 1,
        keeping: Keeping | None = None,
    ) -> None:
        """`first` is the number of the first request; `keeping` starts to keep the workspace as a query finds it."""
        self.token, self.upstreams, self.notes, self.keeping = token, upstreams, notes, keeping
        self.replay: Replies | None = None
        """Answers from a recording in the model's place."""
        self.pool = Pool()
        self.numbers = itertools.count(first)
        self._open: set[asyncio.Task[None]] = set()

    async def listen(self, listener: socket.socket) -> asyncio.Server:
        """Serves at a socket that is bound."""
        return await asyncio.start_server(self._accept, sock=listener, backlog=_BACKLOG, limit=READ_BYTES)

    async def end(self) -> None:
        """Closes every connection; requests under way are noted as left."""
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found = writer.get_extra_info("socket")
        if found is not None:  # asyncio does so only where the listener's protocol has its number: else 40 ms a query
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = asyncio.get_running_loop().create_task(_Conversation(self, reader, writer).run())
        self._open.add(task)
        task.add_done_callback(self._open.discard)


class _Conversation:
    """One connection of the agent's, and its requests one after the other."""

    def __init__(self, endpoint: Endpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._endpoint = endpoint
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)

    async def run(self) -> None:
        """Until either side closes it."""
        with contextlib.suppress(OSError, Left, asyncio.CancelledError):
            try:
                while isinstance(request := await self._next(), h11.Request):
                    await self._serve(request, await self._body())
                    if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                        break
                    self._http.start_next_cycle()
            except (h11.RemoteProtocolError, Broken) as error:
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
                raise Broken("it has more than 512 MB")
        if not isinstance(event, h11.EndOfMessage):
            raise Left
        return b"".join(pieces)

    async def _serve(self, request: h11.Request, body: bytes) -> None:
        found = target(request.target.decode("latin-1"), self._endpoint.token, self._endpoint.upstreams)
        if found is None:
            return await self._refuse(404, "is nothing here")
        if value_of(request.headers, b"upgrade"):
            return await self._refuse(426, "no other protocol than HTTP is spoken here")
        upstream, path = found
        number = next(self._endpoint.numbers)
        method, encoding = request.method.decode("latin-1"), value_of(request.headers, b"content-encoding")
        plain = path.partition("?")[0]
        passing = _Passing(number)
        api, own = api_of(method, plain), None
        if self._endpoint.replay and api:
            passing.decided = self._endpoint.replay.decide(number, api, uncompressed(body, encoding))
            own, body, encoding = passing.decided.own, passing.decided.body, ""
            request = _with_no(b"content-encoding", request)
        self._endpoint.notes.began(Began(number, time.time(), method, plain, upstream.name, body, encoding, own))
        if self._endpoint.keeping and api:
            passing.kept = self._endpoint.keeping(number)
        work = asyncio.ensure_future(self._pass(request, body, upstream, path, passing))
        try:
            await self._unless_left(work)
        except (asyncio.CancelledError, Left, ConnectionError):
            passing.end, passing.words = passing.end or "left", passing.words or "the agent closed the connection"
            raise
        finally:
            self._endpoint.notes.ended(passing.note())
        return None

    async def _unless_left(self, work: asyncio.Future[None]) -> None:
        """Waits for work, and ends it where the agent goes. Raises Left."""
        while not work.done():
            reading = asyncio.ensure_future(self._reader.read(READ_BYTES))
            try:
                await asyncio.wait([work, reading], return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    data = reading.result()
                    self._http.receive_data(data)  # the next request, before this one is answered
                    if not data:
                        raise Left  # noqa: TRY301  work is ended for whatever reason there is
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
        await work

    async def _pass(self, request: h11.Request, body: bytes, upstream: Upstream, path: str, passing: _Passing) -> None:
        if passing.decided is not None and await self._replayed(passing.decided, passing):
            return
        link = None
        try:
            link, head = await self._asked(request, body, upstream, path)
            passing.headed(head)
            await passing.settled()
            await self._send(_head_for(head))
            if request.method != b"HEAD":
                async for piece in link.pieces():
                    passing.body.append(piece)
                    await self._send(h11.Data(data=piece))
            await self._send(h11.EndOfMessage())
            self._endpoint.pool.keep(upstream.origin, link)
            link, passing.end = None, "whole"
        except Unreached as error:
            passing.end, passing.words = "unreached", str(error)
            await self._refuse(502, str(error))
        except (Broken, OSError, h11.LocalProtocolError) as error:
            if self._writer.is_closing():
                raise Left from error
            passing.end, passing.words = "broken", str(error) or "the connection to the model ended"
            if passing.status:
                self._writer.transport.abort()  # as the agent would have seen it
                raise Left from error
            await self._refuse(502, passing.words)
        finally:
            if link is not None:
                link.close()

    async def _replayed(self, decided: Decision, passing: _Passing) -> bool:
        """Whether the tape has answered; at the fork the workspace is set before the model is asked."""
        replay, keeping, sent = self._endpoint.replay, self._endpoint.keeping, decided.sent
        if passing.kept is not None and (decided.is_fork or sent):
            await passing.kept
        if decided.is_fork and replay and keeping:
            await replay.settle(lambda: keeping(passing.number))
        if sent is None:
            return False
        length = str(len(sent.body)).encode()
        headers: Headers = [(b"Content-Type", sent.kind.encode()), (b"Content-Length", length)]
        head = h11.Response(status_code=sent.status, headers=headers, reason=b"dap-ai")
        passing.headed(head)
        passing.taped = sent.taped
        passing.body.append(sent.body)
        for event in (head, h11.Data(data=sent.body), h11.EndOfMessage()):
            await self._send(event)
        passing.end = "whole"
        if decided.stop and replay is not None:
            replay.end_agent()
        return True

    async def _asked(
        self, request: h11.Request, body: bytes, upstream: Upstream, path: str
    ) -> tuple[Link, h11.Response]:
        """The head of the answer. A connection that was open, and is found closed, is replaced once."""
        pool, origin = self._endpoint.pool, upstream.origin
        if (link := pool.idle(origin)) is not None:
            try:
                return link, await link.send(_request_for(request, body, upstream, path, link), body)
            except (Broken, OSError):
                link.close()
        link = await pool.opened(origin)
        try:
            return link, await link.send(_request_for(request, body, upstream, path, link), body)
        except BaseException:
            link.close()
            raise

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()

    async def _refuse(self, status: int, words: str) -> None:
        """An answer of our own, in the shape of a vendor's error."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        error = {"message": f"dap-ai: {words}", "type": "dap_ai", "param": None, "code": None}
        body = json.dumps({"type": "error", "error": error}).encode()
        headers: Headers = [(b"Content-Type", b"application/json"), (b"Content-Length", str(len(body)).encode())]
        await self._send(h11.Response(status_code=status, headers=headers, reason=b"dap-ai"))
        await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())


class _Passing:
    """What is known of a request so far."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.end: End | None = None
        self.words = ""
        self.status = 0
        self.body: list[bytes] = []
        self.kept: asyncio.Future[None] | None = None
        self.decided: Decision | None = None
        self.taped: int | None = None
        self._head: dict[str, Any] = {}

    def headed(self, head: h11.Response) -> None:
        """The answer has begun."""
        self.status = head.status_code
        self._head = {
            "first_at": time.time(),
            "kind": value_of(head.headers, b"content-type"),
            "encoding": value_of(head.headers, b"content-encoding"),
            "request_id": value_of(head.headers, b"x-request-id") or value_of(head.headers, b"request-id"),
        }

    async def settled(self) -> None:
        """Once the workspace is kept, so that what the agent does with the answer is in the next state."""
        if self.kept is not None:
            await asyncio.wait([self.kept], timeout=_KEEPING_S)

    def note(self) -> Ended:
        """For who records it."""
        end = self.end or "broken"
        facts = {"status": self.status, "body": self.body, "taped": self.taped}
        return Ended(self.number, time.time(), end, self.words, **facts, **self._head)


def _with_no(name: bytes, request: h11.Request) -> h11.Request:
    headers = without(list(request.headers), name)
    return h11.Request(method=request.method, target=request.target, headers=headers)


def _request_for(request: h11.Request, body: bytes, upstream: Upstream, path: str, link: Link) -> h11.Request:
    """The agent's request as the upstream is to see it: its own, but for what is about the connection.

    No compression is asked for, so that the answer can be read and passes as it comes.
    """
    headers = without(passed_on(request.headers), b"host", b"content-length", b"accept-encoding", b"expect")
    host = upstream.origin.partition("://")[2].rpartition("@")[2].encode()
    if body or request.method in (b"POST", b"PUT", b"PATCH"):
        headers.append((b"Content-Length", str(len(body)).encode()))
    if link.proxied:
        headers += proxy_headers(upstream.origin)
    place = (upstream.origin + path if link.proxied else path).encode("latin-1")
    headers = [(b"Host", host), *headers, (b"Accept-Encoding", b"identity")]
    return h11.Request(method=request.method, target=place, headers=headers)


def _head_for(head: h11.Response) -> h11.Response:
    """The upstream's answer as the agent is to see it. Without a length it goes in chunks."""
    return h11.Response(status_code=head.status_code, headers=passed_on(head.headers), reason=head.reason)
