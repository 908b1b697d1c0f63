"""Time limits that grow with the machine's load: they end work that hangs, but not work that is slow.

Callers give a limit in seconds on an idle machine. Load from other processes extends the limit by up to ten times.
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
    """Return the factor by which the current load extends limits, from 1 (idle) to 10."""
    return min(max(1.0, _load() / (os.cpu_count() or 1)), _MOST)


class Limit:
    """A time limit that starts now, in seconds on an idle machine."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()

    @property
    def left_s(self) -> float:
        """Seconds left at the current load; 0 if the limit has expired."""
        return max(0.0, self._seconds * slack() - (time.monotonic() - self._began))


async def wait_for(awaited: Awaitable[_Result], seconds: float | None) -> _Result:
    """Await like `asyncio.wait_for`, with a limit in seconds on an idle machine. Raises TimeoutError."""
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
    """Send `given` to a process and return its (stdout, stderr). After the limit, kill the process.

    Raises TimeoutError after the limit.
    """
    try:
        return await wait_for(process.communicate(given), seconds)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _load() -> float:
    """Return the number of busy processors: now, or averaged over the last minute, whichever is higher."""
    averages = os.getloadavg() if hasattr(os, "getloadavg") else (0.0,)
    try:
        with open(_LOAD, encoding="ascii") as file:  # noqa: PTH123  needs no Path
            runnable = int(file.read().split()[3].partition("/")[0])  # of `2.95 2.90 1.90 4/812 30211`
    except (OSError, ValueError, IndexError):
        runnable = 0
    return max(averages[0], float(runnable))
