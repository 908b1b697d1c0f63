"""A message whose envelope is known and whose `arguments` or `body` stay the bytes that came.

Every top-level key survives, known or not (js-debug adds `sessionId`), and what is not rewritten is byte-exact.
Four fields of DAP carry a seq: `seq`, `request_seq`, `cancel.arguments.requestId`, `progressStart.body.requestId`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec

from dap_ai.protocol.wire.errors import ErrorEntry, RemoteProtocolError
from dap_ai.protocol.wire.visible import visible
from dap_ai.protocol.wire.within import within

T = TypeVar("T")

_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encoder = msgspec.json.Encoder()
_LONE_SURROGATE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""Escaped backslashes and surrogate pairs, to step over them; group 1: a surrogate alone. Python's json writes them."""


_NULL = msgspec.Raw(b"null")


class _Head(msgspec.Struct):
    """What the envelope itself says. `seq` is absent in Helix's responses and 0 in many first requests."""

    type: Literal["request", "response", "event"]
    seq: int = 0
    command: str = ""
    event: str = ""
    request_seq: int = -1
    success: bool = False


_decode_head = msgspec.json.Decoder(_Head).decode
_LARGE_BYTES = 8192
"""From here on a message is gone through once, not twice."""


def _decode(body: bytes) -> tuple[_Head, dict[str, msgspec.Raw]]:
    fields = _decode_fields(body)
    if len(body) < _LARGE_BYTES:
        return _decode_head(body), fields
    return _decode_head(
        _encoder.encode({name: fields[name] for name in _Head.__struct_fields__ if name in fields})
    ), fields


class Envelope:
    """One DAP message. `kind` is request, response or event; `name` its command or event."""

    __slots__ = ("_fields", "kind", "name", "request_seq", "seq", "success")

    def __init__(self, fields: dict[str, msgspec.Raw], head: _Head) -> None:
        self._fields = fields
        self.kind = head.type
        self.name = head.event if head.type == "event" else head.command
        self.seq = head.seq
        self.request_seq = head.request_seq
        self.success = head.success

    @classmethod
    def parse(cls, body: bytes) -> Envelope:
        """Raises RemoteProtocolError if `body` is not a DAP message."""
        try:
            try:
                head, fields = _decode(body)
            except msgspec.DecodeError:  # a lone surrogate, as in a file name that is no UTF-8, is worth a second look
                body = _LONE_SURROGATE.sub(lambda found: rb"\ufffd" if found[1] else found[0], body)
                head, fields = _decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise RemoteProtocolError(f"not a DAP message ({error}): {body[:200]!r}") from error
        if head.type == "response" and head.request_seq < 0:
            raise RemoteProtocolError(f"a response without request_seq: {body[:200]!r}")
        if not (head.event if head.type == "event" else head.command):
            raise RemoteProtocolError(f"a {head.type} without a name: {body[:200]!r}")
        return cls(fields, head)

    @property
    def content(self) -> bytes:
        """The bytes of `arguments` or `body`; empty if there are none."""
        raw = self._raw
        return b"" if raw is None else bytes(raw)

    @property
    def _raw(self) -> msgspec.Raw | None:
        return self._fields.get("arguments" if self.kind == "request" else "body")

    def beginning(self) -> bytes:
        """`arguments` or `body`; of one that is too large only what is needed of it (within.py).

        Raises RemoteProtocolError.
        """
        raw = self._raw
        try:
            return b"{}" if raw is None or raw == _NULL else within(raw)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise RemoteProtocolError(f"not an object: {error}") from error

    def read(self, shape: type[T]) -> T:
        """`arguments` or `body` as `shape`; raises RemoteProtocolError if they do not fit."""
        raw = self._raw  # not a copy of it: it may be large
        return decode(b"{}" if raw is None or raw == _NULL else raw, shape)

    def field(self, name: str, default: T) -> T:
        """Top-level field `name` if it has `default`'s type, else `default`."""
        raw = self._fields.get(name)
        if raw is None:
            return default
        try:
            return msgspec.json.decode(raw, type=type(default))
        except (msgspec.MsgspecError, RecursionError):
            return default

    def encode(
        self, *, seq: int, request_seq: int | None = None, content: bytes | None = None, command: str | None = None
    ) -> bytes:
        """The message with a new `seq`, and `request_seq`, arguments or body, and `command` replaced where given."""
        fields = dict(self._fields)
        fields["seq"] = msgspec.Raw(b"%d" % seq)
        if request_seq is not None:
            fields["request_seq"] = msgspec.Raw(b"%d" % request_seq)
        if content is not None:
            fields["arguments" if self.kind == "request" else "body"] = msgspec.Raw(content)
        if command is not None:
            fields["command"] = msgspec.Raw(_encoder.encode(command))
        return _encoder.encode(fields)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} seq={self.seq}>"


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    """Made once for each shape: that takes longer than to read a small message."""
    return msgspec.json.Decoder(shape)


def decode(data: bytes | msgspec.Raw, shape: type[T]) -> T:
    """JSON as `shape`; raises RemoteProtocolError if it does not fit."""
    try:
        return _decoder(shape).decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RemoteProtocolError(f"not {getattr(shape, '__name__', shape)}: {error}") from error


def decode_or(data: bytes, shape: type[T], default: T) -> T:
    """JSON as `shape`; `default` if it does not fit."""
    try:
        return decode(data, shape)
    except RemoteProtocolError:
        return default


def encode(value: object) -> bytes:
    """`value` (structs, dicts, lists, strings, numbers) as JSON."""
    return _encoder.encode(value)


def request(seq: int, command: str, arguments: object = None) -> bytes:
    """A request; `arguments` None leaves the key out."""
    message: dict[str, object] = {"seq": seq, "type": "request", "command": command}
    if arguments is not None:
        message["arguments"] = arguments
    return _encoder.encode(message)


def response(seq: int, request_seq: int, command: str, body: object = None) -> bytes:
    """A successful response."""
    message: dict[str, object] = {
        "seq": seq,
        "type": "response",
        "request_seq": request_seq,
        "success": True,
        "command": command,
    }
    if body is not None:
        message["body"] = body
    return _encoder.encode(message)


def failure(seq: int, request_seq: int, command: str, entry: ErrorEntry, variables: Mapping[str, str]) -> bytes:
    """A failed response: `message` for programs, `body.error` (DAP's Message) for people."""
    # Who asks shows answers and refusals in one place: the editor's own message would be the same words again.
    shows = not (entry.is_known or command.startswith("ask"))
    error: dict[str, object] = {"id": entry.id, "format": entry.text, "showUser": shows}
    if variables:
        error["variables"] = {name: visible(text) for name, text in variables.items()}
    return _encoder.encode(
        {
            "seq": seq,
            "type": "response",
            "request_seq": request_seq,
            "success": False,
            "command": command,
            "message": entry.message,
            "body": {"error": error},
        }
    )


def event(seq: int, name: str, body: object = None) -> bytes:
    """An event."""
    message: dict[str, object] = {"seq": seq, "type": "event", "event": name}
    if body is not None:
        message["body"] = body
    return _encoder.encode(message)
