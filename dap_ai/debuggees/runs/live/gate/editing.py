"""Edits of what is held at the gate: of a query's body, of an answer as a value. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.live.wire.apis.asked import Api
from dap_ai.debuggees.runs.live.wire.apis.editing import answer_of, history, resulted, said, with_history
from dap_ai.debuggees.runs.readers.shapes import array, decoded, table

_TEXTS = ("text", "output_text")
_CALLS = ("function_call", "custom_tool_call", "tool_use")


class CannotEdit(ValueError):  # noqa: N818  what it says of an order
    """What is held is nothing that could be changed so; the text says why."""


class Kept(msgspec.Struct):
    """Edits that concern later requests, too: results by the id of their call, and words behind so many messages."""

    results: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    notes: list[tuple[bytes, int, str]] = msgspec.field(default_factory=list[tuple[bytes, int, str]])
    """The first message of the conversation, the place, the words."""

    def applied(self, api: Api, body: bytes) -> bytes | None:
        """A request with the edits that concern it; None: none does. Only looks closer where there is one."""
        if not self.notes and not any(call.encode() in body for call in self.results):
            return None
        if not (fields := table(decoded(body))):
            return None
        before = messages = history(api, fields)
        for head, place, words in reversed(self.notes):
            if messages and len(messages) >= place and _name(messages[0]) == head:
                messages = said(api, messages, place, words)
        for call_id, text in self.results.items():
            messages = resulted(messages, call_id, text)
        return None if messages == before else msgspec.json.encode(with_history(api, fields, messages))

    def say(self, api: Api, body: bytes, text: str) -> None:
        """Words behind all that a request says."""
        messages = history(api, msgspec.json.decode(body, type=dict[str, Any]))
        self.notes.append((_name(messages[0]) if messages else b"", len(messages), text))


def _name(message: Any) -> bytes:
    return msgspec.json.encode(message)


def with_fields(body: bytes, fields: Any) -> bytes:
    """A request with other values of some of its fields. Raises CannotEdit."""
    if not isinstance(fields, dict):
        raise CannotEdit("a request is a JSON object: its fields are what can be given")
    return msgspec.json.encode({**msgspec.json.decode(body, type=dict[str, Any]), **cast("dict[str, Any]", fields)})


def in_the_models_place(api: Api, body: bytes, text: str) -> dict[str, Any]:
    """An answer of that text alone."""
    model = table(decoded(body)).get("model")
    return answer_of(api, text, model if isinstance(model, str) else "none")


def with_text(api: Api, value: Any, text: str) -> Any:
    """An answer that says another text, and makes the same calls."""
    row = table(value)
    if api == "chat":
        return {**row, "choices": [_message(choice, {"content": text}) for choice in map(table, array(row["choices"]))]}
    if api == "messages":
        return {**row, "content": _one_text(array(row.get("content")), {"type": "text", "text": text})}
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    items = [table(each) for each in array(row.get("output"))]
    item = next((each for each in items if each.get("type") == "message"), table(None))
    fresh = {
        "type": "message",
        "id": "msg_dap_ai",
        "role": "assistant",
        "status": "completed",
        **item,
        "content": [part],
    }
    return {**row, "output": _one_text(array(row.get("output")), fresh, ("message",))}


def _one_text(parts: Sequence[Any], fresh: Mapping[str, Any], kinds: Sequence[str] = _TEXTS) -> list[Any]:
    """The parts with one text in the place of all: of the first, else before the first call."""
    told = [place for place, each in enumerate(parts) if table(each).get("type") in kinds]
    at = told[0] if told else next((n for n, each in enumerate(parts) if table(each).get("type") in _CALLS), len(parts))
    kept = [each for place, each in enumerate(parts) if place not in told]
    at -= sum(place < at for place in told)
    return [*kept[:at], fresh, *kept[at:]]


def _message(choice: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**choice, "message": {**table(choice.get("message")), **fields}}


def with_call(value: Any, call_id: str, tool: Any, arguments: Any) -> Any:
    """An answer with another tool, or other arguments, of one call; UNSET is as it was. Raises CannotEdit."""
    found = _called(value, call_id, lambda call: _other(call, tool, arguments))
    if found == value and not _has(value, call_id):
        raise CannotEdit(f"the answer has no call {call_id}")
    return found


def without_call(api: Api, value: Any, call_id: str) -> Any:
    """An answer that does not make one of its calls."""
    found = _called(value, call_id, lambda _: None)
    row = table(found)
    if api == "chat":
        choices: list[Any] = []
        for choice in map(table, array(row.get("choices"))):
            message = dict(table(choice.get("message")))
            if message.get("tool_calls") == []:
                del message["tool_calls"]
                choices.append({**choice, "message": {**message, "content": message.get("content") or ""}} | _STOPPED)
            else:
                choices.append(choice)
        return {**row, "choices": choices}
    left = any(table(each).get("type") in _CALLS for each in array(row.get("content") or row.get("output")))
    return row if left or api != "messages" else {**row, "stop_reason": "end_turn"}


_STOPPED = {"finish_reason": "stop"}


def _called(value: Any, call_id: str, changed: Callable[[Mapping[str, Any]], Any]) -> Any:
    """The value with one call changed wherever it stands; None takes it out."""
    if isinstance(value, list):
        found = [_called(each, call_id, changed) for each in array(cast("Any", value))]
        return [
            each for each, old in zip(found, cast("list[Any]", value), strict=True) if each is not None or old is None
        ]
    if isinstance(value, dict):
        row = table(cast("Any", value))
        return changed(row) if _is(row, call_id) else {key: _called(row[key], call_id, changed) for key in row}
    return value


def _is(row: Mapping[str, Any], call_id: str) -> bool:
    is_call = row.get("type") in _CALLS or "function" in row
    return is_call and call_id in (row.get("call_id"), row.get("id"))


def _has(value: Any, call_id: str) -> bool:
    met = [False]

    def meet(row: Mapping[str, Any]) -> Mapping[str, Any]:
        met[0] = True
        return row

    _called(value, call_id, meet)
    return met[0]


def _other(call: Mapping[str, Any], tool: Any, arguments: Any) -> Mapping[str, Any]:
    """Arguments in the form in which the call has them: as JSON text, or as a value."""
    inner = dict(table(call.get("function"))) if "function" in call else dict(call)
    if tool is not msgspec.UNSET:
        inner["name"] = tool
    if arguments is not msgspec.UNSET:
        key = "input" if "input" in inner else "arguments"
        is_text = isinstance(inner.get(key), str)
        inner[key] = (
            msgspec.json.encode(arguments).decode() if is_text and not isinstance(arguments, str) else arguments
        )
    return {**call, "function": inner} if "function" in call else inner


def with_result(api: Api, body: bytes, call_id: str, text: str) -> bytes:
    """A request that tells another result of a call."""
    fields = msgspec.json.decode(body, type=dict[str, Any])
    return msgspec.json.encode(with_history(api, fields, resulted(history(api, fields), call_id, text)))


def with_words(api: Api, body: bytes, text: str) -> bytes:
    """A request with a user's words behind all that it says."""
    fields = msgspec.json.decode(body, type=dict[str, Any])
    messages = history(api, fields)
    return msgspec.json.encode(with_history(api, fields, said(api, messages, len(messages), text)))
