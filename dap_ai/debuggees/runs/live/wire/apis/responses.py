"""OpenAI's Responses API: `instructions` and `input`, streamed as events of output items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dap_ai.debuggees.runs.readers.json_shapes import table

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


def assembled(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the response in the stream's last event; if the stream was cut off, assemble the events that arrived."""
    answer: dict[str, Any] = {}
    items: dict[int, dict[str, Any]] = {}
    for event in events:
        kind, index = event.get("type"), event.get("output_index")
        if isinstance(event.get("response"), dict):
            answer |= table(event["response"])
        if kind in _ENDS and answer.get("output"):
            return answer
        if kind == "error":
            answer["error"] = {key: event[key] for key in ("code", "message", "param") if key in event}
        if not isinstance(index, int):
            continue
        if kind in ("response.output_item.added", "response.output_item.done"):
            items[index] = dict(table(event.get("item")))
        elif isinstance(event.get("delta"), str):
            _add(items.setdefault(index, {}), str(kind), str(event["delta"]))
    if items:
        answer["output"] = [items[index] for index in sorted(items)]
    return answer


def _add(item: dict[str, Any], kind: str, delta: str) -> None:
    """Add a fragment to an item of a stream that may be cut off."""
    if kind in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
        key = "input" if "custom" in kind else "arguments"
        item[key] = str(item.get(key) or "") + delta
    elif kind in ("response.output_text.delta", "response.refusal.delta"):
        _extend(item, "content", "output_text", delta)
    elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
        _extend(item, "summary", "summary_text", delta)


def _extend(item: dict[str, Any], key: str, kind: str, delta: str) -> None:
    parts = item.get(key)
    if not isinstance(parts, list) or not parts:
        parts = [{"type": kind, "text": ""}]
    last = dict(table(parts[-1]))
    last["text"] = str(last.get("text") or "") + delta
    item[key] = [*parts[:-1], last]
