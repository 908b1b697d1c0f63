r"""DAP's base protocol: `Content-Length: N`, an empty line, N bytes of JSON.

Source: https://microsoft.github.io/debug-adapter-protocol/overview#base-protocol. Rules that real peers made
necessary:

1. N counts bytes. Header names are case-insensitive; both `\r\n` and a bare `\n` end a header line.
2. There is exactly one `Content-Length`. Beside it only `Content-Type` may stand, which some clients' libraries write.
3. Adapters print junk on stdout between messages: see Lenient. Clients do not: see Exact.
4. A message above the limit, and a header block above its own, end the stream: the peer cannot be followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from dap_ai.protocol.wire.errors import RemoteProtocolError

MAX_HEADER_BYTES = 1024
"""A header block that is longer is none."""

MAX_JUNK_LINE_BYTES = 64 * 1024
"""Bytes without a line end after which an adapter's stream is given up."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Largest body that is read: above any real variables response, below what would exhaust a small machine."""

TOKEN_HEADER = "DAP-AI-Token"  # noqa: S105  the name of a header
"""Before a client's first message: see docs/protocol.md."""

_KEPT_JUNK_BYTES = 4096
_MAX_DIGITS = 18
_PLAIN = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
"""The header as nearly every message has it."""
_NAME = b"content-length"
_TYPE = b"content-type"
_TOKEN = TOKEN_HEADER.lower().encode()


def encode_header(length: int) -> bytes:
    """The header of a message of `length` bytes."""
    return b"Content-Length: %d\r\n\r\n" % length


def encode_frame(body: bytes) -> bytes:
    """`body`, a JSON message in UTF-8, with its header."""
    return encode_header(len(body)) + body


class Header:
    """A header block, line by line."""

    def __init__(self) -> None:
        self.length: int | None = None
        """Of the body; None: not told yet."""
        self.content_type: bytes | None = None
        """Read by nobody; None: it does not stand there."""
        self.size = 0
        """Bytes of its lines."""

    def take(self, line: bytes) -> bool:
        """Whether the line belongs to this block, and is in it now."""
        name, colon, value = line.partition(b":")
        name, value = name.lower(), value.strip(b" \t")
        self.size += len(line)
        if not colon or self.size > MAX_HEADER_BYTES:
            return False
        if name == _NAME and self.length is None and value.isdigit() and len(value) <= _MAX_DIGITS:
            self.length = int(value)
        elif name == _TYPE and self.content_type is None:
            self.content_type = value
        else:
            return False
        return True


class HeaderGrammar(Protocol):
    """What may stand between two messages."""

    junk: bytes
    """The last few kilobytes that were no message."""

    def on_line(self, header: Header, line: bytes) -> Header:
        """The block that there is after this line. Raises RemoteProtocolError."""
        ...

    def on_rest(self, header: Header, rest: bytes) -> None:
        """What has come of a line that is not whole. Raises RemoteProtocolError: nothing can come of it."""
        ...


class Exact:
    """Header blocks and nothing else: for clients, who may be anybody that reaches the port.

    A web page reaches it too: it says what it likes in the body of a request, and the browser writes HTTP in front. So
    a stream ends at the first byte that begins no header of DAP: that of HTTP's methods, TLS, or an empty line.
    `on_token` is told the token that stands before the first message; None: none may.
    """

    junk = b""

    def __init__(self, on_token: Callable[[bytes], None] | None = None) -> None:
        self._on_token = on_token

    def on_line(self, header: Header, line: bytes) -> Header:
        """See Grammar."""
        on_token, self._on_token = self._on_token, None
        name, _, value = line.partition(b":")
        if on_token is not None and name.lower() == _TOKEN and len(line) <= MAX_HEADER_BYTES:
            on_token(value.strip(b" \t"))
        elif not header.take(line):
            raise RemoteProtocolError(f"no header of DAP: {line[:40]!r}")
        return header

    def on_rest(self, header: Header, rest: bytes) -> None:
        """See Grammar."""
        name, colon, _ = rest.lower().partition(b":")
        known = (_NAME, _TYPE, _TOKEN) if self._on_token is not None else (_NAME, _TYPE)
        begins = name in known if colon else any(each.startswith(name) for each in known) or rest == b"\r"
        if not begins or header.size + len(rest) > MAX_HEADER_BYTES:
            raise RemoteProtocolError(f"no header of DAP: {rest[:40]!r}")


class Lenient:
    """Lines of any kind between the messages: for adapters, whose program may print on the same stdout.

    A block is what stands directly before an empty line: whatever comes between makes junk of what came before, another
    `Content-Length` too. So a program that prints a line like a header does not decide how long a message is.
    """

    def __init__(self) -> None:
        self.junk = b""

    def on_line(self, header: Header, line: bytes) -> Header:
        """See Grammar."""
        if header.take(line):
            return header
        name = line.lower().rfind(_NAME)  # no expression: one that backtracks takes minutes for some lines
        fresh = Header()
        if name >= 0 and fresh.take(line[name:]):
            line = line[:name]  # junk without a line end sticks to the header that follows it
        if line:
            self.junk = (self.junk + line + b"\n")[-_KEPT_JUNK_BYTES:]
        return fresh

    def on_rest(self, header: Header, rest: bytes) -> None:  # noqa: ARG002  one shape for both
        """See Grammar."""
        if len(rest) > MAX_JUNK_LINE_BYTES:
            raise RemoteProtocolError(f"no message header in {len(rest)} bytes")


class FrameReader:
    """Cuts a byte stream into message bodies; `feed` it chunks of any size.

    It holds what has come of one message, and for the moment in which that becomes whole twice as much.
    """

    def __init__(self, grammar: HeaderGrammar | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._grammar = grammar or Exact()
        self._max_message_bytes = max_message_bytes
        self._header = Header()
        self._rest = b""
        """Of a header line that is not whole."""
        self._pieces: list[bytes] = []
        """Of a body that is not whole."""
        self._missing = 0
        """Bytes of that body."""

    @property
    def junk(self) -> bytes:
        """The last few kilobytes that were no message (an adapter's crash text, say)."""
        return self._grammar.junk

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The bodies that are whole now, in order. Raises RemoteProtocolError when the stream cannot be followed."""
        if len(chunk) < self._missing:
            self._pieces.append(chunk)
            self._missing -= len(chunk)
            return
        data, at = self._rest + chunk, self._missing
        self._rest, self._missing = b"", 0
        if self._pieces:
            yield self._joined(data[:at])
        while at < len(data):
            plain = _PLAIN.match(data, at) if not self._header.size else None
            if plain is not None:
                begin, length = plain.end(), int(plain[1])
            elif (begin := self._skip_header(data, at)) >= 0:
                length, self._header = self._header.length or 0, Header()
            else:
                return
            if length > self._max_message_bytes:
                raise RemoteProtocolError(f"a message of {length} bytes is over the limit of {self._max_message_bytes}")
            at = begin + length
            if at > len(data):
                self._pieces, self._missing = [data[begin:]], at - len(data)
                return
            yield data[begin:at]

    def _joined(self, last: bytes) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join((*pieces, last))

    def _skip_header(self, data: bytes, at: int) -> int:
        """Where the body begins, whose header is `_header` then; -1 if the header is not whole."""
        while (end := data.find(b"\n", at)) >= 0:
            line = data[at:end].rstrip(b"\r")
            at = end + 1
            if not line and self._header.length is not None:
                return at
            self._header = self._grammar.on_line(self._header, line)
        self._grammar.on_rest(self._header, data[at:])
        self._rest = data[at:]
        return -1
