"""A DAP message with a parsed envelope, whose `arguments` or `body` remain the received bytes.

An Envelope keeps every top-level key, even unknown keys (js-debug adds `sessionId`). Parts that are not rewritten stay
byte-exact. Four fields of DAP contain a sequence number: `seq`, `request_seq`, `cancel.arguments.requestId`, and
`progressStart.body.requestId`.
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
"""Matches escaped backslashes and surrogate pairs, to skip them, and in group 1 a lone surrogate, which Python's json
module may write."""


_NULL = msgspec.Raw(b"null")


class _Head(msgspec.Struct):
    """The fields of a DAP message's envelope.

    `seq` is absent in Helix's responses and 0 in many clients' first requests.
    """

    type: Literal["request", "response", "event"]
    seq: int = 0
    command: str = ""
    event: str = ""
    request_seq: int = -1
    success: bool = False


_decode_head = msgspec.json.Decoder(_Head).decode
_LARGE_BYTES = 8192
"""Size in bytes from which a message is parsed once instead of twice."""


def _decode(body: bytes) -> tuple[_Head, dict[str, msgspec.Raw]]:
    fields = _decode_fields(body)
    if len(body) < _LARGE_BYTES:
        return _decode_head(body), fields
    return _decode_head(
        _encoder.encode({name: fields[name] for name in _Head.__struct_fields__ if name in fields})
    ), fields


class Envelope:
    """One DAP message. `kind` is request, response or event. `name` is the name of its command or event."""

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
        """Parse a DAP message. Raises RemoteProtocolError if `body` is not a DAP message."""
        try:
            try:
                head, fields = _decode(body)
            except msgspec.DecodeError:  # may be a lone surrogate, as in a file name that is not UTF-8
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
        """Received bytes of `arguments` or `body`; empty if the message has neither."""
        raw = self._raw
        return b"" if raw is None else bytes(raw)

    @property
    def _raw(self) -> msgspec.Raw | None:
        return self._fields.get("arguments" if self.kind == "request" else "body")

    def beginning(self) -> bytes:
        """Return the bytes of `arguments` or `body`. A very large object is shortened as within.py describes.

        Raises RemoteProtocolError if the content is not an object.
        """
        raw = self._raw
        try:
            return b"{}" if raw is None or raw == _NULL else within(raw)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise RemoteProtocolError(f"not an object: {error}") from error

    def read(self, shape: type[T]) -> T:
        """Decode `arguments` or `body` as `shape`. Raises RemoteProtocolError if the content does not fit."""
        raw = self._raw  # not copied, since it may be large
        return decode(b"{}" if raw is None or raw == _NULL else raw, shape)

    def field(self, name: str, default: T) -> T:
        """Return the top-level field `name`, or `default` if the field is absent or has another type than `default`."""
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
        """Encode the message with a new `seq`.

        `request_seq`, `content` and `command` replace the message's own if given.
        """
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
    """Return the decoder of a shape, cached because making it takes longer than reading a small message."""
    return msgspec.json.Decoder(shape)


def decode(data: bytes | msgspec.Raw, shape: type[T]) -> T:
    """Decode JSON as `shape`. Raises RemoteProtocolError if the JSON does not fit."""
    try:
        return _decoder(shape).decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RemoteProtocolError(f"not {getattr(shape, '__name__', shape)}: {error}") from error


def decode_or(data: bytes, shape: type[T], default: T) -> T:
    """Decode JSON as `shape`, or return `default` if the JSON does not fit."""
    try:
        return decode(data, shape)
    except RemoteProtocolError:
        return default


def encode(value: object) -> bytes:
    """Encode `value` (structs, dicts, lists, strings, numbers) as JSON."""
    return _encoder.encode(value)


def request(seq: int, command: str, arguments: object = None) -> bytes:
    """Encode a DAP request. If `arguments` is None, the message has no such key."""
    message: dict[str, object] = {"seq": seq, "type": "request", "command": command}
    if arguments is not None:
        message["arguments"] = arguments
    return _encoder.encode(message)


def response(seq: int, request_seq: int, command: str, body: object = None) -> bytes:
    """Encode a successful DAP response. If `body` is None, the message has no such key."""
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
    """Encode a failed DAP response.

    `message` is for programs to test, `body.error` (DAP's Message) for people to read.
    """
    # An asking client already shows refusals where it shows answers: the editor's own message would repeat them.
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
    """Encode a DAP event. If `body` is None, the message has no such key."""
    message: dict[str, object] = {"seq": seq, "type": "event", "event": name}
    if body is not None:
        message["body"] = body
    return _encoder.encode(message)
