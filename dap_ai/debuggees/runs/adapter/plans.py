"""To-do lists that agents write with a tool: the items and their states."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from dap_ai.debuggees.runs.run_model import Event

_TOOLS = frozenset({
    "TodoWrite", "update_plan", "task_tracker", "write_todos", "todo_write", "manage_todo_list", "todowrite",
})  # fmt: skip
"""Tools whose argument is a whole to-do list."""
_TEXTS = ("content", "step", "title", "task", "text", "description", "name")
_STATES = ("status", "state", "done", "completed")


def is_plan(event: Event) -> bool:
    """Return whether an event writes a to-do list."""
    return event.kind == "call" and event.tool.rpartition("__")[2] in _TOOLS and _rows(event) is not None


def items_of(event: Event) -> Mapping[str, str]:
    """Return the to-do items that an event writes, in order, with their states; an unknown state is empty."""
    return dict(map(_item, _rows(event) or ()))


def _rows(event: Event) -> Sequence[Any] | None:
    """Return the longest list among a call's arguments; None for a call without a list, which only reads."""
    found = [
        cast("list[Any]", value)
        for argument in (event.arguments or {}).values()
        if isinstance(value := _parsed(argument), list)
    ]
    return max(found, key=len, default=None)


def _parsed(argument: Any) -> Any:
    """Parse an argument, which some agents give as JSON in a string."""
    if not isinstance(argument, str) or not argument.lstrip().startswith("["):
        return argument
    try:
        return json.loads(argument)
    except (ValueError, RecursionError):
        return argument


def _item(row: Any) -> tuple[str, str]:
    if not isinstance(row, dict):
        return str(row), ""
    fields = cast("dict[str, Any]", row)
    text = next((fields[key] for key in _TEXTS if isinstance(fields.get(key), str)), "")
    state = next((fields[key] for key in _STATES if key in fields), "")
    return text or json.dumps(fields, default=str), state if isinstance(state, str) else json.dumps(state, default=str)
