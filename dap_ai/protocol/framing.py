r"""DAP's base protocol: `Content-Length: N`, an empty line, N bytes of JSON.

Source: https://microsoft.github.io/debug-adapter-protocol/overview#base-protocol. Rules that real peers made
necessary:

1. N counts bytes. Header names are case-insensitive, may repeat (the last counts) and may be unknown.
2. Adapters print junk on stdout between messages: whole lines that are no header are skipped and kept for a log.
3. Both `\r\n` and a bare `\n` end a header line.
4. A message above the limit, and a header block above its own, end the stream: the peer cannot be followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.protocol.errors import RemoteProtocolError

MAX_HEADER_BYTES = 64 * 1024
"""Bytes without a complete header block after which a stream is given up."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Largest body that is read: above any real variables response, below what would exhaust a small machine."""

_KEPT_JUNK_BYTES = 4096
_PLAIN = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
"""The header as nearly every message has it."""
_NAME = b"content-length"


def encode_header(length: int) -> bytes:
    """The header of a message of `length` bytes."""
    return b"Content-Length: %d\r\n\r\n" % length


def encode_frame(body: bytes) -> bytes:
    """`body`, a JSON message in UTF-8, with its header."""
    return encode_header(len(body)) + body


class FrameReader:
    """Cuts a byte stream into message bodies; `feed` it chunks of any size.

    It holds what has come of one message, and for the moment in which that becomes whole twice as much.
    `junk` holds the last few kilobytes that were no message (an adapter's crash text, say).
    """

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.junk = b""
        self._max_message_bytes = max_message_bytes
        self._rest = b""
        """Of a header line that is not whole."""
        self._length: int | None = None
        self._pieces: list[bytes] = []
        """Of a body that is not whole."""
        self._missing = 0
        """Bytes of that body."""

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
            begin = self._skip_header(data, at)
            if self._length is None or begin < 0:
                return
            at, self._length = begin + self._length, None
            if at > len(data):
                self._pieces, self._missing = [data[begin:]], at - len(data)
                return
            yield data[begin:at]

    def _joined(self, last: bytes) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join((*pieces, last))

    def _skip_header(self, data: bytes, at: int) -> int:
        """Where the body begins, whose length `_length` is then; -1 if the header is not whole."""
        if self._length is None and (plain := _PLAIN.match(data, at)):
            self._length = self._parse_length(plain[1])
            return plain.end()
        while (end := data.find(b"\n", at)) >= 0:
            line = data[at:end].strip(b"\r")
            at = end + 1
            if line:
                self._read_header_line(line)
            elif self._length is not None:
                return at
        self._rest = data[at:]
        if len(self._rest) > MAX_HEADER_BYTES:
            self._give_up(f"no message header in {len(self._rest)} bytes")
        return -1

    def _read_header_line(self, line: bytes) -> None:
        name = line.lower().rfind(_NAME)  # no expression: one that backtracks takes minutes for some lines
        value = line[name + len(_NAME) :].lstrip(b" \t") if name >= 0 else b""
        found = value.startswith(b":")
        if found:
            self._length = self._parse_length(value[1:].strip(b" \t"))
            line = line[:name]  # junk without a line end sticks to the header that follows it
        if (line and self._length is None) or (found and line):
            self.junk = (self.junk + line + b"\n")[-_KEPT_JUNK_BYTES:]

    def _parse_length(self, value: bytes) -> int:
        if not value.isdigit() or len(value) > 18:
            self._give_up(f"Content-Length is not a number: {value[:40]!r}")
        length = int(value)
        if length > self._max_message_bytes:
            self._give_up(f"a message of {length} bytes is over the limit of {self._max_message_bytes}")
        return length

    def _give_up(self, why: str) -> None:
        self._rest = b""
        raise RemoteProtocolError(why)
