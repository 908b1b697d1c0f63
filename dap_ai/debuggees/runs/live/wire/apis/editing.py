"""Edits of what passes: words and results in a request, calls and texts in an answer. Pure."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.live.wire.apis.asked import Api
from dap_ai.debuggees.runs.readers.shapes import array, table

_HISTORY: Mapping[Api, str] = {"chat": "messages", "responses": "input", "messages": "messages"}
_CALLS = frozenset({"function_call", "custom_tool_call", "tool_use"})


def history(api: Api, body: Mapping[str, Any]) -> list[Any]:
    """A copy of the messages of a request."""
    found = body.get(_HISTORY[api])
    return [{"role": "user", "content": found}] if isinstance(found, str) else list(array(found))


def with_history(api: Api, body: Mapping[str, Any], messages: list[Any]) -> dict[str, Any]:
    """A request with other messages."""
    return {**body, _HISTORY[api]: messages}


def said(api: Api, messages: list[Any], place: int, text: str) -> list[Any]:
    """With a user's words behind the first `place` messages: in the last of them where that is a user's own."""
    last = table(messages[place - 1] if place else None)
    content = last.get("content")
    if api != "responses" and last.get("role") == "user" and isinstance(content, (str, list)):
        more = {**last, "content": _more(content, text)}
        return [*messages[: place - 1], more, *messages[place:]]
    words: Any = [{"type": "input_text", "text": text}] if api == "responses" else text
    return [*messages[:place], {"role": "user", "content": words}, *messages[place:]]


def resulted(messages: list[Any], call_id: str, text: str) -> list[Any]:
    """With another result of a call, wherever it is told."""
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
    """An answer of nothing but a text, as of a model that spent nothing."""
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


def with_call(value: Any, call_id: str, given: str) -> Any:
    """An answer with other arguments of one call. Raises ValueError where there is no such call, or `given` fits not.

    `given` is a JSON object; any other text is the call's one text argument (a shell's command).
    """
    done = [False]

    def changed(call: Mapping[str, Any]) -> Mapping[str, Any]:
        done[0] = True
        function = table(call.get("function"))
        if function:
            return {**call, "function": {**function, "arguments": _given(function.get("arguments"), given)}}
        key = "input" if "input" in call else "arguments"
        return {**call, key: given if call.get("type") == "custom_tool_call" else _given(call.get(key), given)}

    found = _mapped(value, lambda row: call_id in (row.get("call_id"), row.get("id")) and _is_call(row), changed)
    if not done[0]:
        raise ValueError("the answer has no call that could be edited: it is a text, --answer gives another")
    return found


def _is_call(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _CALLS or "function" in row


def _given(old: Any, given: str) -> Any:
    """As JSON text where the old one is one."""
    before = table(msgspec.json.decode(old)) if isinstance(old, str) else table(old)
    try:
        new = msgspec.json.decode(given.encode(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError) as error:
        texts = [key for key in before if isinstance(before[key], str)]
        if len(texts) != 1:
            raise ValueError(f"the call has {len(before)} arguments: give them as a JSON object") from error
        new = {**before, texts[0]: given}
    return msgspec.json.encode(new).decode() if isinstance(old, str) else new


def _mapped(value: Any, wanted: Callable[[Mapping[str, Any]], bool], changed: Callable[..., Any]) -> Any:
    if isinstance(value, list):
        return [_mapped(each, wanted, changed) for each in array(cast("Any", value))]
    if isinstance(value, dict):
        row = table(cast("Any", value))
        return changed(row) if wanted(row) else {key: _mapped(row[key], wanted, changed) for key in row}
    return value


def rewritten(value: Any, old: str, new: str) -> Any:
    """With one path for another in every text."""
    if isinstance(value, str):
        return re.sub(rf"{re.escape(old)}(?![\w.-])", lambda _: new, value)
    if isinstance(value, list):
        return [rewritten(each, old, new) for each in array(cast("Any", value))]
    if isinstance(value, dict):
        row = table(cast("Any", value))
        return {key: rewritten(row[key], old, new) for key in row}
    return value
