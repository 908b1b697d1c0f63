"""Counts the frames of a deep stack and reads the outermost ones, with few `stackTrace` requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

Rows = list[dict[str, Any]]
ReadFrames = Callable[[int, int], Awaitable[Rows]]
"""Function that reads DAP stack frames; its arguments are (startFrame, levels)."""

OUTERMOST = 20
"""Number of outermost frames to read."""
MAX_COUNTED = 6000
"""Maximum frames to count. An adapter takes 0.1 s to list 6,000 frames."""


class Depth(NamedTuple):
    """The number of frames in a stack, and its outermost frames."""

    total: int
    outermost: Rows
    more: bool = False
    """Whether the stack has more than `total` frames."""


async def depth_of(read: ReadFrames, known: int, claimed: int) -> Depth:
    """Returns the depth of a stack with at least `known` frames. `claimed` is the adapter's estimate, `totalFrames`."""
    if claimed > known:
        rows = await read(max(known, claimed - OUTERMOST), OUTERMOST + 1)
        if len(rows) == min(OUTERMOST, claimed - known):
            return Depth(claimed, rows)
    low, high = known, 2 * known
    while await read(high, 1):
        low, high = high + 1, 2 * high
        if high > MAX_COUNTED:
            return Depth(low, [], more=True)
    return await _between(read, low, high, known)


async def _between(read: ReadFrames, low: int, high: int, known: int) -> Depth:
    """Finds the depth by binary search between `low` and `high`, both inclusive."""
    while low < high:
        middle = max(low, (low + high - OUTERMOST) // 2)
        rows = await read(middle, OUTERMOST)
        if not rows:
            high = middle
        elif len(rows) < OUTERMOST:
            low = high = middle + len(rows)
        else:
            low = middle + OUTERMOST
    start = max(known, low - OUTERMOST)
    return Depth(low, await read(start, low - start) if low > start else [])
