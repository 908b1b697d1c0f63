"""How long the fuzz of real processes goes on: a few fixed seeds in the suite, or as long as DAP_AI_FUZZ_SECONDS says."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

SECONDS = float(os.environ.get("DAP_AI_FUZZ_SECONDS", "0"))
TIMEOUT_S = SECONDS + 120
"""For pytest, of a test that goes on so long."""


def seeds(count: int) -> Iterator[int]:
    """`count` fixed seeds; in a long run fresh ones until its time is over. A failure names its seed."""
    if not SECONDS:
        yield from range(count)
        return
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        yield time.monotonic_ns() % 1_000_000_007


def dice(seed: int) -> random.Random:
    """The same throws for the same seed."""
    return random.Random(seed)  # noqa: S311  a fuzz keeps no secret
