"""Connects to a running debug adapter: an adapter that listens on TCP, or a process held after a failure."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from dap_ai.system.load_limits import wait_for
from dap_ai.transport import peer_users
from dap_ai.transport.byte_links import TransportLink, open_tcp

_CONNECT_S = 10.0
_INHERITED = "fd:"
"""Prefix of an address that is the number of an inherited socket's file descriptor."""


class ConnectedAdapter:
    """A connection to an adapter that we did not start.

    `link` is the connection. `end` closes the connection and leaves the adapter running.
    """

    last_words = ""
    key = ""

    def __init__(self, link: TransportLink) -> None:
        self.link = link

    @classmethod
    async def open(cls, host: str, port: int, log: Callable[[str], None]) -> ConnectedAdapter:
        """Connect to an adapter that listens on TCP. Raises OSError."""
        try:
            link = await open_tcp(host, port, _CONNECT_S)
        except (OSError, asyncio.TimeoutError) as error:
            why = (
                error.strerror if isinstance(error, OSError) and error.strerror else f"no answer in {_CONNECT_S:.0f} s"
            )
            raise ConnectionError(f"no debug adapter listens at {host}:{port} ({why})") from error
        log(f"connected to the debug adapter at {host}:{port}")
        return cls(link)

    @classmethod
    async def open_post_mortem(cls, address: str, log: Callable[[str], None]) -> ConnectedAdapter:
        """Connect to a process held after a failure. Raises OSError.

        `address` is `fd:N`, or the path of the process's Unix socket.
        """
        try:
            link = await wait_for(_open_link(address), _CONNECT_S)
        except asyncio.TimeoutError as error:
            raise ConnectionError(f"the process held at {address} does not answer") from error
        except (ConnectionRefusedError, FileNotFoundError) as error:
            raise ConnectionError(f"no process is held at {address} (any more)") from error
        log(f"connected to the process held at {address}")
        return cls(link)

    async def end(self, spares: str = "") -> None:  # noqa: ARG002  we never end an adapter that we did not start
        """Close the connection."""
        self.link.close()


async def _open_link(address: str) -> TransportLink:
    loop = asyncio.get_running_loop()
    if address.startswith(_INHERITED):
        given = socket.socket(fileno=int(address.removeprefix(_INHERITED)))
        given.set_inheritable(False)
        _, link = await loop.create_unix_connection(_link, sock=given)
        return link
    transport, link = await loop.create_unix_connection(_link, address)
    if peer_users.is_of_another_user(transport.get_extra_info("socket")):
        transport.abort()
        raise ConnectionError(f"the process held at {address} is of another user of this machine")
    return link


def _link() -> TransportLink:
    return TransportLink(lambda _link: None)
