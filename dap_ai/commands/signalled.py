"""Work that goes on until it is done, or a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from typing import Any


async def until_signalled(
    work: Coroutine[Any, Any, None], begin: Callable[[Callable[[int], None]], None] | None = None
) -> int:
    """Does `work`; an editor that ends us by a signal leaves no debug adapter and no debuggee behind.

    `begin` is given what ends the work as that signal would; it may be called in this loop only. Gives the signal that
    ended it; 0: none.
    """
    task, ended_by = asyncio.ensure_future(work), list[int]()

    def end(number: int) -> None:
        if not ended_by:  # a second one must not interrupt the end
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
    """Has this loop call `end`, with its number, at each signal that asks a process to end."""
    with contextlib.suppress(NotImplementedError):  # Windows: there our stdin ends, or the adapter sees its own end
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if number := getattr(signal, name, None):
                asyncio.get_running_loop().add_signal_handler(number, end, number)
