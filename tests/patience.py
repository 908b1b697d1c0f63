"""How long a test waits: what an idle machine needs, times what else wants its processors now (dap_ai/system/load_limits.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dap_ai.system.load_limits import slack

_TURNS = 300
"""Of an event loop: more than any chain of callbacks here takes."""


_AT_WORST = 5.0
"""How many times busier than idle the machine becomes while the whole suite runs, with the browser's tests beside it."""


def at_worst(seconds: float) -> float:
    """A limit that is a constant, and only ends what hangs: it is made before any of the load is there."""
    return seconds * max(slack(), _AT_WORST)


def patient(seconds: float) -> float:
    """A limit of so many seconds on an idle machine, as it is now."""
    return seconds * slack()


async def in_turn(*actions: Callable[[], object]) -> None:
    """Does each as soon as all is over that the one before, or the start, has set going in this loop."""
    for action in actions:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        action()
