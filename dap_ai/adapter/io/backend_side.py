"""The debug adapter of a session: starts it or connects to it, exchanges bytes with it, and ends it if it hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from dap_ai.adapter.io.merging import Merger
from dap_ai.adapter.io.ports import BackendProcess, ProxyRecipe
from dap_ai.adapter.state.effects import BackendClosed, Event, FromBackend
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import FrameReader, Lenient
from dap_ai.system.load_limits import slack
from dap_ai.transport.byte_links import ByteLink, open_tcp

_CONNECT_S = 10.0
_REST_S = 0.002
"""Seconds without reading that let the pipe fill during a burst of output."""
_STALL_S = 10.0
"""Seconds after which a backend counts as hung if the link's buffer is full and the backend does not read."""

Address = tuple[str, int]


class BackendSide:
    """The debug adapter of a session. Calls `on_full` when the adapter stops or resumes reading.

    The first message to the adapter calls `begin`, which starts the adapter. A client that sends nothing, or no DAP,
    starts no adapter. `spares` returns Session.spares.
    """

    def __init__(
        self,
        recipe: ProxyRecipe,
        receive: Callable[[Event], None],
        receive_all: Callable[[Iterable[Event]], None],
        on_full: Callable[[bool], None],
        *,
        spares: Callable[[], str],
        begin: Callable[[], None],
    ) -> None:
        self._recipe = recipe
        self._receive = receive
        self._receive_all = receive_all
        self._on_full = on_full
        self._spares = spares
        self._begin = begin
        self._begun = False
        self.key = ""
        """The line to send first on every connection to a port of this adapter. Child sessions need the line."""
        self._link: ByteLink | None = None
        self._ready = asyncio.Event()
        self._process: BackendProcess | None = None
        self._processes: list[BackendProcess] = []
        self._early: list[bytes] = []
        self._stalled: asyncio.TimerHandle | None = None
        self._rest_over: asyncio.TimerHandle | None = None
        self._paused = self._resting = False
        self._ending: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Start the adapter or connect to it, at the first call only."""
        if not self._begun:
            self._begun = True
            self._begin()

    async def start(self, address: Address | None, key: str = "") -> None:
        """Start the adapter. If `address` is given, connect to the adapter there instead, and send `key` first.

        Only the callback `begin` leads here. After an error, the session gets BackendClosed.
        """
        try:
            if address is None:
                self._process = await self._recipe.spawn(self._recipe.log)
                self._processes.append(self._process)
                link: ByteLink = self._process.link
                self.key = self._process.key
            else:
                link = await self._connected(address, key)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            self._ready.set()
            self._receive(BackendClosed(f"{error}" or "no answer", started=False))
            return
        self._use(link)
        self._ready.set()

    async def switch(self, address: Address, key: str = "") -> None:
        """Connect to the adapter at this address, and end the adapter started here. Raises ConnectionError."""
        host, port = address
        if not self._begun:
            self._begun = True
            self._ready.set()
        try:
            link = await self._connected(address, key)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            reason = "no answer" if isinstance(error, TimeoutError | asyncio.TimeoutError) else str(error)
            raise ConnectionError(
                f"There is nothing to attach to at {host}:{port} ({reason}). Is the program waiting there, "
                "with debugpy.listen or `python -m debugpy --listen`?"
            ) from error
        try:
            await self._ready.wait()  # the adapter being replaced may still be starting
        except asyncio.CancelledError:
            link.close()
            raise
        former, process = self._link, self._process
        self._process = None
        self._use(link)
        if process is not None:
            await process.end()
        elif former is not None:
            former.close()

    async def _connected(self, address: Address, key: str) -> ByteLink:
        link = await open_tcp(*address, _CONNECT_S)
        self.key = key
        if key:
            link.write(f"{key}\n".encode())
        return link

    def write(self, data: bytes) -> None:
        """Send bytes to the adapter, or buffer them until the adapter is connected."""
        if self._link is None:
            self._early.append(data)
            self.begin()
        else:
            self._link.write(data)

    def hold(self, *, held: bool) -> None:
        """Buffer all further writes to the adapter if `held`; else send the buffered bytes in one write."""
        if self._link is not None:
            self._link.hold(held=held)

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading the adapter, depending on whether the client reads."""
        self._paused = paused
        if self._link is not None:
            self._link.pause(paused=paused or self._resting)

    def _rest(self, link: ByteLink) -> None:
        """Stop reading for a moment during a burst, so that the pipe fills and fewer reads are needed."""
        self._resting = True
        link.pause(paused=True)
        self._rest_over = asyncio.get_running_loop().call_later(_REST_S, self._go_on, link)

    def _go_on(self, link: ByteLink) -> None:
        self._resting = False
        if self._link is link:
            link.pause(paused=self._paused)

    async def end(self) -> None:
        """End a hung adapter's process tree or close its connection. A program that must survive is spared."""
        if self._process is not None:
            await self._process.end(self._spares())
        elif self._link is not None:
            self._link.close()
        self._receive(BackendClosed("it did not answer and was ended"))
        self._on_full(False)

    async def close(self) -> None:
        """End all adapters that were started here. A program that must survive is spared."""
        link, self._link = self._link, None
        for timer in (self._stalled, self._rest_over):
            if timer is not None:
                timer.cancel()
        for process in self._processes:
            await process.end(self._spares())
        if link is not None:
            link.close()

    def _use(self, link: ByteLink) -> None:
        self._link = link
        frames, merger = FrameReader(Lenient()), Merger()

        def on_data(data: bytes) -> None:
            if self._link is not link:
                return
            try:
                self._receive_all(map(FromBackend, merger.merged(frames.feed(data))))
            except RemoteProtocolError as error:
                self._receive(BackendClosed(f"its stream cannot be parsed: {error}"))
                self._end_soon()
                return
            if merger.storms:
                self._rest(link)

        def on_end() -> None:
            if self._link is link:
                self._receive(BackendClosed(self._last_words(frames)))

        link.start(on_data, on_end, self._on_backend_full)
        if self._paused:
            link.pause(paused=True)
        early, self._early = self._early, []
        for data in early:
            link.write(data)

    def _on_backend_full(self, full: bool) -> None:
        """Stop reading the client while the adapter does not read. End the adapter if it does not read for _STALL_S."""
        self._on_full(full)
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        if full:
            self._stalled = asyncio.get_running_loop().call_later(_STALL_S * slack(), self._on_stalled)

    def _on_stalled(self) -> None:
        if self._paused:  # it may not read because we do not read its output
            self._on_backend_full(full=True)
        else:
            self._end_soon()

    def _end_soon(self) -> None:
        task = asyncio.get_running_loop().create_task(self.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _last_words(self, frames: FrameReader) -> str:
        words = self._process.last_words if self._process is not None else ""
        return words or frames.junk.decode(errors="replace").strip()
