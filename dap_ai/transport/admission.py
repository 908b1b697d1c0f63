"""Listening sockets that accept connections of our own user only, checked before a byte is read.

All of dap_ai listens through this module. The kernel reports which user owns the other end (peer_users.py). A listener
may require a token as well.
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
    """Return a listening TCP socket for `serve`, in this process or in one that inherits it. Raises OSError."""
    return socket.create_server((host, port), backlog=backlog)


def listening_unix(path: Path) -> socket.socket:
    """Return a listening Unix socket at a path that only its user can reach. Raises OSError."""
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
    """Serve each connection of our own user with a new `protocol`; abort and log all others. Raises OSError.

    `at` is an address or a listening socket. `others` returns the ids of users to accept as well if we are root.
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
    """A new connection whose user is not checked yet; the event loop reads nothing from it until then."""

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
    """Return `host:port` of the other end; a Unix socket's other end has no name."""
    peer = transport.get_extra_info("peername")
    return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else "who connected"
