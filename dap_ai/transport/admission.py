"""Listening sockets that accept only connections of the current user. They check the user before reading a byte.

Every listener of dap_ai uses this module. The kernel reports the user at the other end of a connection (peer_users.py).
A listener may require a token as well.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Collection
from pathlib import Path

from dap_ai.transport import peer_users

_BACKLOG = 100
Log = Callable[[str], None]


def listening_tcp(host: str, port: int, backlog: int = _BACKLOG) -> socket.socket:
    """Return a listening TCP socket, to be passed to `serve` here or in a child process. Raises OSError."""
    return socket.create_server((host, port), backlog=backlog)


def listening_unix(path: Path) -> socket.socket:
    """Return a listening Unix socket at `path`, which other users cannot open. Raises OSError."""
    bound = socket.socket(socket.AF_UNIX)
    try:
        bound.bind(str(path))
    except OSError:
        bound.close()
        raise
    try:
        path.chmod(0o600)
        bound.listen()
    except OSError:
        bound.close()
        path.unlink(missing_ok=True)
        raise
    return bound


async def serve(
    at: peer_users.Address | socket.socket,
    protocol: Callable[[], asyncio.Protocol],
    log: Log,
    *,
    others: Callable[[], Collection[int]] = frozenset,
    backlog: int = _BACKLOG,
) -> asyncio.Server:
    """Serve each connection of the current user with a new `protocol`. Abort and log other users' connections.

    `at` is an address or a listening socket. If the current user is root, users whose ids `others` returns are accepted
    too. Raises OSError.
    """
    loop = asyncio.get_running_loop()

    def admission() -> _Admission:
        return _Admission(protocol, log, others)

    if not isinstance(at, socket.socket):
        return await loop.create_server(admission, *at, backlog=backlog)
    if at.family == getattr(socket, "AF_UNIX", None):
        return await loop.create_unix_server(admission, sock=at, backlog=backlog)
    return await loop.create_server(admission, sock=at, backlog=backlog)


class _Admission(asyncio.Protocol):
    """A new connection whose user is still unchecked. The event loop reads nothing from it before the check."""

    def __init__(
        self, protocol: Callable[[], asyncio.Protocol], log: Log, others: Callable[[], Collection[int]]
    ) -> None:
        self._protocol, self._log, self._others = protocol, log, others

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        uid = peer_users.user_at(transport.get_extra_info("socket"))
        if peer_users.is_another(uid) and not (os.getuid() == 0 and uid in self._others()):
            self._log(f"turned away: {_name(transport)} is of another user of this machine")
            if isinstance(transport, asyncio.Transport):
                transport.abort()
            return
        admitted = self._protocol()
        transport.set_protocol(admitted)
        admitted.connection_made(transport)


def _name(transport: asyncio.BaseTransport) -> str:
    """Return `host:port` of the other end, or a fixed text if the other end is a Unix socket."""
    peer = transport.get_extra_info("peername")
    return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else "who connected"
