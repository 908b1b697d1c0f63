"""A request's route to the model and back: unchanged, or through a gate that may pause, edit and answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import h11
import msgspec

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api, answer, api_of
from dap_ai.debuggees.runs.live.wire.apis.response_forms import in_form
from dap_ai.debuggees.runs.live.wire.http import BrokenConnection, Headers, uncompressed
from dap_ai.debuggees.runs.live.wire.keep_alive import Alive, Send, waits_by_itself
from dap_ai.debuggees.runs.live.wire.query_visit import Visit
from dap_ai.debuggees.runs.live.wire.request_state import Passing, head_for, request_for
from dap_ai.debuggees.runs.live.wire.routes import Upstream
from dap_ai.debuggees.runs.live.wire.upstream import Pool, UpstreamConnection


class Dropped(Exception):  # noqa: N818  named for what happened to a query
    """The user rejected the query, so that no model is called; the message says so."""


class Serves(Protocol):
    """The part of the endpoint that a route needs."""

    pool: Pool
    alive_s: float


class _StreamOptions(msgspec.Struct):
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None


class RequestRoute:
    """Forwards one request to the model. `send` writes to the agent."""

    def __init__(  # noqa: PLR0917  the parts of a request
        self, endpoint: Serves, send: Send, request: h11.Request, upstream: Upstream, path: str, passing: Passing
    ) -> None:  # fmt: skip
        self._endpoint, self._send = endpoint, send
        self._request, self._upstream, self._path, self._passing = request, upstream, path, passing
        self.is_promised = False
        """Whether status 200 was already sent, so that an error can only be signalled by closing the connection."""

    async def through(self, body: bytes) -> None:
        """Forward the answer to the agent piece by piece. Raises Unreached, BrokenConnection and OSError."""
        link, head = await self._asked(body)
        self._passing.headed(head)
        await self._read(link, head)

    async def visited(self, visit: Visit, note: Callable[[], None]) -> None:
        """Forward the request through the gate; calls `note` when the answer can be recorded.

        Raises Unreached, BrokenConnection, OSError and Dropped.
        """
        wanted = _stream_options(visit.body)
        silent = waits_by_itself(self._request.headers)
        alive = Alive(self._send, streams=bool(wanted.stream), silent=silent, every_s=self._endpoint.alive_s)
        try:
            await visit.asked(alive.begin, await self._changed(visit))
            if visit.refused:
                raise Dropped(visit.refused)
            await self._answered(visit, wanted, alive, note)
        finally:
            self.is_promised = alive.is_promised
            await alive.end()

    async def _answered(self, visit: Visit, wanted: _StreamOptions, alive: Alive, note: Callable[[], None]) -> None:
        if visit.reply is not None:
            kind, data = self._in_form(visit.reply, wanted)
            self._passing.taped = 0
            self._passing.headed(h11.Response(status_code=200, headers=[(b"Content-Type", kind.encode())]))
            self._passing.body.append(data)
            visit.passed(visit.reply, 200)
            return await self._whole(alive, 200, kind, data)
        while True:
            link, head = await self._asked(visit.body)
            self._passing.headed(head)
            if not visit.wants_answer(head.status_code) and not alive.is_promised:
                await alive.end()
                await self._read(link, head)
                return visit.passed(self._value(), self._passing.status)
            if head.status_code < 400:
                alive.begin()
            await self._read(link)
            note()
            if not await visit.answered(alive.begin, self._value(), head.status_code):
                break
            self._passing.anew()
        await self._passing.settled()
        if visit.is_edited:
            kind, data = self._in_form(visit.value, wanted)
            return await self._whole(alive, 200, kind, data)
        if alive.is_promised:
            return await self._whole(alive, head.status_code, self._passing.kind, b"".join(self._passing.body))
        await alive.end()
        for event in (head_for(head), h11.Data(data=b"".join(self._passing.body)), h11.EndOfMessage()):
            await self._send(event)
        return None

    async def _read(self, link: UpstreamConnection, head: h11.Response | None = None) -> None:
        """Read the whole answer; with `head`, also forward the head and each piece to the agent as it arrives."""
        try:
            if head is not None:
                await self._passing.settled()
                await self._send(head_for(head))
            async for piece in link.pieces():
                self._passing.body.append(piece)
                if head is not None:
                    await self._send(h11.Data(data=piece))
            if head is not None:
                await self._send(h11.EndOfMessage())
        except BaseException:
            link.close()
            raise
        self._endpoint.pool.keep(self._upstream.origin, link)
        self._passing.end = "whole"

    async def _whole(self, alive: Alive, status: int, kind: str, data: bytes) -> None:
        """Send the complete answer, after any keep-alive messages.

        Raises BrokenConnection for an error status after status 200 was already sent.
        """
        await alive.end()
        self.is_promised = alive.is_promised
        if not alive.is_promised:
            headers: Headers = [(b"Content-Type", kind.encode()), (b"Content-Length", str(len(data)).encode())]
            await self._send(h11.Response(status_code=status, headers=headers, reason=b"OK"))
        elif status >= 400:
            raise BrokenConnection(f"status {status}, after the agent was told that all is well")
        await self._send(h11.Data(data=data))
        await self._send(h11.EndOfMessage())
        self._passing.end = "whole"

    def _in_form(self, value: Any, wanted: _StreamOptions) -> tuple[str, bytes]:
        return in_form(self._api, value, msgspec.to_builtins(wanted))

    @property
    def _api(self) -> Api:
        return api_of("POST", self._path.partition("?")[0]) or "chat"

    def _value(self) -> Any:
        """Return the answer as a value; cut-off answers are parsed partially. Empty string if parsing fails."""
        passing = self._passing
        try:
            body = uncompressed(b"".join(passing.body), passing.encoding)
            return answer(self._api, body, streamed=passing.kind.startswith("text/event-stream"))
        except ValueError:
            return ""

    async def _changed(self, visit: Visit) -> Sequence[str] | None:
        """Return the files changed in the workspace since the previous query, if the visit needs them."""
        kept = self._passing.kept
        if kept is None or not visit.wants_changes:
            return None
        await asyncio.wait([kept])
        return kept.result()

    async def _asked(self, body: bytes) -> tuple[UpstreamConnection, h11.Response]:
        """Send the request; return (connection, response head). Retries if the server has closed an idle connection."""
        pool, origin = self._endpoint.pool, self._upstream.origin
        while True:
            known = pool.idle(origin)
            link = known or await pool.opened(origin)
            try:
                request = request_for(self._request, body, self._upstream, self._path, link)
                return link, await link.send(request, body)
            except BaseException as error:
                link.close()
                if known is None or not isinstance(error, (BrokenConnection, OSError)):
                    raise


def _stream_options(body: bytes) -> _StreamOptions:
    try:
        return msgspec.json.decode(body, type=_StreamOptions)
    except (msgspec.MsgspecError, UnicodeError):
        return _StreamOptions()
