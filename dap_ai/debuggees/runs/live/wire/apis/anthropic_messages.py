"""Anthropic's Messages API: `system` and `messages`, streamed as events of content blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dap_ai.debuggees.runs.live.wire.apis.sse import merge
from dap_ai.debuggees.runs.readers.json_shapes import decoded, table

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def assembled(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Assemble a stream's events, possibly cut off, into the message as the API returns it without streaming."""
    answer: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    for event in events:
        kind, index = event.get("type"), event.get("index")
        if kind == "message_start":
            answer |= table(event.get("message"))
        elif kind == "content_block_start" and isinstance(index, int):
            blocks[index] = dict(table(event.get("content_block")))
        elif kind == "content_block_delta" and isinstance(index, int):
            delta = table(event.get("delta"))
            if delta.get("type") == "input_json_delta":
                inputs[index] = inputs.get(index, "") + str(delta.get("partial_json") or "")
            else:
                _add(blocks.setdefault(index, {"type": "text"}), delta)
        elif kind == "message_delta":
            answer |= table(event.get("delta"))
            answer["usage"] = merge_usage(answer.get("usage"), event.get("usage"))
        elif kind == "error":
            answer["error"] = event.get("error")
    for index, written in inputs.items():  # if cut off, the partial JSON text
        blocks.setdefault(index, {"type": "tool_use"})["input"] = decoded(written or "{}", written)
    if blocks or "content" in answer:
        answer["content"] = [blocks[index] for index in sorted(blocks)]
    return answer


def merge_usage(old: Any, new: Any) -> dict[str, Any]:
    """Merge token counts. Later counts are totals and replace earlier counts."""
    return {**table(old), **{key: value for key, value in table(new).items() if value is not None}}


def _add(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    kind = delta.get("type")
    if kind in _TEXTS:
        key = _TEXTS[str(kind)]
        block[key] = str(block.get(key) or "") + str(delta.get(key) or "")
    elif kind == "citations_delta":
        block["citations"] = merge(block.get("citations") or [], [delta.get("citation")])
