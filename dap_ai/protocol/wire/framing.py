r"""DAP's base protocol: `Content-Length: N`, an empty line, N bytes of JSON.

Source: https://microsoft.github.io/debug-adapter-protocol/overview#base-protocol. Rules that real peers made necessary:

1. N counts bytes. Header names are case-insensitive; both `\r\n` and a bare `\n` end a header line.
2. A header has exactly one `Content-Length`. The only other field is `Content-Type`, which some client libraries write.
3. Adapters print junk on stdout between messages: see Lenient. Clients do not: see Exact.
4. A message or a header block above its limit ends the stream, because its end cannot be found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from dap_ai.protocol.wire.errors import RemoteProtocolError

MAX_HEADER_BYTES = 1024
"""Maximum size of a header block, in bytes."""

MAX_JUNK_LINE_BYTES = 64 * 1024
"""Maximum length of a line between an adapter's messages, in bytes. A longer line ends the connection."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Maximum size of a message body. It is above any real variables response and fits the memory of a small machine."""

TOKEN_HEADER = "DAP-AI-Token"  # noqa: S105  the name of a header
"""Name of the header line that may precede a client's first message (see docs/protocol.md)."""

_KEPT_JUNK_BYTES = 4096
_MAX_DIGITS = 18
_PLAIN = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
"""Matches the header of nearly every message."""
_NAME = b"content-length"
_TYPE = b"content-type"
_TOKEN = TOKEN_HEADER.lower().encode()


def encode_header(length: int) -> bytes:
    """Return the header for a message of `length` bytes."""
    return b"Content-Length: %d\r\n\r\n" % length


def encode_frame(body: bytes) -> bytes:
    """Return the header followed by `body`, a JSON message in UTF-8."""
    return encode_header(len(body)) + body


class Header:
    """A DAP header block that is read line by line."""

    def __init__(self) -> None:
        self.length: int | None = None
        """Length of the message body in bytes; None until the line `Content-Length` is read."""
        self.content_type: bytes | None = None
        """Value of the header line `Content-Type`, which dap_ai does not use; None if absent."""
        self.size = 0
        """Total size of the block's lines, in bytes."""

    def take(self, line: bytes) -> bool:
        """Add a line to the header block. Return False if the line does not belong to a header block."""
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
    """Rules for the bytes between two DAP messages."""

    junk: bytes
    """The last few kilobytes received outside of messages."""

    def on_line(self, header: Header, line: bytes) -> Header:
        """Process a line and return the header block read so far.

        Raises RemoteProtocolError if the line is not allowed.
        """
        ...

    def on_rest(self, header: Header, rest: bytes) -> None:
        """Check the received part of an incomplete line. Raises RemoteProtocolError if the line cannot become valid."""
        ...


class Exact:
    """Rules for a client's stream, which may contain only header blocks and messages, since anyone may reach the port.

    A web page may reach the port too. It controls the body of a request, which the browser puts after an HTTP header.
    So a stream ends at the first byte that cannot begin a DAP header, such as HTTP's methods, TLS, or an empty line.

    `on_token` receives the token that precedes the first message. If `on_token` is None, no token is allowed.
    """

    junk = b""

    def __init__(self, on_token: Callable[[bytes], None] | None = None) -> None:
        self._on_token = on_token

    def on_line(self, header: Header, line: bytes) -> Header:
        """Add a line to the header block.

        Raises RemoteProtocolError if the line is neither a header line nor an allowed token.
        """
        on_token, self._on_token = self._on_token, None
        name, _, value = line.partition(b":")
        if on_token is not None and name.lower() == _TOKEN and len(line) <= MAX_HEADER_BYTES:
            on_token(value.strip(b" \t"))
        elif not header.take(line):
            raise RemoteProtocolError(f"no header of DAP: {line[:40]!r}")
        return header

    def on_rest(self, header: Header, rest: bytes) -> None:
        """Check the received part of a header line. Raises RemoteProtocolError if it cannot begin a DAP header line."""
        name, colon, _ = rest.lower().partition(b":")
        known = (_NAME, _TYPE, _TOKEN) if self._on_token is not None else (_NAME, _TYPE)
        begins = name in known if colon else any(each.startswith(name) for each in known) or rest == b"\r"
        if not begins or header.size + len(rest) > MAX_HEADER_BYTES:
            raise RemoteProtocolError(f"no header of DAP: {rest[:40]!r}")


class Lenient:
    """Rules for an adapter's stream, which may contain any lines between messages.

    The debuggee may print to the same stdout as the adapter. A header block consists of the lines directly before an
    empty line. Any other line in between, even a second `Content-Length`, turns the lines before it into junk. So a
    program that prints a header-like line cannot decide a message's length.
    """

    def __init__(self) -> None:
        self.junk = b""

    def on_line(self, header: Header, line: bytes) -> Header:
        """Add a line to the header block, or keep it as junk and return a new header block."""
        if header.take(line):
            return header
        name = line.lower().rfind(_NAME)  # not a regular expression: backtracking takes minutes for some lines
        fresh = Header()
        if name >= 0 and fresh.take(line[name:]):
            line = line[:name]  # junk without a line end sticks to the header that follows it
        if line:
            self.junk = (self.junk + line + b"\n")[-_KEPT_JUNK_BYTES:]
        return fresh

    def on_rest(self, header: Header, rest: bytes) -> None:  # noqa: ARG002  one shape for both
        """Check the received part of a line. Raises RemoteProtocolError if it is too long."""
        if len(rest) > MAX_JUNK_LINE_BYTES:
            raise RemoteProtocolError(f"no message header in {len(rest)} bytes")


class FrameReader:
    """Splits a byte stream into message bodies. Pass chunks of any size to `feed`.

    The reader buffers the received part of one message. When that message becomes complete, it briefly uses twice that
    memory.
    """

    def __init__(self, grammar: HeaderGrammar | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._grammar = grammar or Exact()
        self._max_message_bytes = max_message_bytes
        self._header = Header()
        self._rest = b""
        """The received part of an incomplete header line."""
        self._pieces: list[bytes] = []
        """The received parts of an incomplete message body."""
        self._missing = 0
        """Number of bytes that the incomplete message body still lacks."""

    @property
    def junk(self) -> bytes:
        """The last few kilobytes received outside of messages, such as an adapter's crash text."""
        return self._grammar.junk

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield each message body that is complete after this chunk.

        Raises RemoteProtocolError if the stream is invalid.
        """
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
        """Read a header into `_header` and return the index where the body begins; -1 if the header is incomplete."""
        while (end := data.find(b"\n", at)) >= 0:
            line = data[at:end].rstrip(b"\r")
            at = end + 1
            if not line and self._header.length is not None:
                return at
            self._header = self._grammar.on_line(self._header, line)
        self._grammar.on_rest(self._header, data[at:])
        self._rest = data[at:]
        return -1
