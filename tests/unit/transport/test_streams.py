"""Byte links: what they keep, and of whom."""

from __future__ import annotations

import asyncio
import gc
import socket
import weakref

import pytest

from dap_ai.transport.byte_links import TransportLink, part

pytestmark = pytest.mark.anyio


class Owner:
    """Whom a link tells what happens to it."""

    def on_data(self, data: bytes) -> None:
        raise AssertionError(data)

    def on_end(self) -> None:
        raise AssertionError

    def on_full(self, _full: bool) -> None:
        pass


async def test_a_link_whose_peer_does_not_read_keeps_nobody_in_memory_once_it_is_closed():
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    with theirs:
        links: list[TransportLink] = []
        await loop.connect_accepted_socket(lambda: TransportLink(links.append), ours)
        owner = Owner()
        kept = weakref.ref(owner)
        links[0].start(owner.on_data, owner.on_end, owner.on_full)
        links[0].write(b"x" * 8_000_000)
        part(links[0])
        assert links[0].has_unsent
        del owner
        gc.collect()
        assert kept() is None
        links[0].abort()
        await asyncio.sleep(0)
