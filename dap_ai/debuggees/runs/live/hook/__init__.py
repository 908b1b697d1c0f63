"""The hook in a Python agent's process: tells the gate of calls, results and sub-agents, and waits where it is held.

Loaded by start/sitecustomize.py (no package: all that is on PYTHONPATH) under a name of its own. Runs in the agent's
Python, 3.8 and newer: standard library only, and no import of dap_ai. What goes wrong here is told once, and the agent
goes on.

`import_hook.py` sees modules as they are imported, `hook_points.py` checks each row of the table in frameworks/,
`tool_calls.py`
follows a call from its announcement to its result, `current_agent.py` says which agent is at work (context variables).
A query
names its agent by a header that the endpoint takes off.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs each process of the agent's 2 ms
    from typing import Any


def install() -> Any:
    """Frameworks that are imported from now on are followed; those that are there already, too."""
    from .import_hook import install as begin

    begin()
