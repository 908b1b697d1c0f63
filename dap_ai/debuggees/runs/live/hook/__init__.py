"""Hook in an agent's Python process: announces calls, results and sub-agents to the gate, which may stop the agent.

start/sitecustomize.py loads this package under a private name (PYTHONPATH contains no package). The hook runs in the
agent's Python, 3.8 and newer: standard library only, no import of dap_ai. The hook reports each of its errors once, and
the agent continues.

`import_hook.py` sees modules as they are imported, `hook_points.py` checks each row of the tables in frameworks/,
`tool_calls.py` follows a call from its announcement to its result, `current_agent.py` tracks the current agent in
context variables. A query names its agent in a header that the endpoint removes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs each agent process 2 ms
    from typing import Any


def install() -> Any:
    """Wrap the functions of frameworks that are imported already or from now on."""
    from .import_hook import install as begin

    begin()
