"""Byte links without tasks: bytes arrive by callback, and writes go straight to the transport.

A message through the proxy costs no task switch. The streams of anyio and asyncio cost one or two switches, measured at
0.2 ms per round trip. When a peer does not read, its link calls `on_full`, and the link's owner stops reading the other
side.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from dap_ai.protocol.wire.framing import encode_frame, encode_header
from dap_ai.system.load_limits import wait_for

HIGH_WATER_BYTES = 4 * 1024 * 1024
"""Number of unsent bytes on a link above which dap_ai stops reading the other side."""

FLUSH_S = 5.0
"""Maximum seconds that a closed link waits for its peer to read the remaining bytes."""
_PIPE_BYTES = 1024 * 1024
_LARGE_BYTES = 64 * 1024
"""Size in bytes above which copying a message costs more than a second system call."""


class Writer(Protocol):
    """A destination to which messages are written as bytes."""

    def write(self, data: bytes) -> None:
        """Send these bytes."""
        ...


class ByteLink(Protocol):
    """One end of a byte stream. Call `start` to receive bytes."""

    def start(
        self, on_data: Callable[[bytes], None], on_end: Callable[[], None], on_full: Callable[[bool], None]
    ) -> None:
        """Deliver received bytes to `on_data`, and call `on_end` once at the end of the stream.

        Calls `on_full(True)` when the unsent bytes exceed the limit, and `on_full(False)` when they are below it again.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send bytes, buffering them while the peer does not read. Never blocks or raises. Drops bytes after close."""
        ...

    def hold(self, *, held: bool) -> None:
        """Buffer all further writes if `held`; else send the buffered bytes in one write."""
        ...

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading from the peer."""
        ...

    def close(self) -> None:
        """Close the link once the peer has read all unsent bytes. If the peer does not read, the link stays open.

        Calls no callback afterwards.
        """
        ...

    def abort(self) -> None:
        """Close the link at once and drop unsent bytes."""
        ...

    @property
    def has_unsent(self) -> bool:
        """Whether the link has bytes that it could not send yet."""
        ...


class _Receiver:
    """The receiving side of a link. Keeps bytes that arrive before `start` is called."""

    def __init__(self) -> None:
        self._early = bytearray()
        self._ended = False
        self._on_data: Callable[[bytes], None] | None = None
        self._on_end: Callable[[], None] | None = None
        self._on_full: Callable[[bool], None] | None = None

    def start(
        self, on_data: Callable[[bytes], None], on_end: Callable[[], None], on_full: Callable[[bool], None]
    ) -> None:
        """Set the callbacks, and deliver the bytes that arrived earlier."""
        self._on_data, self._on_end, self._on_full = on_data, on_end, on_full
        if self._early:
            early, self._early = bytes(self._early), bytearray()
            on_data(early)
        if self._ended:
            on_end()

    def data_received(self, data: bytes) -> None:
        """Deliver received bytes, or keep them until `start` is called."""
        if self._on_data is None:
            self._early += data
        else:
            self._on_data(data)

    def end_received(self) -> None:
        """Report the end of the stream, at most once."""
        if self._ended:
            return
        self._ended = True
        if self._on_end is not None:
            self._on_end()


class TransportLink(_Receiver, asyncio.Protocol):
    """A link over an asyncio transport: one socket, or two pipes."""

    def __init__(self, on_connected: Callable[[TransportLink], None] | None = None) -> None:
        super().__init__()
        self._on_connected = on_connected
        self._reader: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None
        self._full = False
        self._held: list[bytes] | None = None

    def attach(self, reader: Any, writer: Any) -> None:
        """Use these two transports. Call this method only if reading and writing use different ones."""
        self._reader = reader
        self._writer = writer
        if writer is not None:
            writer.set_write_buffer_limits(high=HIGH_WATER_BYTES)
        for transport in (reader, writer):
            _widen(transport)

    @property
    def own_port(self) -> int:
        """The local port of a TCP connection; 0 before the connection is made."""
        return self._writer.get_extra_info("sockname")[1] if self._writer is not None else 0

    def write(self, data: bytes) -> None:
        """Send bytes, or buffer them while the link is held."""
        if self._held is None:
            self._send(data)
        elif len(data) < _LARGE_BYTES:
            self._held.append(data)
        else:
            self.hold(held=False)
            self._send(data)
            self.hold(held=True)

    def hold(self, *, held: bool) -> None:
        """Buffer all further writes if `held`; else send the buffered bytes in one write."""
        kept, self._held = self._held, [] if held else None
        if kept:
            self._send(b"".join(kept))

    def _send(self, data: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            # asyncio copies the unsent part of a bytes object, but not of a memoryview
            self._writer.write(data if len(data) < _LARGE_BYTES else memoryview(data))

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading, unless the transport has closed."""
        if self._reader is None or self._reader.is_closing():
            return
        with contextlib.suppress(RuntimeError):  # the transport has just closed
            self._reader.pause_reading() if paused else self._reader.resume_reading()

    def close(self) -> None:
        """Send the buffered bytes, drop the callbacks and close the transport."""
        self.hold(held=False)
        self._on_data = self._on_end = self._on_full = None  # else the unsent bytes would keep the session in memory
        for transport in (self._writer, self._reader):
            if transport is not None:
                transport.close()

    def abort(self) -> None:
        """Close the transport at once and drop unsent bytes."""
        self._held = None
        if self._writer is not None:
            self._writer.abort()
        if self._reader is not None:
            self._reader.close()

    @property
    def has_unsent(self) -> bool:
        """Whether the transport still buffers bytes that it could not send."""
        return self._writer is not None and self._writer.get_write_buffer_size() > 0

    # -- asyncio.Protocol -------------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Attach a transport that has connected, and report the connection."""
        if self._on_connected is not None:
            self.attach(transport, transport)
            self._on_connected(self)

    def eof_received(self) -> bool:
        """Report the end of the peer's stream, but keep the transport open for writes."""
        self.end_received()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        """Report that the transport has closed."""
        if self._full:
            self.resume_writing()
        self.end_received()

    def pause_writing(self) -> None:
        """Report that the number of unsent bytes exceeds the limit."""
        self._full = True
        if self._on_full is not None:
            self._on_full(True)

    def resume_writing(self) -> None:
        """Report that the number of unsent bytes is below the limit again."""
        self._full = False
        if self._on_full is not None:
            self._on_full(False)


class MemoryLink(_Receiver):
    """One end of a link within this process. `memory_pair` creates both ends."""

    def __init__(self) -> None:
        super().__init__()
        self.peer: MemoryLink | None = None

    def write(self, data: bytes) -> None:
        """Deliver bytes to the other end in the event loop's next turn."""
        if self.peer is not None:
            asyncio.get_running_loop().call_soon(self.peer.data_received, data)

    def hold(self, *, held: bool) -> None:
        """Do nothing: batching writes saves nothing in memory."""

    def pause(self, *, paused: bool) -> None:
        """Do nothing: both ends of the link are in one process."""

    def close(self) -> None:
        """Disconnect from the other end, which then reports the end of its stream."""
        peer, self.peer = self.peer, None
        if peer is not None:
            asyncio.get_running_loop().call_soon(peer.end_received)

    def abort(self) -> None:
        """Close this end, just as `close` does."""
        self.close()

    @property
    def has_unsent(self) -> bool:
        """Always False: the other end receives every write."""
        return False


def memory_pair() -> tuple[MemoryLink, MemoryLink]:
    """Return the two ends of a new link within this process."""
    one, two = MemoryLink(), MemoryLink()
    one.peer, two.peer = two, one
    return one, two


async def open_tcp(host: str, port: int, timeout_s: float) -> TransportLink:
    """Open a TCP connection and return its link. Raises OSError, and TimeoutError after `timeout_s`."""
    loop = asyncio.get_running_loop()
    connected = loop.create_connection(lambda: TransportLink(lambda _link: None), host, port)
    _, link = await wait_for(connected, timeout_s)
    return link


def write_message(link: Writer, body: bytes) -> None:
    """Send a message with its header. To avoid a copy, the header of a large message is a separate write."""
    if len(body) < _LARGE_BYTES:
        link.write(encode_frame(body))
    else:
        link.write(encode_header(len(body)))
        link.write(body)


def part(link: ByteLink) -> None:
    """Close a link once the peer has read everything, and abort it after FLUSH_S."""
    link.close()
    if link.has_unsent:
        asyncio.get_running_loop().call_later(FLUSH_S, link.abort)


def _widen(transport: Any) -> None:
    """Enlarge a pipe's buffer, if the system supports that, so that reader and writer switch less often.

    Without it, a burst of output fills the default 64 KiB in 4 ms, and the adapter must wait.
    """
    pipe = transport.get_extra_info("pipe") if transport is not None else None
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, a socket, or closed
        import fcntl  # noqa: PLC0415  not on Windows

        if pipe is not None:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
