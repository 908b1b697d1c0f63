"""Links to guests: clients that joined a session through its socket. A guest that stops reading is dropped."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable

from dap_ai.adapter.io import sockets
from dap_ai.adapter.io.client_side import reader
from dap_ai.adapter.state.effects import Event, FromGuest, GuestClosed
from dap_ai.transport.byte_links import ByteLink, part, write_message


class GuestLinks:
    """The links to the guests of one session. `receive_all` passes the guests' messages to the session."""

    def __init__(self, receive_all: Callable[[Iterable[Event]], None], log: Callable[[str], None]) -> None:
        self._receive_all = receive_all
        self._log = log
        self._links: dict[str, ByteLink] = {}
        self._count = 0
        self._paused = False
        self._socket: sockets.SessionSocket | None = None

    async def open(self, setting: str) -> str:
        """Open the session's socket for guests, if possible, and return the session's id.

        `setting` is the value of the setting `sockets`.
        """
        self._socket = await sockets.open_session(self.admit, self._log, setting)
        return self._socket.session_id if self._socket else secrets.token_hex(3)

    def admit(self, link: ByteLink) -> None:
        """Start serving a guest that has connected."""
        self._count += 1
        guest = f"guest:{self._count}"
        self._links[guest] = link

        def on_lost(why: str) -> None:
            self._log(f"a guest is disconnected: {why}")
            self._drop(guest, part)

        def on_full(full: bool) -> None:
            if full:
                self._log("a guest is disconnected: it does not read")
                self._drop(guest, lambda unread: unread.abort())

        on_data = reader(self._receive_all, lambda body: FromGuest(guest, body), on_lost)
        link.start(on_data, lambda: self._drop(guest, part), on_full)
        link.pause(paused=self._paused)

    def tell(self, guest: str, body: bytes) -> None:
        """Send a message to a guest, if the guest is still connected."""
        if link := self._links.get(guest):
            write_message(link, body)

    def end(self, guest: str) -> None:
        """Close the link to a guest."""
        if link := self._links.pop(guest, None):
            part(link)

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading guests, depending on whether the backend reads."""
        self._paused = paused
        for link in self._links.values():
            link.pause(paused=paused)

    def close(self) -> None:
        """Close the session's socket and the links to all guests."""
        if self._socket is not None:
            self._socket.close()
        for guest in list(self._links):
            self.end(guest)

    def _drop(self, guest: str, close: Callable[[ByteLink], None]) -> None:
        """Close a guest's link, and inform the session in the event loop's next turn.

        The session may be sending a message to this guest now.
        """
        if link := self._links.pop(guest, None):
            close(link)
            asyncio.get_running_loop().call_soon(self._receive_all, [GuestClosed(guest)])
