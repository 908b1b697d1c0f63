"""Which expressions are read in a native program."""

from __future__ import annotations

from functools import partial

from dap_ai.agent.case.syntax import node_of
from dap_ai.agent.tools import base
from dap_ai.agent.tools.base import Bench, ToolResult


def refused(bench: Bench, expression: str, done: str) -> ToolResult | None:
    """As `base.refused`, in the language of the frame."""
    return base.refused(bench, expression, done, partial(node_of, language=bench.dialect))
