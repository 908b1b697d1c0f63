"""OpenAI's Chat Completions API: `messages`, streamed as chunks with deltas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from dap_ai.debuggees.runs.live.wire.apis.sse import merge
from dap_ai.debuggees.runs.readers.json_shapes import array, table

_FACTS = ("id", "model", "created", "system_fingerprint", "service_tier", "provider", "usage", "error")


def assembled(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Assemble a stream's chunks, possibly cut off, into the answer as the API returns it without streaming."""
    answer: dict[str, Any] = {"object": "chat.completion"}
    choices: dict[int, dict[str, Any]] = {}
    for event in events:
        answer |= {key: event[key] for key in _FACTS if event.get(key)}
        for row in array(event.get("choices")):
            _add(choices, table(row))
    if choices:
        answer["choices"] = [choices[index] for index in sorted(choices)]
    return answer


def _add(choices: dict[int, dict[str, Any]], row: Mapping[str, Any]) -> None:
    index = row.get("index")
    index = index if isinstance(index, int) else 0
    choice = choices.setdefault(index, {"index": index, "message": {}, "finish_reason": None})
    choice["finish_reason"] = row.get("finish_reason") or choice["finish_reason"]
    message: dict[str, Any] = choice["message"]
    for key, value in table(row.get("delta") or row.get("message")).items():
        if key == "tool_calls":
            _add_calls(cast("list[dict[str, Any]]", message.setdefault("tool_calls", [])), array(value))
        elif value is not None or key not in message:
            message[key] = value if key == "role" else merge(message.get(key), value)


def _add_calls(calls: list[dict[str, Any]], parts: Iterable[Any]) -> None:
    """Add fragments to the calls with the same index. A fragment without index begins a call or extends the last."""
    for part in map(table, parts):
        index = part.get("index")
        known = next((call for call in calls if call.get("index") == index), None) if index is not None else None
        is_new = bool(part.get("id") or table(part.get("function")).get("name"))
        if index is None and calls and not is_new:
            known = calls[-1]
        if known is None:
            calls.append(dict(part) | {"function": dict(table(part.get("function")))})
            continue
        known["id"] = known.get("id") or part.get("id")
        function = table(part.get("function"))
        known["function"]["name"] = known["function"].get("name") or function.get("name")
        known["function"]["arguments"] = merge(known["function"].get("arguments"), function.get("arguments"))
