"""Events and effects as JSON objects, and events back again: what a wire log is made of.

    {"event": "FromClient", "message": {"seq": 1, "type": "request", "command": "threads"}}
    {"effect": "SetTimer", "data": {"id": "limit", "seconds": 120.0}}

`message` is a DAP message, or the body of one for the agent; `raw` the text of what is none; `data` holds the other
fields, but those with their default. It is all made from the fields' types: a new event needs nothing here.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast, get_args, get_type_hints

import msgspec

from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.backend import BackendRules
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError, RequestFailed

Row = dict[str, Any]
"""A line of a wire log."""
MAX_CONTENT_BYTES = 1 << 20
"""The arguments or the body of a message that has more are left out: `omitted_bytes` says how many there were."""
_EVENTS: dict[str, type[NamedTuple]] = {each.__name__: each for each in get_args(Event)}
_EFFECTS: dict[str, type[NamedTuple]] = {each.__name__: each for each in get_args(Effect)}
_BODY = "body"
_STRUCT = "struct"
"""Beside the fields of a struct, where the type of the field leaves open which one it is."""


class JournalError(ValueError):
    """A line is not part of a wire log, or not of one that this version can read; the text says why."""


# -- written --------------------------------------------------------------------------------------------------------


def row_of(item: Event | Effect) -> Row:
    """An event or an effect as a line. Secrets are still in it."""
    kind = type(item)
    row: Row = {"event" if kind.__name__ in _EVENTS else "effect": kind.__name__}
    data: Row = {}
    for field, hint in _hints(kind).items():
        value = getattr(item, field)
        if field == _BODY:
            row |= _body_row(value, as_event=kind.__name__ in _EVENTS)
        elif field not in item._field_defaults or item._field_defaults[field] != value:
            data[field] = _plain(value, hint)
    return row | ({"data": data} if data else {})


def rules_row(rules: BackendRules) -> Row:
    """A backend's rules, as `rules`: in the first line, and before the event that tells more of the backend."""
    return {"rules": msgspec.to_builtins({name: _sorted(getattr(rules, name)) for name in _rule_types()})}


def options_row(options: SessionOptions) -> Row:
    """A session's options, as `options`."""
    return {"options": msgspec.to_builtins(options)}


def _sorted(value: Any) -> Any:
    return sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value


def _body_row(body: bytes, *, as_event: bool) -> Row:
    """A body that the session cannot read is kept to the letter: it may quote it."""
    if not body:
        return {}
    try:
        content = Envelope.parse(body).content
    except RemoteProtocolError:
        if as_event:
            return _raw_row(body)
        if len(body) > MAX_CONTENT_BYTES:  # for the agent, which is told the content alone
            return {"omitted_bytes": len(body)}
        content = b""
    if len(content) > MAX_CONTENT_BYTES:
        return {"message": _without_content(body), "omitted_bytes": len(content)}
    try:
        return {"message": json.loads(body.decode("utf-8", "replace"))}
    except (ValueError, RecursionError):
        return _raw_row(body)


def _raw_row(body: bytes) -> Row:
    row: Row = {"raw": body[:MAX_CONTENT_BYTES].decode("utf-8", "surrogateescape")}
    return row if len(body) <= MAX_CONTENT_BYTES else row | {"omitted_bytes": len(body) - MAX_CONTENT_BYTES}


def _without_content(body: bytes) -> Row:
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    whole = {name: bytes(raw) for name, raw in fields.items() if name not in ("arguments", "body")}
    return {name: msgspec.json.decode(raw) for name, raw in whole.items() if len(raw) <= MAX_CONTENT_BYTES}


def _plain(value: Any, hint: Any) -> Any:
    if isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    plain = msgspec.to_builtins(value, enc_hook=_plain_other)
    return {_STRUCT: type(value).__name__, **plain} if _structs(hint) else plain


def _plain_other(value: Any) -> Any:
    if isinstance(value, RequestFailed):
        return {_STRUCT: type(value).__name__, **{name: getattr(value, name) for name in _ERROR_FIELDS}}
    if isinstance(value, msgspec.Raw):
        return json.loads(bytes(value))
    raise NotImplementedError(f"{type(value).__name__} in an event or effect")


_ERROR_FIELDS = ("command", "message", "user_text")

# -- read -----------------------------------------------------------------------------------------------------------


def event_of(row: Mapping[str, Any]) -> Event:
    """The event of a line. Raises JournalError."""
    name = row.get("event")
    kind = _EVENTS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise JournalError(f"this dap_ai knows no event '{name}'")
    data: Row = row.get("data", {})
    values: Row = {}
    try:
        for field, hint in _hints(kind).items():
            if field == _BODY:
                values[field] = _body_of(row)
            elif field in data:
                values[field] = _typed(data[field], hint)
        return cast("Callable[..., Event]", kind)(**values)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise JournalError(f"not the event {name} as this dap_ai knows it: {error}") from error


def check_effect(row: Mapping[str, Any]) -> None:
    """Raises JournalError if this version has no such effect."""
    if row.get("effect") not in _EFFECTS:
        raise JournalError(f"this dap_ai knows no effect '{row.get('effect')}'")


class RecordedRules:
    """See BackendRules: those of a recorded session. `then`: once the backend had told more of itself."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.then: RecordedRules | None = None
        for name, hint in _rule_types().items():
            setattr(self, name, _typed(fields[name], hint) if name in fields else _nothing(hint))

    def announced(self, names: Iterable[str]) -> RecordedRules:  # noqa: ARG002  what came of them was recorded
        """As it was recorded."""
        return self.then or self

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no rule '{name}' was recorded")


def _nothing(hint: Any) -> Any:
    """The value of a rule that the log's dap_ai did not have."""
    candidates: tuple[Any, ...] = (None, False, (), {})
    for empty in candidates:
        with contextlib.suppress(msgspec.ValidationError):
            return msgspec.convert(empty, hint)
    return None


def rules_of(row: Mapping[str, Any]) -> RecordedRules:
    """The rules of a line. Raises JournalError."""
    try:
        return RecordedRules(row["rules"])
    except (LookupError, TypeError, ValueError) as error:
        raise JournalError(f"not rules as this dap_ai knows them: {error}") from error


def options_of(row: Mapping[str, Any]) -> SessionOptions:
    """The options of a line. Raises JournalError."""
    try:
        return msgspec.convert(row["options"], SessionOptions)
    except (LookupError, TypeError, ValueError) as error:
        raise JournalError(f"not options as this dap_ai knows them: {error}") from error


def _body_of(row: Mapping[str, Any]) -> bytes:
    if "raw" in row:
        return str(row["raw"]).encode("utf-8", "surrogateescape")
    return json.dumps(row["message"]).encode() if "message" in row else b""


def _typed(value: Any, hint: Any) -> Any:
    if hint is bytes:
        return value.encode() if isinstance(value, str) else json.dumps(value).encode()
    if structs := _structs(hint):
        fields = dict(value)
        return msgspec.convert(fields, structs[fields.pop(_STRUCT, "")])
    return value if hint == dict[str, object] else msgspec.convert(value, hint)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


@cache
def _rule_types() -> Mapping[str, Any]:
    """The rules of a backend, by name."""
    greeting: Any = vars(BackendRules)["greeting"]
    return {**get_type_hints(BackendRules), "greeting": get_type_hints(greeting.fget)["return"]}


@cache
def _structs(hint: Any) -> Mapping[str, Any]:
    """The structs that a field may hold, if there are several."""
    found = {
        each.__name__: each for each in get_args(hint) if isinstance(each, type) and issubclass(each, msgspec.Struct)
    }
    return found if len(found) > 1 else {}
