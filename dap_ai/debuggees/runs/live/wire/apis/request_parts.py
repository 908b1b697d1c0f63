"""Splits a model request into messages, tools and settings, and parses the model's answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec

from dap_ai.debuggees.runs.live.wire.apis import anthropic_messages, chat_completions, responses, sse
from dap_ai.debuggees.runs.readers.json_shapes import array, table

Api = Literal["chat", "responses", "messages"]
_PATHS: Sequence[tuple[str, Api]] = (
    ("/chat/completions", "chat"),
    ("/responses", "responses"),
    ("/messages", "messages"),
)
_ASSEMBLED: Mapping[Api, Callable[[Iterable[Mapping[str, Any]]], dict[str, Any]]] = {
    "chat": chat_completions.assembled,
    "responses": responses.assembled,
    "messages": anthropic_messages.assembled,
}
_HISTORY: Mapping[Api, str] = {"chat": "messages", "responses": "input", "messages": "messages"}
_SYSTEM: Mapping[Api, str] = {"chat": "", "responses": "instructions", "messages": "system"}


class ParsedRequest(NamedTuple):
    """The parts of a request."""

    messages: Sequence[bytes]
    """Messages, each as JSON; separate instructions come first, with the role `system`."""
    tools: bytes
    """Offered tools as JSON; empty without tools."""
    settings: Mapping[str, Any]
    """All other fields: model, temperature, stream, ..."""


def api_of(method: str, path: str) -> Api | None:
    """Return the API that a request addresses; None if unknown. `path` has no query string."""
    if method != "POST":
        return None
    return next((api for end, api in _PATHS if path.rstrip("/").endswith(end)), None)


def taken_apart(api: Api, body: bytes) -> ParsedRequest:
    """Parse a request. Raises ValueError if it isn't a JSON object or its messages aren't a list."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    history = bytes(fields.pop(_HISTORY[api], b"[]"))
    system = bytes(fields.pop(_SYSTEM[api], b"") if _SYSTEM[api] else b"")
    tools = bytes(fields.pop("tools", b""))
    if history[:1] == b'"':  # `input` given as a string
        parts = [b'{"role":"user","content":' + history + b"}"]
    else:
        parts = [_plain(bytes(raw)) for raw in msgspec.json.decode(history, type=list[msgspec.Raw])]
    if system not in (b"", b"null", b'""', b"[]"):
        parts = [b'{"role":"system","content":' + _plain(system) + b"}", *parts]
    settings = {name: msgspec.json.decode(value) for name, value in fields.items()}
    return ParsedRequest(parts, b"" if tools in (b"null", b"[]") else _plain(tools), settings)


def answer(api: Api, body: bytes, *, streamed: bool) -> Any:
    """Return the answer as JSON, assembled if streamed. An answer that isn't JSON is returned as a string."""
    if streamed:
        return _ASSEMBLED[api](sse.objects(body))
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace")


def _plain(value: bytes) -> bytes:
    """Remove cache marks, which move from one message to the next while the text stays the same."""
    if b'"cache_control"' not in value:
        return value
    return msgspec.json.encode(_unmarked(msgspec.json.decode(value)))


def _unmarked(value: Any) -> Any:
    """Remove cache marks from messages, tools and nested blocks, but not from a call's arguments."""
    if isinstance(value, list):
        return [_unmarked(item) for item in array(cast("Any", value))]
    if not isinstance(value, dict):
        return value
    found = {key: item for key, item in table(cast("Any", value)).items() if key != "cache_control"}
    return {**found, "content": _unmarked(found["content"])} if "content" in found else found
