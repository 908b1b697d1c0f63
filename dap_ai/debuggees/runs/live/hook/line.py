"""One POST to the gate over a connection that is kept: for each thread one, for each loop as many as wait at once.

No http.client: it costs the agent's start 20 ms.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import weakref
from typing import Any
from urllib.parse import urlsplit

_CONNECT_S = 5.0
_LOCAL = threading.local()
_LOOPS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
"""Connections of each event loop that nobody uses at this moment."""


class Closed(OSError):  # noqa: N818  what it says of the gate
    """The other side has ended the connection."""


def address() -> Any:
    """Host, port and path of the gate; None: nobody stands there."""
    parts = urlsplit(os.environ.get("DAP_AI_GATE", ""))
    return (parts.hostname, parts.port, parts.path) if parts.hostname and parts.port else None


def post(body: Any) -> Any:
    """The answer's body; b"" where there is no gate. Waits without a limit. Raises OSError."""
    found = address()
    if found is None:
        return b""
    kept = _kept()
    if kept is not None:
        try:
            return _asked(kept, found, body)
        except OSError:
            kept.close()  # it was closed meanwhile, or the endpoint was killed: another is at the same address
    made = socket.create_connection(found[:2], _CONNECT_S)
    made.settimeout(None)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _LOCAL.kept = os.getpid(), made
    return _asked(made, found, body)


def _kept() -> Any:
    pid, found = getattr(_LOCAL, "kept", (0, None))
    _LOCAL.kept = 0, None
    return found if pid == os.getpid() else None  # a fork has the parent's connection


def _asked(made: Any, found: Any, body: Any) -> Any:
    try:
        made.sendall(_request(found, body))
        answer = _Answer()
        while not answer.is_whole:
            answer.feed(made.recv(65536))
    except BaseException:
        _LOCAL.kept = 0, None
        made.close()
        raise
    _LOCAL.kept = os.getpid(), made
    return answer.body


async def post_async(body: Any) -> Any:
    """The same, and only this task waits. Raises OSError."""
    found = address()
    if found is None:
        return b""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # another kind of loop
        return post(body)
    free = _LOOPS.setdefault(loop, [])
    if free:
        made = free.pop()
        try:
            return await _asked_async(loop, free, made, found, body)
        except OSError:
            pass
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        await loop.sock_connect(made, found[:2])
    except BaseException:
        made.close()
        raise
    return await _asked_async(loop, free, made, found, body)


def close() -> Any:
    """Connections that nobody uses. An agent's process ends without."""
    for free in _LOOPS.values():
        while free:
            free.pop().close()


async def _asked_async(loop: Any, free: Any, made: Any, found: Any, body: Any) -> Any:
    try:
        await loop.sock_sendall(made, _request(found, body))
        answer = _Answer()
        while not answer.is_whole:
            answer.feed(await loop.sock_recv(made, 65536))
    except BaseException:
        made.close()
        raise
    free.append(made)
    return answer.body


def _request(found: Any, body: Any) -> Any:
    host, port, path = found
    head = "POST %s HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return (head % (path, host, port, len(body))).encode() + body


class _Answer:
    """An answer with a Content-Length, as it comes."""

    def __init__(self) -> None:
        self._data, self._head, self._length = b"", -1, 0

    def feed(self, data: Any) -> Any:
        """More of it. Raises Closed."""
        if not data:
            raise Closed("the gate has closed the connection")
        self._data += data
        if self._head < 0 and b"\r\n\r\n" in self._data:
            self._head = self._data.index(b"\r\n\r\n") + 4
            for row in self._data[: self._head].lower().split(b"\r\n"):
                if row.startswith(b"content-length:"):
                    self._length = int(row.partition(b":")[2])

    @property
    def is_whole(self) -> Any:
        return self._head >= 0 and len(self._data) >= self._head + self._length

    @property
    def body(self) -> Any:
        return self._data[self._head : self._head + self._length]
