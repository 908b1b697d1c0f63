"""Events of a live agent: output, announcements, exit."""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.live.gate.orders import GateMessage
from dap_ai.debuggees.runs.run_model import Run


class Happening(NamedTuple):
    """An event of the agent or its recording, for the session."""

    run: Run | None = None
    """The run, as far as it has been recorded."""
    analysed: Analysed | None = None
    heard: GateMessage | None = None
    printed: tuple[str, str] | None = None
    """Category and text of the agent's output."""
    ended: int | None = None
    """The agent's exit code."""
    words: str = ""
    """Text for the console."""
