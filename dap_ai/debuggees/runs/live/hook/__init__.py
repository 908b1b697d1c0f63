"""The hook in a Python agent's process: tells the gate of calls, results and sub-agents, and waits where it is held.

Loaded by start/sitecustomize.py under a name of its own. Runs in the agent's Python, 3.8 and newer: standard library
only, and no import of dap_ai. What goes wrong here is told once, and the agent goes on.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs each process of the agent's 2 ms
    from typing import Any


def install() -> Any:
    """Frameworks that are imported from now on are followed; those that are there already, too."""
    from .finding import install as begin

    begin()
