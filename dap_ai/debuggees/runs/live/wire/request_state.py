"""State of a request in progress, and its headers for the model's server and for the agent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import h11

from dap_ai.debuggees.runs.live.wire.http import passed_on, value_of, without
from dap_ai.debuggees.runs.live.wire.query_visit import Decision, Visit
from dap_ai.debuggees.runs.live.wire.request_notes import End, RequestEnd
from dap_ai.debuggees.runs.live.wire.routes import Upstream
from dap_ai.debuggees.runs.live.wire.upstream import UpstreamConnection, proxy_headers

_KEEPING_S = 1.0
"""Maximum seconds that an answer waits for the workspace to be saved."""


class Passing:
    """State of a request in progress."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.end: End | None = None
        self.words = ""
        self.status = 0
        self.body: list[bytes] = []
        self.kept: asyncio.Future[Sequence[str] | None] | None = None
        self.decided: Decision | None = None
        self.taped: int | None = None
        self.visit: Visit | None = None
        """The query's visit at the gate, if there is a gate."""
        self.is_noted = False
        """Whether the recorder has been notified."""
        self._head: dict[str, Any] = {}

    def headed(self, head: h11.Response) -> None:
        """Store the response head."""
        self.status = head.status_code
        self._head = {
            "kind": value_of(head.headers, b"content-type"),
            "encoding": value_of(head.headers, b"content-encoding"),
            "request_id": value_of(head.headers, b"x-request-id") or value_of(head.headers, b"request-id"),
        }

    def anew(self) -> None:
        """Reset the response's fields, because the model is queried again."""
        self.end, self.words, self.status, self.body, self._head, self.is_noted = None, "", 0, [], {}, False

    @property
    def kind(self) -> str:
        """Content type of the answer."""
        return str(self._head.get("kind", ""))

    @property
    def encoding(self) -> str:
        """Content encoding of the answer."""
        return str(self._head.get("encoding", ""))

    async def settled(self) -> None:
        """Wait until the workspace is saved, so that later changes by the agent belong to the next state."""
        if self.kept is not None:
            await asyncio.wait([self.kept], timeout=_KEEPING_S)

    def note(self) -> RequestEnd:
        """Return the response's data for the recorder."""
        end = self.end or "broken"
        facts = {"status": self.status, "body": self.body, "taped": self.taped}
        return RequestEnd(self.number, time.time(), end, self.words, **facts, **self._head)


def without_header(name: bytes, request: h11.Request) -> h11.Request:
    """Return the request without a header."""
    headers = without(list(request.headers), name)
    return h11.Request(method=request.method, target=request.target, headers=headers)


def request_for(
    request: h11.Request, body: bytes, upstream: Upstream, path: str, link: UpstreamConnection
) -> h11.Request:
    """Return the agent's request to send upstream, unchanged except for headers that concern the connection.

    Requests no compression, so that the answer can be read while it is forwarded unchanged.
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


def head_for(head: h11.Response) -> h11.Response:
    """Return the model server's response head for the agent. Without a length, the body is sent chunked."""
    return h11.Response(status_code=head.status_code, headers=passed_on(head.headers), reason=head.reason)
