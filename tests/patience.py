"""How long a test waits: what an idle machine needs, times what else wants its processors now (dap_ai/limits.py)."""

from __future__ import annotations

from dap_ai.limits import slack


def patient(seconds: float) -> float:
    """A limit of so many seconds on an idle machine, as it is now."""
    return seconds * slack()
