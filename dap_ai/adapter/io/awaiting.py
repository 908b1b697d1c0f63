"""What the agent waits for: each event that it wants carries a token, and what comes of it names the token again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from dap_ai.adapter.state.effects import Event
from dap_ai.protocol.contracts.acting import Consent, Done
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.lending import LentPiece, LentReply

Outcome = bytes | Consent | Done | LentPiece | LentReply


class Awaiting:
    """Of one session. `tell` tells the session of an event."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self.tell = tell
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._streams: dict[int, asyncio.Queue[Outcome | RequestFailed]] = {}
        self._tokens = 0

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """What comes of an event of the agent: a response's body as bytes, Consent or Done. `wanted` makes the event.

        Raises RequestFailed, NotStopped.
        """
        self._tokens += 1
        token = self._tokens
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        try:
            self.tell(wanted(token))
            return await future
        finally:
            self._waiting.pop(token, None)

    async def outcomes(self, wanted: Callable[[int], Event]) -> AsyncGenerator[Any]:
        """All that comes of it, as it comes; it has no end of its own. Raises RequestFailed."""
        self._tokens += 1
        token = self._tokens
        stream = self._streams[token] = asyncio.Queue()
        try:
            self.tell(wanted(token))
            while not isinstance(outcome := await stream.get(), RequestFailed):
                yield outcome
            raise outcome
        finally:
            del self._streams[token]

    def resolve(self, token: int, outcome: Outcome, error: RequestFailed | None = None) -> None:
        """What came of something the agent wanted."""
        if (stream := self._streams.get(token)) is not None:
            stream.put_nowait(error or outcome)
            return
        future = self._waiting.get(token)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(outcome)
        else:
            future.set_exception(error)
