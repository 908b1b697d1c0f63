"""A client whose request is held: it is told something from time to time, so that it does not give up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import h11

from dap_ai.debuggees.runs.live.wire.http import Headers, value_of

_JSON, _EVENTS = b"application/json", b"text/event-stream; charset=utf-8"
_BLANK, _COMMENT = b" ", b": held by dap-ai\n\n"
"""Ahead of a JSON value, and between events, neither means anything."""
Send = Callable[[h11.Event], Awaitable[None]]


def waits_by_itself(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a client waits for an answer's head without a limit, and not for what follows: Codex does so."""
    found = list(headers)
    return "codex" in f"{value_of(found, b'originator')} {value_of(found, b'user-agent')}".lower()


class Alive:
    """One request. Once `is_promised`, the agent has been told that all is well: an error cannot follow."""

    def __init__(self, send: Send, *, streams: bool, silent: bool, every_s: float) -> None:
        """`streams`: the client wants events. `silent`: it wants to hear nothing while it waits."""
        self._send, self._every_s = send, every_s
        self._kind, self._word = (_EVENTS, _COMMENT) if streams else (_JSON, _BLANK)
        self._silent = silent
        self._task: asyncio.Task[None] | None = None
        self.is_promised = False

    def begin(self) -> None:
        """Somebody waits; again changes nothing."""
        if not self._silent and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def end(self) -> None:
        """The answer is there, or the agent is gone."""
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
