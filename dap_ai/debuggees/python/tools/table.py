"""The table of Python's own tools, and the questions that call `history`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from dap_ai.agent.case.stop_snapshot import StopSnapshot, sub_expressions
from dap_ai.agent.questions.history_questions import is_so, parse_history_question
from dap_ai.agent.tools.base import Tool
from dap_ai.agent.tools.tool_table import history_of
from dap_ai.debuggees.python.analysis.record.failure_check import failure_of
from dap_ai.debuggees.python.tools.history_tool import history
from dap_ai.debuggees.python.tools.slice_tool import slice_
from dap_ai.debuggees.python.tools.trace import trace
from dap_ai.debuggees.python.tools.try_fix import try_fix
from dap_ai.protocol.contracts.tool_arguments import ToolArguments

_ALL: tuple[Tool[Any], ...] = (slice_, trace, history, try_fix)
FORMS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""Python's own tools for models, by name."""


def followed_by(case: StopSnapshot, question: str) -> ToolArguments | None:
    """Returns the `history` call for `when did x become ...?`, or None if no frame of the stop has `x`."""
    asked = parse_history_question(question)
    if asked is None:
        return None
    if asked.expression:
        facts = [fact for place in case.callers if (fact := place.evaluation(asked.expression))]
        is_known = any(fact.value or fact.error == "refused" for fact in facts)
        return history_of(asked) if is_known else None
    place, failure = case.focus, failure_of(case)
    if place is None:
        return None
    texts = [*(failure.watch if failure else ()), *map(ast.unparse, sub_expressions(place.evaluated)), *place.known]
    found = next((text for text in texts if (v := place.value(text)) and is_so(asked.condition, v)), "")
    return history_of(asked._replace(expression=found)) if found else None
