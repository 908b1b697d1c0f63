"""Masks the secrets in a session's recording: a text that is masked in an event is masked in its effects too.

Omits the agent's evaluations and their results, and records only their length (`<1234 characters>`). They may contain
secrets in forms that only the agent recognises, and the session does not read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from dap_ai.adapter.recording.journal import Row, row_of
from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.protocol.wire.safe import Safe, SafeJson, as_it_is

SafeRow = dict[Safe, SafeJson]
"""A line of a session's recording (wire log) without secrets."""
_CONTENT = frozenset({"message", "raw", "data"})
_ENVELOPE = frozenset({"seq", "type", "command", "event", "request_seq", "success"})
_IDS = frozenset({"ask_id", "token", "id", "command", "kind", "category", "guest", "session_id"})
"""Fields of events and effects that the session compares or looks up. dap_ai sets them to values without secrets."""
_VALUED = frozenset({"evaluate", "setVariable", "setExpression"})
"""Requests that name a value and whose response contains that value."""
_NAMED = (("expression", "value"), ("expression", "result"), ("text", "result"))
"""Pairs of field names: the first field contains a value's name, the second the value."""
_TOKEN = "dapAiToken"  # noqa: S105  the name of a launch argument
_OPTION_TOKENS = ("token", "child_token")
_MAX_DEPTH = 100
"""Depth of nested values down to which tokens are masked. The masker omits deeper values."""


class JsonMasker(Protocol):
    """Hides secrets in JSON values and strings, as dap_ai.agent.masking.mask.Masker does."""

    def mask_json(self, value: object, name: str = "") -> SafeJson:
        """Return a copy of a JSON value without secrets. `name` is the variable or field that holds the value."""
        ...

    def mask_value(self, name: str, value: str) -> Safe:
        """Return a value's text without secrets. `name` is the value's name or expression."""
        ...

    def placeholder(self, secret: str) -> Safe:
        """Return the placeholder that replaces this secret."""
        ...


class Recorder:
    """Converts events and effects of one session to lines without secrets."""

    def __init__(self, masks: JsonMasker) -> None:
        self._masks = masks
        self._names: dict[int, str] = {}
        """Maps the backend seq of a request to the name of the value that its response contains."""
        self._read: set[int] = set()
        """Backend seqs of the agent's evaluations that wait for a response."""
        self._wanted: set[int] = set()
        """Hashes of the expressions that the agent has requested to evaluate."""
        self._passed: tuple[object, SafeJson] = (None, None)
        """The current event's arguments or body, original and masked. Most effects pass the same content on."""

    def header(self, header: Row) -> SafeRow:
        """Return the masked first line of a recording."""
        return {name: self._field(name, value) for name, value in _items(header)}

    def rows(self, items: Iterable[Event | Effect | Row]) -> list[SafeRow]:
        """Return the masked lines of an event and its effects. Items may already be lines."""
        self._passed = (None, None)
        return [self._masked(item if isinstance(item, dict) else row_of(item)) for item in items]

    def _masked(self, row: Row) -> SafeRow:
        where = str(row.get("event") or row.get("effect"))
        masked: SafeRow = {name: _ours(value) for name, value in _items(row) if name not in _CONTENT}
        if "message" in row:
            content: object = row["message"]
            message = _fields(content)
            is_content = where == "ToAgent" or message is None
            masked["message"] = self._content(content) if is_content else self._message(where, message or {})
        if "raw" in row:
            masked["raw"] = self._masks.mask_json(str(row["raw"]))
        if data := _fields(row.get("data")):
            if where == "AgentRequest" and data["command"] == "evaluate":
                data = self._without_expression(data)
            said: SafeRow = {
                name: _ours(value) if name in _IDS else self._field(name, value) for name, value in _items(data)
            }
            masked["data"] = said
        return masked

    # -- DAP messages -----------------------------------------------------------------------------------------------

    def _message(self, where: str, message: Row) -> SafeRow:
        name = self._name(where, message)
        whole = self._without_reads(where, message)
        masked: SafeRow = {k: _ours(v) if k in _ENVELOPE else self._part(k, v, name) for k, v in _items(whole)}
        if self._passed[0] is None:
            self._passed = (_content_of(message), masked.get("arguments" if message["type"] == "request" else "body"))
        return masked

    def _part(self, key: str, value: object, name: str) -> SafeJson:
        return self._content(value, name) if key in ("arguments", "body") else self._masks.mask_json(value, key)

    def _content(self, content: object, name: str = "") -> SafeJson:
        if content is not None and content == self._passed[0]:
            return self._passed[1]
        if fields := _fields(content):
            content = fields = self._without_token(fields)
            for key in ("result", "value"):
                if name and isinstance(value := fields.get(key), str):
                    _hide(fields, key, self._masks.mask_value(name, value))
        return self._masks.mask_json(content)

    def _name(self, where: str, message: Row) -> str:
        """Return the expression or variable name of the value in this message; empty if the message has no value."""
        if message["type"] == "response" and where == "FromBackend":
            return self._names.pop(message["request_seq"], "")
        arguments = _fields(message.get("arguments"))
        if message.get("command") not in _VALUED or arguments is None:
            return ""
        name = str(arguments.get("expression") or arguments.get("name") or "")
        if where == "ToBackend" and name:
            self._names[message["seq"]] = name
        return name

    # -- the agent's evaluations -------------------------------------------------------------------------------------

    def _without_expression(self, data: Row) -> Row:
        arguments = _fields(data.get("arguments")) or {}
        expression = arguments.get("expression")
        if not isinstance(expression, str):
            return data
        self._wanted.add(hash(expression))
        return data | {"arguments": arguments | {"expression": _left_out(expression)}}

    def _without_reads(self, where: str, message: Row) -> Row:
        if where == "ToBackend" and message.get("command") == "evaluate":
            arguments = _fields(message.get("arguments")) or {}
            expression = arguments.get("expression")
            if isinstance(expression, str) and hash(expression) in self._wanted:
                self._wanted.discard(hash(expression))
                self._names.pop(message["seq"], None)
                self._read.add(message["seq"])
                return message | {"arguments": arguments | {"expression": _left_out(expression)}}
        elif where == "FromBackend" and message.get("request_seq") in self._read:
            self._read.discard(message["request_seq"])
            body = _fields(message.get("body")) or {}
            if "result" in body:
                return message | {"body": body | {"result": _left_out(body["result"])}}
        return message

    # -- dap_ai's own fields ----------------------------------------------------------------------------------------

    def _field(self, name: str, value: object) -> SafeJson:
        if (fields := _fields(value)) is not None:
            value = fields = self._without_token(fields)
            if name == "options":
                for key in filter(fields.get, _OPTION_TOKENS):
                    _hide(fields, key, self._masks.placeholder(str(fields[key])))
        return self._masks.mask_json(self._by_names(value))

    def _by_names(self, value: object) -> object:
        """Return a copy whose values are masked according to the names in neighbouring fields."""
        if isinstance(value, list):
            return [self._by_names(each) for each in cast("list[Any]", value)]
        if (fields := _fields(value)) is None:
            return value
        fields = {name: self._by_names(each) for name, each in fields.items()}
        for named, of in _NAMED:
            if isinstance(name := fields.get(named), str) and isinstance(value := fields.get(of), str):
                _hide(fields, of, self._masks.mask_value(name, value))
        return fields

    def _without_token(self, value: Any, depth: int = 0) -> Any:
        """Return a copy in which all tokens are masked. Equal tokens get equal placeholders."""
        if depth > _MAX_DEPTH:
            return value
        if isinstance(value, list):
            return [self._without_token(each, depth + 1) for each in cast("list[Any]", value)]
        if (fields := _fields(value)) is None:
            return value
        copy = {key: self._without_token(each, depth + 1) for key, each in fields.items()}
        if fields.get(_TOKEN):
            _hide(copy, _TOKEN, self._masks.placeholder(str(fields[_TOKEN])))
        return copy


def _fields(value: Any) -> Row | None:
    return cast("Row", value) if isinstance(value, dict) else None


def _items(row: Row) -> Iterator[tuple[Safe, object]]:
    """Yield a line's fields as (name, value). DAP or dap_ai defines the names, so they need no masking."""
    return ((as_it_is(name), value) for name, value in row.items())


def _ours(value: object) -> SafeJson:
    """Return a value unmasked, because the session compares the value or looks it up."""
    return cast("SafeJson", value)


def _hide(fields: Row, key: str, masked: Safe) -> None:
    fields[key] = masked


def _content_of(message: Row) -> object:
    return message.get("arguments" if message["type"] == "request" else "body")


def _left_out(text: object) -> str:
    return f"<{len(str(text))} characters>"
