"""Converts a session's events and effects to the JSON lines of its recording, and lines back to events.

    {"event": "FromClient", "message": {"seq": 1, "type": "request", "command": "threads"}}
    {"effect": "SetTimer", "data": {"id": "limit", "seconds": 120.0}}

`message` is a DAP message, or the body of a message for the agent. `raw` is the text of a message that is not DAP.
`data` holds the other fields, except fields with default values. The code reads the types of the fields, so a new event
needs no code here.
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
"""A line of a session's recording (wire log)."""
MAX_CONTENT_BYTES = 1 << 20
"""Size above which a message's arguments or body are omitted. `omitted_bytes` records their size."""
_EVENTS: dict[str, type[NamedTuple]] = {each.__name__: each for each in get_args(Event)}
_EFFECTS: dict[str, type[NamedTuple]] = {each.__name__: each for each in get_args(Effect)}
_BODY = "body"
_STRUCT = "struct"
"""Key under which a struct's type name is stored if its field allows several struct types."""


class JournalError(ValueError):
    """Raised if this version of dap_ai cannot read a line of a wire log. The message gives the reason."""


# -- writing --------------------------------------------------------------------------------------------------------


def row_of(item: Event | Effect) -> Row:
    """Convert an event or effect to a line of a wire log. The line still contains secrets."""
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
    """Convert a backend's rules to a line of a wire log.

    The header contains the first rules. A later line precedes the event that announces more about the backend.
    """
    return {"rules": msgspec.to_builtins({name: _sorted(getattr(rules, name)) for name in _rule_types()})}


def options_row(options: SessionOptions) -> Row:
    """Convert a session's options to an object with the key `options`."""
    return {"options": msgspec.to_builtins(options)}


def _sorted(value: Any) -> Any:
    return sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value


def _body_row(body: bytes, *, as_event: bool) -> Row:
    """Convert a message body. If the session cannot parse a body, keep its text, because effects may quote the text."""
    if not body:
        return {}
    try:
        content = Envelope.parse(body).content
    except RemoteProtocolError:
        if as_event:
            return _raw_row(body)
        if len(body) > MAX_CONTENT_BYTES:  # for the agent, which gets the content only
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

# -- reading --------------------------------------------------------------------------------------------------------


def event_of(row: Mapping[str, Any]) -> Event:
    """Convert a line of a wire log to its event. Raises JournalError."""
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
    """Raise JournalError if this version of dap_ai does not know the effect in this line."""
    if row.get("effect") not in _EFFECTS:
        raise JournalError(f"this dap_ai knows no effect '{row.get('effect')}'")


class RecordedRules:
    """The BackendRules of a recorded session. `then` holds the rules after the backend's next announcement."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.then: RecordedRules | None = None
        for name, hint in _rule_types().items():
            setattr(self, name, _typed(fields[name], hint) if name in fields else _nothing(hint))

    def announced(self, names: Iterable[str]) -> RecordedRules:  # noqa: ARG002  the result is recorded
        """Return the rules that were recorded after the backend's announcement."""
        return self.then or self

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no rule '{name}' was recorded")


def _nothing(hint: Any) -> Any:
    """Return an empty value for a rule that is missing in the recording."""
    candidates: tuple[Any, ...] = (None, False, (), {})
    for empty in candidates:
        with contextlib.suppress(msgspec.ValidationError):
            return msgspec.convert(empty, hint)
    return None


def rules_of(row: Mapping[str, Any]) -> RecordedRules:
    """Convert a line of a wire log to a backend's rules. Raises JournalError."""
    try:
        return RecordedRules(row["rules"])
    except (LookupError, TypeError, ValueError) as error:
        raise JournalError(f"not rules as this dap_ai knows them: {error}") from error


def options_of(row: Mapping[str, Any]) -> SessionOptions:
    """Convert a line of a wire log to a session's options. Raises JournalError."""
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
    """Return the types of a backend's rules by the names of the rules."""
    greeting: Any = vars(BackendRules)["greeting"]
    return {**get_type_hints(BackendRules), "greeting": get_type_hints(greeting.fget)["return"]}


@cache
def _structs(hint: Any) -> Mapping[str, Any]:
    """Return the struct types that a field allows, by name; empty if the field allows at most one."""
    found = {
        each.__name__: each for each in get_args(hint) if isinstance(each, type) and issubclass(each, msgspec.Struct)
    }
    return found if len(found) > 1 else {}
