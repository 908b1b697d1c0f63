"""The clients that have joined a session at its socket: their links, and letting go of one that does not read."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable

from dap_ai.adapter.io import sockets
from dap_ai.adapter.io.client_side import reader
from dap_ai.adapter.state.effects import Event, FromGuest, GuestClosed
from dap_ai.transport.byte_links import ByteLink, part, write_message


class GuestLinks:
    """`receive_all` tells the session."""

    def __init__(self, receive_all: Callable[[Iterable[Event]], None], log: Callable[[str], None]) -> None:
        self._receive_all = receive_all
        self._log = log
        self._links: dict[str, ByteLink] = {}
        self._count = 0
        self._paused = False
        self._socket: sockets.SessionSocket | None = None

    async def open(self, setting: str) -> str:
        """Let guests in, where that can be (the setting `sockets`); the id under which they find the session."""
        self._socket = await sockets.open_session(self.admit, self._log, setting)
        return self._socket.session_id if self._socket else secrets.token_hex(3)

    def admit(self, link: ByteLink) -> None:
        """A guest has connected."""
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
        """Write a message to a guest, unless it has gone."""
        if link := self._links.get(guest):
            write_message(link, body)

    def end(self, guest: str) -> None:
        """Nothing more is said to a guest."""
        if link := self._links.pop(guest, None):
            part(link)

    def pause(self, *, paused: bool) -> None:
        """The backend does not read, or does again: the same holds for what guests say."""
        self._paused = paused
        for link in self._links.values():
            link.pause(paused=paused)

    def close(self) -> None:
        """The session has ended: nobody joins it any more, and the guests are let go."""
        if self._socket is not None:
            self._socket.close()
        for guest in list(self._links):
            self.end(guest)

    def _drop(self, guest: str, close: Callable[[ByteLink], None]) -> None:
        """A guest is gone. The session is told in a moment: it may be in the middle of what it says to this guest."""
        if link := self._links.pop(guest, None):
            close(link)
            asyncio.get_running_loop().call_soon(self._receive_all, [GuestClosed(guest)])
