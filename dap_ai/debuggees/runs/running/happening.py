"""What happens to a live agent: output, messages of the gate, exit."""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.live.gate.orders import GateMessage
from dap_ai.debuggees.runs.run_model import Run


class Happening(NamedTuple):
    """Something that happened to the agent or its recording; reported to the session."""

    run: Run | None = None
    """The run as far as it has been recorded."""
    analysed: Analysed | None = None
    heard: GateMessage | None = None
    printed: tuple[str, str] | None = None
    """Category and text of the agent's output."""
    ended: int | None = None
    """The agent's exit code, set once."""
    words: str = ""
    """Text for the console."""
