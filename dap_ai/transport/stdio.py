"""Links this process's stdin and stdout, which may be pipes, files or devices. Also works on Windows."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
from collections.abc import Callable
from typing import Any

from dap_ai.transport.byte_links import ByteLink, TransportLink


async def open_stdio() -> ByteLink:
    """Return a link over this process's stdin and stdout. Other output to fd 1 then goes to stderr."""
    loop = asyncio.get_running_loop()
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    sink = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    link = TransportLink()
    # Both or neither: asyncio makes a file non-blocking, but the threads need blocking files.
    if not (_can_be_polled(source) and _can_be_polled(sink)):
        return _ThreadedLink(source, sink, loop)
    try:
        writer, _ = await loop.connect_write_pipe(lambda: link, sink)
        reader, _ = await loop.connect_read_pipe(lambda: link, source)
    except (ValueError, OSError, NotImplementedError):  # Windows: asyncio cannot use these pipes
        return _ThreadedLink(source, sink, loop)
    link.attach(reader, writer)
    return link


def _can_be_polled(file: Any) -> bool:
    """Whether the event loop can poll a file. False for regular files and devices such as /dev/null.

    asyncio takes a device for a terminal and waits forever.
    """
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or bool(file.isatty())


class _ThreadedLink:
    """A link over files that the event loop cannot poll. A thread reads them, and writes block."""

    def __init__(self, source: Any, sink: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._source = source
        self._sink = sink
        self._loop = loop
        self._go_on = threading.Event()
        self._go_on.set()

    def start(
        self,
        on_data: Callable[[bytes], None],
        on_end: Callable[[], None],
        on_full: Callable[[bool], None],  # noqa: ARG002  writes block instead
    ) -> None:
        """Start the thread that reads the source and delivers its bytes. Ignores `on_full`, because writes block."""

        def read() -> None:
            while True:
                self._go_on.wait()
                try:
                    data = self._source.read(65536)
                except OSError:
                    data = b""
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    if data:
                        self._loop.call_soon_threadsafe(on_data, data)
                        continue
                    self._loop.call_soon_threadsafe(on_end)
                return

        threading.Thread(target=read, name="dap-ai stdin", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Write the bytes, blocking while the peer does not read."""
        with contextlib.suppress(OSError, ValueError):
            view = memoryview(data)
            while view:
                view = view[self._sink.write(view) :]

    def hold(self, *, held: bool) -> None:
        """Do nothing: a write costs little compared with the thread."""

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading after the current read."""
        self._go_on.clear() if paused else self._go_on.set()

    def close(self) -> None:
        """Close the file that this link writes to."""
        with contextlib.suppress(OSError):
            self._sink.close()

    def abort(self) -> None:
        """Close the link, just as `close` does."""
        self.close()

    @property
    def has_unsent(self) -> bool:
        """Always False: each write blocks until all its bytes are written."""
        return False
