"""A headless DAP client over one byte link, for the command line and the tests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import ErrorBody
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError, RequestFailed
from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from dap_ai.system.load_limits import wait_for
from dap_ai.transport.byte_links import ByteLink

EventListener = Callable[[str, dict[str, Any]], None]
ReverseAnswer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class ConnectionClosed(Exception):  # noqa: N818  a state, not a mistake
    """Raised if the other end has closed the stream."""


class DapClient:
    """A headless DAP client. `reverse` maps commands of reverse requests to handlers; other reverse requests fail."""

    def __init__(self, link: ByteLink, end: Callable[[], Awaitable[None]] | None = None) -> None:
        self.capabilities: dict[str, Any] = {}
        self.reverse: dict[str, ReverseAnswer] = {}
        self._link = link
        self._end = end
        self._frames = FrameReader()
        self._seq = 0
        self._pending: dict[int, asyncio.Future[Envelope]] = {}
        self._listeners: list[EventListener] = []
        self._events: asyncio.Queue[tuple[str, dict[str, Any]] | None] = asyncio.Queue()
        self._close_listeners: list[Callable[[], None]] = []
        self._answers: set[asyncio.Task[None]] = set()
        self._closed = False
        link.start(self._on_data, self._on_end, lambda _full: None)

    def on_event(self, listener: EventListener) -> None:
        """Call `listener(name, body)` for every event when it arrives, before `wait_event` returns it."""
        self._listeners.append(listener)

    def on_close(self, listener: Callable[[], None]) -> None:
        """Call `listener()` when the connection ends."""
        self._close_listeners.append(listener)

    async def initialize(self, adapter_id: str, **more: Any) -> dict[str, Any]:
        """Send `initialize`, and return and store the adapter's capabilities."""
        arguments = {"clientID": "dap-ai", "adapterID": adapter_id, "pathFormat": "path", **more}
        self.capabilities = await self.request("initialize", arguments | {"linesStartAt1": True})
        return self.capabilities

    async def request(
        self, command: str, arguments: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> dict[str, Any]:
        """Send a request and return the body of its response. `timeout_s` counts seconds on an idle machine.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        message = await wait_for(self.send(command, arguments), timeout_s)
        if not message.success:
            error = message.read(ErrorBody) if message.content.startswith(b"{") else ErrorBody()
            raise RequestFailed(command, message.field("message", ""), error.text())
        return message.read(dict[str, Any])

    def send(self, command: str, arguments: Mapping[str, Any] | None = None) -> asyncio.Future[Envelope]:
        """Send a request at once. The returned future resolves to the response, even if the request failed."""
        future: asyncio.Future[Envelope] = asyncio.get_running_loop().create_future()
        if self._closed:
            future.set_exception(ConnectionClosed())
            return future
        self._seq += 1
        self._pending[self._seq] = future
        self._write(envelope.request(self._seq, command, arguments))
        return future

    async def wait_event(self, *names: str) -> tuple[str, dict[str, Any]]:
        """Return (name, body) of the next event with one of these names, or of the next event if no name is given.

        Drops the events before it. Raises ConnectionClosed.
        """
        while True:
            event = await self._events.get()
            if event is None:
                self._events.put_nowait(None)
                raise ConnectionClosed
            if not names or event[0] in names:
                return event

    async def close(self) -> None:
        """Close the connection. If the proxy runs in this process, end the proxy and the adapter's process tree."""
        self._link.close()
        self._on_end()
        if self._end is not None:
            await self._end()

    def _write(self, body: bytes) -> None:
        self._link.write(encode_frame(body))

    def _on_data(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            with contextlib.suppress(RemoteProtocolError):
                self._receive(Envelope.parse(body))

    def _receive(self, message: Envelope) -> None:
        if message.kind == "response":
            future = self._pending.pop(message.request_seq, None)
            if future is not None and not future.done():
                future.set_result(message)
        elif message.kind == "event":
            body = message.read(dict[str, Any])
            for listener in self._listeners:
                listener(message.name, body)
            self._events.put_nowait((message.name, body))
        else:
            task = asyncio.get_running_loop().create_task(self._answer(message))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    async def _answer(self, message: Envelope) -> None:
        answer = self.reverse.get(message.name)
        reply: dict[str, Any] = {"type": "response", "request_seq": message.seq, "command": message.name}
        try:
            if answer is None:
                raise NotImplementedError(f"this client has no {message.name}")  # noqa: TRY301  caught just below
            reply |= {"success": True, "body": await answer(message.read(dict[str, Any]))}
        except Exception as error:  # noqa: BLE001  the adapter gets any error
            reply |= {"success": False, "message": str(error)}
        self._seq += 1
        self._write(envelope.encode({"seq": self._seq, **reply}))

    def _on_end(self) -> None:
        if self._closed:
            return
        self._closed = True
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ConnectionClosed())
        self._pending.clear()
        self._events.put_nowait(None)
        for listener in self._close_listeners:
            listener()
