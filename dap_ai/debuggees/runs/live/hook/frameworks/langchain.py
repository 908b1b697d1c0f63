"""Hook points for LangChain tools, and for LangGraph graphs as agents."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from ..current_agent import hello, of_agent
from ..hook_points import Point
from ..tool_calls import CallShape, of_call, unchanged, word

_TOOLS = "langchain_core.tools.base"
_GRAPHS = "langgraph.pregel.main"
_UNNAMED = "LangGraph"


class _Run(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        tool, given, shown = _bound(args, kwargs)
        return tool.name, shown if isinstance(given, dict) else {"input": given}, kwargs.get("tool_call_id")

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        found: Any = _bound(args, kwargs)
        mine, given, shown = found
        unchanged(tool, mine.name)
        if isinstance(given, dict):
            hidden: Any = _hidden(given, shown)
            made: Any = dict(hidden, **arguments)
        else:
            made = word(arguments, "input")
        kept = {key: value for key, value in kwargs.items() if key != "tool_input"}
        return (mine, made) + tuple(args[2:]), kept

    def text(self, result: Any) -> Any:
        status = {"success": "unknown", "error": "error"}.get(getattr(result, "status", ""), "unknown")
        return super().text(getattr(result, "content", result))[0], status

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        if hasattr(result, "model_copy") and hasattr(result, "content"):
            return result.model_copy(update={"content": text})
        if result is not None and not isinstance(result, str):
            raise ValueError("it is no message")
        if kwargs.get("tool_call_id") is None:
            return text
        messages: Any = importlib.import_module("langchain_core.messages")  # as installed for the agent
        return messages.ToolMessage(content=text, tool_call_id=kwargs["tool_call_id"], name=args[0].name)


def _bound(args: Any, kwargs: Any) -> Any:
    """Return the tool, its input, and the part of the input that the model provided."""
    given = args[1] if len(args) > 1 else kwargs["tool_input"]
    filtered = getattr(args[0], "_filter_injected_args", None)
    return args[0], given, filtered(given) if filtered and isinstance(given, dict) else given


def _hidden(given: Any, shown: Any) -> Any:
    return {key: given[key] for key in given if key not in shown}


def _name(args: Any, kwargs: Any) -> Any:
    name = getattr(args[0], "name", None) or ""
    return "" if name == _UNNAMED else name


def _streamed(original: Any) -> Any:
    """Wrap a streaming function so that calling it announces an agent. Other functions run the streamed work."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(Exception):
            hello()
        return original(*args, **kwargs)

    return run


_CALL, _AGENT = of_call(_Run()), of_agent(_name)
POINTS = [
    Point(_TOOLS, "BaseTool.run", ["self", "tool_input", "tool_call_id"], _CALL),
    Point(_TOOLS, "BaseTool.arun", ["self", "tool_input", "tool_call_id"], _CALL),
    Point(_GRAPHS, "Pregel.invoke", ["self", "input", "config"], _AGENT),
    Point(_GRAPHS, "Pregel.ainvoke", ["self", "input", "config"], _AGENT),
    Point(_GRAPHS, "Pregel.stream", ["self", "input", "config"], _streamed),
    Point(_GRAPHS, "Pregel.astream", ["self", "input", "config"], _streamed),
]
