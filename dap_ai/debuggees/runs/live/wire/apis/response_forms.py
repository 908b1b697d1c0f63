"""Encodes an answer in the form that the request asks for: one JSON value, or server-sent events. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.readers.json_shapes import array, table

JSON, EVENTS = "application/json", "text/event-stream; charset=utf-8"
_TEXTS = {"text": "text_delta", "thinking": "thinking_delta"}
_ENDS = {"incomplete": "response.incomplete", "failed": "response.failed"}


def in_form(api: Api, value: Any, settings: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return (content type, body) of an answer; the request's `settings` select streaming and token counts."""
    if not settings.get("stream") or "error" in table(value):
        return JSON, msgspec.json.encode(_whole(api, value))
    events = _STREAMED[api](table(value), settings)
    named = api != "chat"
    body = b"".join(_event(each, named=named) for each in events)
    return EVENTS, body if named else body + b"data: [DONE]\n\n"


def _whole(api: Api, value: Any) -> Any:
    """Remove fields that only streams have from an assembled answer."""
    if api != "chat" or "choices" not in table(value):
        return value
    choices: list[Any] = []
    for choice in map(table, array(table(value)["choices"])):
        message = dict(table(choice.get("message")))
        if "tool_calls" in message:
            calls = map(table, array(message["tool_calls"]))
            message["tool_calls"] = [{key: call[key] for key in call if key != "index"} for call in calls]
        choices.append({**choice, "message": message})
    return {**table(value), "object": "chat.completion", "choices": choices}


def _event(event: Mapping[str, Any], *, named: bool) -> bytes:
    head = b"event: %b\n" % str(event.get("type")).encode() if named else b""
    return head + b"data: " + msgspec.json.encode(event) + b"\n\n"


def _chat(value: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    facts = {key: value[key] for key in value if key not in ("choices", "usage", "object")}
    head = {**facts, "object": "chat.completion.chunk"}
    for choice in map(table, array(value.get("choices"))):
        place = choice.get("index", 0)
        for delta in _chat_deltas(table(choice.get("message"))):
            yield {**head, "choices": [{"index": place, "delta": delta, "finish_reason": None}]}
        yield {**head, "choices": [{"index": place, "delta": {}, "finish_reason": choice.get("finish_reason")}]}
    if table(settings.get("stream_options")).get("include_usage") and value.get("usage"):
        yield {**head, "choices": [], "usage": value["usage"]}


def _chat_deltas(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield {"role": message.get("role") or "assistant", "content": ""}
    apart = ("role", "content", "tool_calls")
    yield from ({key: message[key]} for key in message if key not in apart and message[key] is not None)
    if message.get("content"):
        yield {"content": message["content"]}
    for place, call in enumerate(map(table, array(message.get("tool_calls")))):
        yield {"tool_calls": [{**call, "index": place}]}


def _responses(value: Mapping[str, Any], _settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    begun: dict[str, Any] = {**value, "output": [], "status": "in_progress", "usage": None}
    end = _ENDS.get(str(value.get("status")), "response.completed")
    events: list[Mapping[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(map(table, array(value.get("output")))):
        where = {"output_index": place, "item_id": item.get("id", "")}
        events.append({"type": "response.output_item.added", "output_index": place, "item": _empty(item)})
        events += ({**each, **where} for each in _item(item))
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": end, "response": value})
    yield from ({**each, "sequence_number": number} for number, each in enumerate(events))


def _empty(item: Mapping[str, Any]) -> Mapping[str, Any]:
    blank: Mapping[str, Any] = {"content": [], "arguments": "", "input": "", "summary": []}
    started = {key: blank.get(key, item[key]) for key in item}
    return {**started, "status": "in_progress"} if "status" in item else started


def _item(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if item.get("type") == "message":
        for place, part in enumerate(map(table, array(item.get("content")))):
            where = {"content_index": place}
            key = "refusal" if part.get("type") == "refusal" else "text"
            said, kind = part.get(key) or "", "refusal" if key == "refusal" else "output_text"
            yield {"type": "response.content_part.added", **where, "part": {**part, key: ""}}
            yield {"type": f"response.{kind}.delta", **where, "delta": said, "logprobs": []}
            yield {"type": f"response.{kind}.done", **where, key: said, "logprobs": []}
            yield {"type": "response.content_part.done", **where, "part": part}
    elif item.get("type") == "function_call":
        yield {"type": "response.function_call_arguments.delta", "delta": item.get("arguments") or ""}
        yield {"type": "response.function_call_arguments.done", "arguments": item.get("arguments") or ""}
    elif item.get("type") == "custom_tool_call":
        yield {"type": "response.custom_tool_call_input.delta", "delta": item.get("input") or ""}
        yield {"type": "response.custom_tool_call_input.done", "input": item.get("input") or ""}


def _messages(value: Mapping[str, Any], _settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    usage = table(value.get("usage"))
    started: dict[str, Any] = {**value, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": started}
    for place, block in enumerate(map(table, array(value.get("content")))):
        yield {"type": "content_block_start", "index": place, "content_block": _begun(block)}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    end = {"stop_reason": value.get("stop_reason"), "stop_sequence": value.get("stop_sequence")}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": usage.get("output_tokens", 0)}}
    yield {"type": "message_stop"}


def _begun(block: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = block.get("type")
    if kind == "tool_use":
        return {**block, "input": {}}
    if kind == "thinking":
        return {**block, "thinking": "", "signature": ""}
    return {**block, "text": ""} if kind == "text" else block


def _deltas(block: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    kind = str(block.get("type"))
    if kind == "tool_use":
        yield {"type": "input_json_delta", "partial_json": msgspec.json.encode(block.get("input")).decode()}
    elif kind in _TEXTS:
        yield {"type": _TEXTS[kind], kind: block.get(kind) or ""}
        if block.get("signature"):
            yield {"type": "signature_delta", "signature": block["signature"]}


_STREAMED: Mapping[Api, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Mapping[str, Any]]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}
