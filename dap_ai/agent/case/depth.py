"""Counts the frames of a stack that the adapter gives page by page, and reads the outermost ones, in few requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

Rows = list[dict[str, Any]]
ReadFrames = Callable[[int, int], Awaitable[Rows]]
"""DAP's stack frames from a number on: (startFrame, levels)."""

OUTERMOST = 20
"""Frames of the outer end that are read."""
MAX_COUNTED = 6000
"""Frames beyond which a stack is not counted: an adapter needs a tenth of a second for these already."""


class Depth(NamedTuple):
    """The frames of a stack."""

    total: int
    outermost: Rows
    more: bool = False
    """There are more than `total`, and nobody has counted them."""


async def depth_of(read: ReadFrames, known: int, claimed: int) -> Depth:
    """Of a stack with at least `known` frames. `claimed`: the adapter's `totalFrames`, which may be an estimate."""
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
    """By halves; the number lies within `low` and `high`, both included."""
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
