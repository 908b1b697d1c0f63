"""The links of clients that have joined: what becomes of one that does not read, or that cannot be followed."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterable

import pytest

from dap_ai.adapter.io.guest_links import GuestLinks
from dap_ai.adapter.state.effects import Event, FromGuest, GuestClosed
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.transport import byte_links
from dap_ai.transport.byte_links import HIGH_WATER_BYTES, TransportLink, part
from tests.patience import at_worst

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")]
WAIT_S = at_worst(10.0)
HELLO = encode_frame(b'{"seq":1,"type":"request","command":"askSession"}')


class Session:
    """Hears what guests say; in the middle of an event it must not be told another."""

    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.said: list[str] = []
        self.changed = asyncio.Event()
        self.busy = False
        self.links = GuestLinks(self.receive_all, self.said.append)

    def receive_all(self, events: Iterable[Event]) -> None:
        for event in events:
            assert not self.busy, "told in the middle of another event"
            self.heard.append(event)
            self.changed.set()

    async def hears(self, kind: type[Event]) -> None:
        while not any(isinstance(event, kind) for event in self.heard):
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), WAIT_S)

    async def join(self) -> socket.socket:
        """The guest's end of a new link."""
        ours, theirs = socket.socketpair(socket.AF_UNIX)
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: TransportLink(self.links.admit), ours)
        return theirs


async def is_cut(theirs: socket.socket) -> int:
    """How many bytes came before the end."""
    count = 0
    loop = asyncio.get_running_loop()
    while data := await asyncio.wait_for(loop.sock_recv(theirs, 1 << 20), WAIT_S):
        count += len(data)
    return count


async def test_a_guest_that_does_not_read_is_let_go_and_the_session_is_told_after_its_event():
    session = Session()
    with await session.join() as theirs:
        session.busy = True
        for _ in range(2 * HIGH_WATER_BYTES // 10_000):
            session.links.tell("guest:1", b"x" * 10_000)
        session.busy = False
        await session.hears(GuestClosed)
        assert session.heard == [GuestClosed("guest:1")]
        assert session.said == ["a guest is disconnected: it does not read"]
        assert await is_cut(theirs) < HIGH_WATER_BYTES


async def test_a_guest_whose_stream_cannot_be_followed_is_disconnected():
    session = Session()
    with await session.join() as theirs:
        await asyncio.get_running_loop().sock_sendall(theirs, b"Content-Length: -5\r\n\r\n" + b"x" * 100)
        assert await is_cut(theirs) == 0
        await session.hears(GuestClosed)
        assert session.heard == [GuestClosed("guest:1")]


async def test_while_the_backend_does_not_read_guests_are_not_read():
    session = Session()
    with await session.join() as before:
        session.links.pause(paused=True)
        with await session.join() as after:
            for theirs in (before, after):
                await asyncio.get_running_loop().sock_sendall(theirs, HELLO)
            for _ in range(5):  # turns of the event loop, each of which would read
                await asyncio.sleep(0)
            assert session.heard == []
            session.links.pause(paused=False)
            while len(session.heard) < 2:
                session.changed.clear()
                await asyncio.wait_for(session.changed.wait(), WAIT_S)
            assert {event.guest for event in session.heard if isinstance(event, FromGuest)} == {"guest:1", "guest:2"}
            session.links.close()


async def test_at_the_end_a_guest_gets_what_was_said_and_no_word_of_it_reaches_the_session():
    session = Session()
    with await session.join() as theirs:
        session.links.tell("guest:1", b"{}")
        session.links.close()
        assert await is_cut(theirs) == len(encode_frame(b"{}"))
        assert session.heard == []


async def test_a_link_whose_peer_reads_nothing_is_closed_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(byte_links, "FLUSH_S", 0.05)
    links: list[TransportLink] = []
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with theirs:
        await asyncio.get_running_loop().connect_accepted_socket(lambda: TransportLink(links.append), ours)
        links[0].start(lambda _data: None, lambda: None, lambda _full: None)
        links[0].write(b"x" * 2_000_000)
        part(links[0])
        await asyncio.wait_for(closed(ours), WAIT_S)


async def closed(end: socket.socket) -> None:
    while end.fileno() != -1:
        await asyncio.sleep(0.01)
