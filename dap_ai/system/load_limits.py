"""Limits that end what hangs, and not what is slow because the machine is busy: they follow the load, not the clock.

They are given in seconds of an idle machine. What else wants the processors now makes them longer, up to ten times.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable
from typing import TypeVar

_Result = TypeVar("_Result")
_MOST = 10.0
_LOAD = "/proc/loadavg"


def slack() -> float:
    """How many times longer than on an idle machine a thing may take now: 1 to 10."""
    return min(max(1.0, _load() / (os.cpu_count() or 1)), _MOST)


class Limit:
    """So many seconds of an idle machine from now on."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()

    @property
    def left_s(self) -> float:
        """How much of it is left, as the load is now; 0: it is over."""
        return max(0.0, self._seconds * slack() - (time.monotonic() - self._began))


async def wait_for(awaited: Awaitable[_Result], seconds: float | None) -> _Result:
    """`asyncio.wait_for` with such a limit. Raises TimeoutError."""
    if seconds is None:
        return await awaited
    work, limit, left_s = asyncio.ensure_future(awaited), Limit(seconds), seconds
    try:
        while left_s > 0:
            done, _ = await asyncio.wait({work}, timeout=left_s)
            if done:
                return work.result()
            left_s = limit.left_s
    finally:
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
    raise asyncio.TimeoutError


async def communicate(
    process: asyncio.subprocess.Process, seconds: float, given: bytes | None = None
) -> tuple[bytes, bytes]:
    """Sends `given` to a process and returns its output; kills it after the limit. Raises TimeoutError."""
    try:
        return await wait_for(process.communicate(given), seconds)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _load() -> float:
    """How many processors are wanted at this moment, or were in the last minute, whichever is more."""
    averages = os.getloadavg() if hasattr(os, "getloadavg") else (0.0,)
    try:
        with open(_LOAD, encoding="ascii") as file:  # noqa: PTH123  a Path would be made for nothing
            runnable = int(file.read().split()[3].partition("/")[0])  # of `2.95 2.90 1.90 4/812 30211`
    except (OSError, ValueError, IndexError):
        runnable = 0
    return max(averages[0], float(runnable))
