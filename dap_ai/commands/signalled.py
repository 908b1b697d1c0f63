"""Runs a coroutine until it is done or a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from typing import Any


async def until_signalled(
    work: Coroutine[Any, Any, None], begin: Callable[[Callable[[int], None]], None] | None = None
) -> int:
    """Run `work` until it is done or a signal cancels it; return the signal's number, or 0 if it was done.

    Cancelling lets `work` end its debug adapter and debuggee, so that neither is left behind. `begin` is called with a
    function that ends the work as the given signal would; call that function only from this event loop.
    """
    task, ended_by = asyncio.ensure_future(work), list[int]()

    def end(number: int) -> None:
        if not ended_by:  # a second signal must not interrupt the clean-up
            ended_by.append(number)
            task.cancel()

    if begin:
        begin(end)
    at_signals(end)
    try:
        await task
    except asyncio.CancelledError:
        if not ended_by:
            raise
    return ended_by[0] if ended_by else 0


def at_signals(end: Callable[[int], None]) -> None:
    """Make the running loop call `end` with the signal's number on SIGINT, SIGTERM and SIGHUP."""
    with contextlib.suppress(NotImplementedError):  # Windows: the end of stdin or of the adapter ends the work
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if number := getattr(signal, name, None):
                asyncio.get_running_loop().add_signal_handler(number, end, number)
