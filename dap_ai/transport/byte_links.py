"""Byte links without a task in the way: bytes arrive by callback, writes go straight to the transport.

A message through the proxy costs no task switch (anyio's and asyncio's streams cost one or two, 0.2 ms a round trip
measured). Back-pressure is explicit: a link whose peer does not read tells its `on_full`, and the owner stops reading
the other side.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from dap_ai.protocol.wire.framing import encode_frame, encode_header
from dap_ai.system.load_limits import wait_for

HIGH_WATER_BYTES = 4 * 1024 * 1024
"""Unsent bytes of a link above which the other side is not read."""

FLUSH_S = 5.0
"""So long a peer may take to read what was written before the end."""
_PIPE_BYTES = 1024 * 1024
_LARGE_BYTES = 64 * 1024
"""From here on a copy costs more than a second call of the system."""


class Writer(Protocol):
    """What messages can be sent to."""

    def write(self, data: bytes) -> None:
        """Send."""
        ...


class ByteLink(Protocol):
    """One end of a byte stream. `start` must come before anything arrives."""

    def start(
        self, on_data: Callable[[bytes], None], on_end: Callable[[], None], on_full: Callable[[bool], None]
    ) -> None:
        """Deliver bytes to `on_data`, then `on_end` once; `on_full` when the unsent bytes cross the limit."""
        ...

    def write(self, data: bytes) -> None:
        """Send, buffering what the peer does not take. Never blocks, never raises; lost after the end."""
        ...

    def hold(self, *, held: bool) -> None:
        """Keep what is written; or send all that was kept, in one piece."""
        ...

    def pause(self, *, paused: bool) -> None:
        """Stop or go on reading."""
        ...

    def close(self) -> None:
        """Flush and close: later, if the peer does not read now; never, if it does not read at all.

        Who has closed it hears nothing more of it.
        """
        ...

    def abort(self) -> None:
        """Close now; what is unsent is lost."""
        ...

    @property
    def has_unsent(self) -> bool:
        """Whether anything waits for the peer to read."""
        ...


class _Receiver:
    """What is heard of the peer; bytes that come before `start` wait for it."""

    def __init__(self) -> None:
        self._early = bytearray()
        self._ended = False
        self._on_data: Callable[[bytes], None] | None = None
        self._on_end: Callable[[], None] | None = None
        self._on_full: Callable[[bool], None] | None = None

    def start(
        self, on_data: Callable[[bytes], None], on_end: Callable[[], None], on_full: Callable[[bool], None]
    ) -> None:
        """See Link."""
        self._on_data, self._on_end, self._on_full = on_data, on_end, on_full
        if self._early:
            early, self._early = bytes(self._early), bytearray()
            on_data(early)
        if self._ended:
            on_end()

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        if self._on_data is None:
            self._early += data
        else:
            self._on_data(data)

    def end_received(self) -> None:
        """No more will come."""
        if self._ended:
            return
        self._ended = True
        if self._on_end is not None:
            self._on_end()


class TransportLink(_Receiver, asyncio.Protocol):
    """A link over an asyncio transport (socket or pipe), duplex or made of two pipes."""

    def __init__(self, on_connected: Callable[[TransportLink], None] | None = None) -> None:
        super().__init__()
        self._on_connected = on_connected
        self._reader: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None
        self._full = False
        self._held: list[bytes] | None = None

    def attach(self, reader: Any, writer: Any) -> None:
        """Use these transports. Needed where reading and writing are two of them."""
        self._reader = reader
        self._writer = writer
        if writer is not None:
            writer.set_write_buffer_limits(high=HIGH_WATER_BYTES)
        for transport in (reader, writer):
            _widen(transport)

    @property
    def own_port(self) -> int:
        """The port of this end of a TCP connection."""
        return self._writer.get_extra_info("sockname")[1] if self._writer is not None else 0

    def write(self, data: bytes) -> None:
        """See Link."""
        if self._held is None:
            self._send(data)
        elif len(data) < _LARGE_BYTES:
            self._held.append(data)
        else:
            self.hold(held=False)
            self._send(data)
            self.hold(held=True)

    def hold(self, *, held: bool) -> None:
        """See Link."""
        kept, self._held = self._held, [] if held else None
        if kept:
            self._send(b"".join(kept))

    def _send(self, data: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            # asyncio copies the unsent rest of bytes, but not that of a view
            self._writer.write(data if len(data) < _LARGE_BYTES else memoryview(data))

    def pause(self, *, paused: bool) -> None:
        """See Link."""
        if self._reader is None or self._reader.is_closing():
            return
        with contextlib.suppress(RuntimeError):  # a transport that has just ended
            self._reader.pause_reading() if paused else self._reader.resume_reading()

    def close(self) -> None:
        """See Link."""
        self.hold(held=False)
        self._on_data = self._on_end = self._on_full = None  # or what is unsent would keep a session in memory
        for transport in (self._writer, self._reader):
            if transport is not None:
                transport.close()

    def abort(self) -> None:
        """See Link."""
        self._held = None
        if self._writer is not None:
            self._writer.abort()
        if self._reader is not None:
            self._reader.close()

    @property
    def has_unsent(self) -> bool:
        """See Link."""
        return self._writer is not None and self._writer.get_write_buffer_size() > 0

    # -- asyncio.Protocol -------------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """A duplex transport is connected."""
        if self._on_connected is not None:
            self.attach(transport, transport)
            self._on_connected(self)

    def eof_received(self) -> bool:
        """The peer will send no more; what we still write may reach it."""
        self.end_received()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        """The transport is closed."""
        if self._full:
            self.resume_writing()
        self.end_received()

    def pause_writing(self) -> None:
        """Too much is unsent."""
        self._full = True
        if self._on_full is not None:
            self._on_full(True)

    def resume_writing(self) -> None:
        """Enough was sent."""
        self._full = False
        if self._on_full is not None:
            self._on_full(False)


class MemoryLink(_Receiver):
    """One end of a link inside this process; made in pairs by `memory_pair`."""

    def __init__(self) -> None:
        super().__init__()
        self.peer: MemoryLink | None = None

    def write(self, data: bytes) -> None:
        """See Link."""
        if self.peer is not None:
            asyncio.get_running_loop().call_soon(self.peer.data_received, data)

    def hold(self, *, held: bool) -> None:
        """See Link; nothing is gained by it here."""

    def pause(self, *, paused: bool) -> None:
        """See Link; both ends are one process, so there is nothing to hold back."""

    def close(self) -> None:
        """See Link."""
        peer, self.peer = self.peer, None
        if peer is not None:
            asyncio.get_running_loop().call_soon(peer.end_received)

    def abort(self) -> None:
        """See Link."""
        self.close()

    @property
    def has_unsent(self) -> bool:
        """See Link: what is written is taken at once."""
        return False


def memory_pair() -> tuple[MemoryLink, MemoryLink]:
    """Two ends of one link."""
    one, two = MemoryLink(), MemoryLink()
    one.peer, two.peer = two, one
    return one, two


async def open_tcp(host: str, port: int, timeout_s: float) -> TransportLink:
    """Connect. Raises OSError, and TimeoutError after `timeout_s`."""
    loop = asyncio.get_running_loop()
    connected = loop.create_connection(lambda: TransportLink(lambda _link: None), host, port)
    _, link = await wait_for(connected, timeout_s)
    return link


def write_message(link: Writer, body: bytes) -> None:
    """Send a message; a large one is not copied to stand behind its header."""
    if len(body) < _LARGE_BYTES:
        link.write(encode_frame(body))
    else:
        link.write(encode_header(len(body)))
        link.write(body)


def part(link: ByteLink) -> None:
    """Close: at once, or as soon as the peer has read everything, FLUSH_S from now at the latest."""
    link.close()
    if link.has_unsent:
        asyncio.get_running_loop().call_later(FLUSH_S, link.abort)


def _widen(transport: Any) -> None:
    """Make a pipe hold a large message, where the system can: its two ends then take turns less often.

    64 KiB are full 4 ms into a storm of output, and an adapter waits.
    """
    pipe = transport.get_extra_info("pipe") if transport is not None else None
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, a socket, or closed
        import fcntl  # noqa: PLC0415  not on Windows

        if pipe is not None:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
