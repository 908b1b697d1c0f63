"""Hook points for smolagents: tool-calling agents, code agents, managed agents."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from ..current_agent import of_agent
from ..hook_points import Point
from ..tool_calls import CallShape, given, of_call, word

_AGENTS = "smolagents.agents"
_EXECUTOR = "smolagents.local_python_executor"


class _ToolCall(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        _, tool, arguments = _bound(args, kwargs)
        return tool, arguments, ""

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        agent = _bound(args, kwargs)[0]
        if tool not in {**agent.tools, **agent.managed_agents}:
            raise ValueError("%s is no tool of this agent" % tool)
        return (agent, tool, arguments), {}


def _bound(args: Any, kwargs: Any) -> Any:
    given = dict(zip(("self", "tool_name", "arguments"), args), **kwargs)
    return given["self"], given["tool_name"], given["arguments"]


class _Code(CallShape):
    """Call of the Python interpreter with the code in the model's text."""

    def read(self, args: Any, kwargs: Any) -> Any:
        return "python_interpreter", {"code": given(args, kwargs, 1, "code_action")}, ""

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        if tool != "python_interpreter":
            raise ValueError("there is no tool but the interpreter")
        return (args[0], word(arguments, "code")), {}

    def text(self, result: Any) -> Any:
        logs = str(getattr(result, "logs", "") or "")
        return logs + ("" if result.output is None else str(result.output)), "ok"

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        if result is not None:
            return dataclasses.replace(result, logs=text, output=None)
        executor: Any = importlib.import_module(_EXECUTOR)  # as installed for the agent
        return executor.CodeOutput(output=None, logs=text, is_final_answer=False)


def _name(args: Any, kwargs: Any) -> Any:
    return getattr(args[0], "name", None) or ""


POINTS = [
    Point(_AGENTS, "MultiStepAgent.run", ["self", "task"], of_agent(_name)),
    Point(_AGENTS, "ToolCallingAgent.execute_tool_call", ["self", "tool_name", "arguments"], of_call(_ToolCall())),
    Point(_EXECUTOR, "LocalPythonExecutor.__call__", ["self", "code_action"], of_call(_Code())),
]
