"""Hook in a Python agent's process: announces calls, results and sub-agents to the gate, and waits while it is stopped.

start/sitecustomize.py loads it under a private name (PYTHONPATH contains no package). It runs in the agent's Python,
3.8 and newer: standard library only, and no import of dap_ai. It reports each error once, and the agent continues.

`import_hook.py` sees modules as they are imported, `hook_points.py` checks each row of the tables in frameworks/,
`tool_calls.py` follows a call from its announcement to its result, `current_agent.py` tracks the current agent in
context variables. A query names its agent in a header that the endpoint removes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs each agent process 2 ms
    from typing import Any


def install() -> Any:
    """Follow the frameworks that are already imported and those imported from now on."""
    from .import_hook import install as begin

    begin()
