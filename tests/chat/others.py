"""How a reply looks in OpenAI's Responses and in Anthropic's Messages, in one piece and streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.chat.reply import Reply

Event = dict[str, Any]


def response(reply: Reply, head: dict[str, Any], first_id: int) -> dict[str, Any]:
    """A response of Responses."""
    taken, given, cached = reply.tokens or (0, 0, 0)
    used = {"input_tokens": taken, "output_tokens": given, "total_tokens": taken + given}
    used["input_tokens_details"] = {"cached_tokens": cached}
    used["output_tokens_details"] = {"reasoning_tokens": 0}
    facts = {"id": head["id"], "object": "response", "created_at": head["created"], "model": head["model"]}
    settings = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
    return {**facts, **settings, "output": _items(reply, first_id), "usage": used if reply.tokens else None}


def response_events(reply: Reply, head: dict[str, Any], first_id: int) -> Iterator[Event]:
    """The same, as it is streamed."""
    whole = response(reply, head, first_id)
    yield {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress", "usage": None}}
    for place, item in enumerate(whole["output"]):
        where = {"output_index": place, "item_id": item.get("id", "")}
        if item["type"] == "message":
            started = {**item, "content": [], "status": "in_progress"}
            yield {"type": "response.output_item.added", "output_index": place, "item": started}
            part = {"type": "output_text", "text": "", "annotations": []}
            yield {"type": "response.content_part.added", **where, "content_index": 0, "part": part}
            for piece in reply.pieces:
                yield {
                    "type": "response.output_text.delta",
                    **where,
                    "content_index": 0,
                    "delta": piece,
                    "logprobs": [],
                }
        elif item["type"] == "function_call":
            yield {"type": "response.output_item.added", "output_index": place, "item": {**item, "arguments": ""}}
            step = reply.fragment_chars or len(item["arguments"]) or 1
            for at in range(0, len(item["arguments"]), step):
                delta = item["arguments"][at : at + step]
                yield {"type": "response.function_call_arguments.delta", **where, "delta": delta}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": whole}


def message(reply: Reply, head: dict[str, Any], first_id: int) -> dict[str, Any]:
    """A message of Messages; its input tokens are without those from the cache."""
    taken, given, cached = reply.tokens or (0, 0, 0)
    used = {"input_tokens": taken - cached, "cache_read_input_tokens": cached, "output_tokens": given}
    reason = "tool_use" if reply.calls else "end_turn"
    facts = {"id": head["id"], "type": "message", "role": "assistant", "model": head["model"]}
    return {**facts, "content": _blocks(reply, first_id), "stop_reason": reason, "stop_sequence": None, "usage": used}


def message_events(reply: Reply, head: dict[str, Any], first_id: int) -> Iterator[Event]:
    """The same, as it is streamed."""
    whole = message(reply, head, first_id)
    started = {**whole["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None, "usage": started}}
    for place, block in enumerate(whole["content"]):
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[
            block["type"]
        ]
        yield {"type": "content_block_start", "index": place, "content_block": {**block, **empty}}
        for delta in _deltas(block, reply):
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": whole["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _items(reply: Reply, first_id: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{first_id}", "summary": summary})
    if text := "".join(reply.pieces):
        content = [{"type": "output_text", "text": text, "annotations": []}]
        items.append(
            {"type": "message", "id": f"msg_{first_id}", "role": "assistant", "status": "completed", "content": content}
        )
    for number, (name, arguments) in enumerate(reply.calls, first_id):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        space, _, own = name.rpartition(":")
        named = {"name": own, **({"namespace": space} if space else {})}
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        items.append({**call, **named, "arguments": written})
    return items


def _blocks(reply: Reply, first_id: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if reply.reasoning:
        blocks.append({"type": "thinking", "thinking": reply.reasoning, "signature": "s"})
    if text := "".join(reply.pieces):
        blocks.append({"type": "text", "text": text})
    for number, (name, arguments) in enumerate(reply.calls, first_id):
        blocks.append({"type": "tool_use", "id": f"call_{number}", "name": name, "input": arguments})
    return blocks


def _deltas(block: dict[str, Any], reply: Reply) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        yield from ({"type": "text_delta", "text": piece} for piece in reply.pieces)
    elif block["type"] == "thinking":
        yield {"type": "thinking_delta", "thinking": block["thinking"]}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        written = json.dumps(block["input"])
        step = reply.fragment_chars or len(written)
        for at in range(0, len(written), step):
            yield {"type": "input_json_delta", "partial_json": written[at : at + step]}
