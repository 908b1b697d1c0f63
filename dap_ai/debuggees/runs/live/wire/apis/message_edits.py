"""Edits of model traffic: texts and results in a request, calls and texts in an answer. Does no I/O."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table

_HISTORY: Mapping[Api, str] = {"chat": "messages", "responses": "input", "messages": "messages"}
CALLS = frozenset({"function_call", "custom_tool_call", "tool_use"})


def history(api: Api, body: Mapping[str, Any]) -> list[Any]:
    """Return a copy of a request's messages."""
    found = body.get(_HISTORY[api])
    return [{"role": "user", "content": found}] if isinstance(found, str) else list(array(found))


def with_messages(api: Api, body: bytes, changed: Callable[[list[Any]], list[Any]]) -> bytes | None:
    """Return a request with changed messages; None if `changed` changes nothing or the request can't be parsed."""
    if not (fields := table(decoded(body))):
        return None
    before = history(api, fields)
    after = changed(before)
    return None if after == before else msgspec.json.encode({**fields, _HISTORY[api]: after})


def insert_user_text(api: Api, messages: list[Any], place: int, text: str) -> list[Any]:
    """Insert user text after the first `place` messages, or append the text to the last of them if a user wrote it."""
    last = table(messages[place - 1] if place else None)
    content = last.get("content")
    if api != "responses" and last.get("role") == "user" and isinstance(content, (str, list)):
        more = {**last, "content": _more(content, text)}
        return [*messages[: place - 1], more, *messages[place:]]
    words: Any = [{"type": "input_text", "text": text}] if api == "responses" else text
    return [*messages[:place], {"role": "user", "content": words}, *messages[place:]]


def resulted(messages: list[Any], call_id: str, text: str) -> list[Any]:
    """Return the messages with each occurrence of a call's result replaced."""
    return [_resulted(each, call_id, text) for each in messages]


def _resulted(message: Any, call_id: str, text: str) -> Any:
    row = table(message)
    if row.get("tool_call_id") == call_id:
        return {**row, "content": text}
    if row.get("call_id") == call_id and "output" in row:
        return {**row, "output": text}
    content = row.get("content")
    if isinstance(content, list):
        blocks = map(table, array(cast("Any", content)))
        told = [{**each, "content": text} if each.get("tool_use_id") == call_id else each for each in blocks]
        return {**row, "content": told} if any("tool_use_id" in each for each in told) else message
    return message


def _more(content: Any, text: str) -> Any:
    if isinstance(content, str):
        return f"{content}\n\n{text}"
    return [*array(content), {"type": "text", "text": text}]


def answer_of(api: Api, text: str, model: str) -> dict[str, Any]:
    """Return an answer with only that text, and zero tokens used."""
    now = int(time.time())
    if api == "chat":
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        used = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        head = {"id": f"dap-ai-{now}", "object": "chat.completion", "created": now, "model": model}
        return {**head, "choices": [choice], "usage": used}
    used = {"input_tokens": 0, "output_tokens": 0}
    if api == "messages":
        head = {"id": f"msg_dap_ai_{now}", "type": "message", "role": "assistant", "model": model}
        content = [{"type": "text", "text": text}]
        return {**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": used}
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": f"msg_dap_ai_{now}", "role": "assistant", "status": "completed"}
    item["content"] = [part]
    head = {"id": f"resp_dap_ai_{now}", "object": "response", "created_at": now, "model": model, "status": "completed"}
    settings: dict[str, Any] = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {**head, **settings, "output": [item], "usage": {**used, "total_tokens": 0, **details}}


def with_call(value: Any, call_id: str, changed: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]) -> Any:
    """Return an answer with one call changed, or removed if `changed` returns None; None without such a call."""
    met = list[Any]()

    def walked(part: Any) -> Any:
        if isinstance(part, list):
            found = [(walked(each), each) for each in array(cast("Any", part))]
            return [new for new, old in found if new is not None or old is None]
        if not (row := table(part)):
            return part
        is_call = row.get("type") in CALLS or "function" in row
        if is_call and call_id in (row.get("call_id"), row.get("id")):
            met.append(row)
            return changed(row)
        return {key: walked(row[key]) for key in row}

    found = walked(value)
    return found if met else None


def with_arguments(call: Mapping[str, Any], changed: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a call with changed arguments; `changed` gets the arguments as the call has them: JSON text or a value."""
    inner = dict(table(call.get("function")) or call)
    key = "input" if "input" in inner else "arguments"
    inner[key] = changed(inner.get(key))
    return {**call, "function": inner} if "function" in call else inner


def from_text(old: Any, given: str) -> Any:
    """Parse a call's new arguments from a JSON object.

    If the call has only one text argument (such as a shell command), any text is accepted. Returns JSON text if `old`
    is JSON text. Raises ValueError if `given` can't be used.
    """
    before = table(msgspec.json.decode(old)) if isinstance(old, str) else table(old)
    try:
        new = msgspec.json.decode(given.encode(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError) as error:
        texts = [key for key in before if isinstance(before[key], str)]
        if len(texts) != 1:
            raise ValueError(f"the call has {len(before)} arguments: give them as a JSON object") from error
        new = {**before, texts[0]: given}
    return msgspec.json.encode(new).decode() if isinstance(old, str) else new


def rewritten(value: Any, old: str, new: str) -> Any:
    """Replace one path by another in every string of a JSON value."""
    if isinstance(value, str):
        return re.sub(rf"{re.escape(old)}(?![\w.-])", lambda _: new, value)
    if isinstance(value, list):
        return [rewritten(each, old, new) for each in array(cast("Any", value))]
    if isinstance(value, dict):
        row = table(cast("Any", value))
        return {key: rewritten(row[key], old, new) for key in row}
    return value
