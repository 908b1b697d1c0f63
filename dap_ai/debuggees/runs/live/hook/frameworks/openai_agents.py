"""Hook points for the OpenAI Agents SDK: function tools, agents as tools, handoffs, turns with or without streaming."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from ..current_agent import of_agent
from ..hook_points import Point
from ..tool_calls import CallShape, of_call, unchanged

_RUN = "agents.run_internal.run_loop"
_TOOLS = "agents.run_internal.tool_execution"


class _Invocation(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        given = kwargs["arguments"]
        try:
            found = json.loads(given or "{}")
        except ValueError:
            found = given
        return kwargs["function_tool"].name, found, getattr(kwargs["context"], "tool_call_id", "")

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        unchanged(tool, kwargs["function_tool"].name)
        return args, dict(kwargs, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments))

    def text(self, result: Any) -> Any:
        status = "error" if getattr(result, "is_sdk_generated_error", False) else "unknown"
        return super().text(result.output)[0], status

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        if result is not None:
            return dataclasses.replace(result, output=text)
        return sys.modules["agents.tool"]._FunctionToolInvocationResult(text)


def _name(args: Any, kwargs: Any) -> Any:
    return (kwargs["bindings"] if "bindings" in kwargs else args[1]).public_agent.name


_TURN = of_agent(_name)
_PARAMETERS = ["function_tool", "context", "arguments"]
POINTS = [
    Point(_RUN, "run_single_turn", ["bindings"], _TURN),
    Point(_RUN, "run_single_turn_streamed", ["streamed_result", "bindings"], _TURN),
    Point(_TOOLS, "_invoke_function_tool_with_metadata", _PARAMETERS, of_call(_Invocation())),
]
