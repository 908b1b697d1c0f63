"""Keeps the client of a paused request from timing out by sending data that the client ignores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import h11

from dap_ai.debuggees.runs.live.wire.http import Headers, value_of

_JSON, _EVENTS = b"application/json", b"text/event-stream; charset=utf-8"
_BLANK, _COMMENT = b" ", b": held by dap-ai\n\n"
"""Keep-alive data, which clients ignore: a blank before a JSON value, a comment between events."""
Send = Callable[[h11.Event], Awaitable[None]]


def waits_by_itself(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a client such as Codex waits for response headers without a timeout, but not for the body."""
    found = list(headers)
    return "codex" in f"{value_of(found, b'originator')} {value_of(found, b'user-agent')}".lower()


class Alive:
    """Keep-alive of one request. Once `is_promised`, status 200 has been sent and no error status can follow."""

    def __init__(self, send: Send, *, streams: bool, silent: bool, every_s: float) -> None:
        """Create a keep-alive. `streams`: the client expects events. `silent`: send nothing during the pause."""
        self._send, self._every_s = send, every_s
        self._kind, self._word = (_EVENTS, _COMMENT) if streams else (_JSON, _BLANK)
        self._silent = silent
        self._task: asyncio.Task[None] | None = None
        self.is_promised = False

    def begin(self) -> None:
        """Start sending, unless already started."""
        if not self._silent and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def end(self) -> None:
        """Stop sending, because the answer has arrived or the agent has disconnected."""
        if (task := self._task) is None:
            return
        self._task = None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            if not self.is_promised:
                self.is_promised = True
                headers: Headers = [(b"Content-Type", self._kind), (b"Cache-Control", b"no-cache")]
                await self._send(h11.Response(status_code=200, headers=headers, reason=b"OK"))
            await self._send(h11.Data(data=self._word))
