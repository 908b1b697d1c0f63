"""Edits of paused events: of a query's body, or of an answer as a JSON value. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.live.wire.apis import message_edits
from dap_ai.debuggees.runs.live.wire.apis.message_edits import (
    CALLS,
    answer_of,
    history,
    insert_user_text,
    resulted,
    with_messages,
)
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table

_TEXTS = ("text", "output_text")


class CannotEdit(ValueError):  # noqa: N818  named for what is wrong with an order
    """The paused event can't be changed that way; the message says why."""


class LastingEdits(msgspec.Struct):
    """Edits that later requests repeat: replaced results by call id, and texts inserted into a conversation."""

    results: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    notes: list[tuple[bytes, int, str]] = msgspec.field(default_factory=list[tuple[bytes, int, str]])
    """(first message of the conversation, number of messages before the text, text) of each inserted text."""

    def applied(self, api: Api, body: bytes) -> bytes | None:
        """Return the request with these edits; None if no edit applies. Parses the body only if an edit might apply."""
        is_concerned = self.notes or any(call.encode() in body for call in self.results)
        return with_messages(api, body, lambda messages: self._applied(api, messages)) if is_concerned else None

    def _applied(self, api: Api, messages: list[Any]) -> list[Any]:
        for head, place, words in reversed(self.notes):
            if messages and len(messages) >= place and _name(messages) == head:
                messages = insert_user_text(api, messages, place, words)
        for call_id, text in self.results.items():
            messages = resulted(messages, call_id, text)
        return messages

    def say(self, api: Api, body: bytes, text: str) -> bytes:
        """Append user text after the request's messages; return the new request."""
        messages = history(api, msgspec.json.decode(body, type=dict[str, Any]))
        self.notes.append((_name(messages), len(messages), text))
        return with_messages(api, body, lambda messages: insert_user_text(api, messages, len(messages), text)) or body


def _name(messages: Sequence[Any]) -> bytes:
    return msgspec.json.encode(messages[0]) if messages else b""


def with_fields(body: bytes, fields: Any) -> bytes:
    """Return a request with some of its fields replaced. Raises CannotEdit."""
    if not isinstance(fields, dict):
        raise CannotEdit("a request is a JSON object: its fields are what can be given")
    return msgspec.json.encode({**msgspec.json.decode(body, type=dict[str, Any]), **cast("dict[str, Any]", fields)})


def in_the_models_place(api: Api, body: bytes, text: str) -> dict[str, Any]:
    """Return an answer with only that text, in the format that the model's API uses."""
    model = table(decoded(body)).get("model")
    return answer_of(api, text, model if isinstance(model, str) else "none")


def with_text(api: Api, value: Any, text: str) -> Any:
    """Return an answer with its text replaced and its calls unchanged."""
    row = table(value)
    if api == "chat":
        choices = [(choice, table(choice.get("message"))) for choice in map(table, array(row["choices"]))]
        return {**row, "choices": [{**choice, "message": {**said, "content": text}} for choice, said in choices]}
    if api == "messages":
        return {**row, "content": _one_text(array(row.get("content")), {"type": "text", "text": text})}
    items = array(row.get("output"))
    fresh = table(array(answer_of(api, text, "")["output"])[0])
    item = next((each for each in map(table, items) if each.get("type") == "message"), fresh)
    return {**row, "output": _one_text(items, {**item, "content": fresh["content"]}, ("message",))}


def _one_text(parts: Sequence[Any], fresh: Mapping[str, Any], kinds: Sequence[str] = _TEXTS) -> list[Any]:
    """Replace all text parts by one, at the first text part's place or, without a text, before the first call."""
    told = [place for place, each in enumerate(parts) if table(each).get("type") in kinds]
    at = told[0] if told else next((n for n, each in enumerate(parts) if table(each).get("type") in CALLS), len(parts))
    kept = [each for place, each in enumerate(parts) if place not in told]
    at -= sum(place < at for place in told)
    return [*kept[:at], fresh, *kept[at:]]


def with_call(value: Any, call_id: str, tool: Any, arguments: Any) -> Any:
    """Replace the tool or arguments of one call in an answer; UNSET keeps the old value. Raises CannotEdit."""

    def other(call: Mapping[str, Any]) -> Mapping[str, Any]:
        if arguments is not msgspec.UNSET:
            call = message_edits.with_arguments(call, lambda old: _like(old, arguments))
        if tool is msgspec.UNSET:
            return call
        return (
            {**call, "function": {**call["function"], "name": tool}} if "function" in call else {**call, "name": tool}
        )

    found = message_edits.with_call(value, call_id, other)
    if found is None:
        raise CannotEdit(f"the answer has no call {call_id}")
    return found


def _like(old: Any, arguments: Any) -> Any:
    """Convert arguments to the form that the call uses: JSON text or a value."""
    is_text = isinstance(old, str) and not isinstance(arguments, str)
    return msgspec.json.encode(arguments).decode() if is_text else arguments


def without_call(api: Api, value: Any, call_id: str) -> Any:
    """Return an answer with one of its calls removed."""
    row = table(message_edits.with_call(value, call_id, lambda _: None) or value)
    if api == "chat":
        return {**row, "choices": [_without_no_calls(choice) for choice in map(table, array(row.get("choices")))]}
    left = any(table(each).get("type") in CALLS for each in array(row.get("content") or row.get("output")))
    return row if left or api != "messages" else {**row, "stop_reason": "end_turn"}


def _without_no_calls(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    message = dict(table(choice.get("message")))
    if message.pop("tool_calls", None) != []:
        return choice
    return {**choice, "message": {**message, "content": message.get("content") or ""}, "finish_reason": "stop"}
