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
_LENGTH = re.compile(rb"(?i)^(.*?)content-length[ \t]*:[ \t]*([^ \t]*)[ \t]*$", re.DOTALL)


def encode_frame(body: bytes) -> bytes:
    """`body`, a JSON message in UTF-8, with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameReader:
    """Cuts a byte stream into message bodies; `feed` it chunks of any size.

    `junk` holds the last few kilobytes that were no message (an adapter's crash text, say).
    """

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.junk = b""
        self._max_message_bytes = max_message_bytes
        self._buffer = bytearray()
        self._scanned = 0
        self._length: int | None = None
        self._need: int | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The bodies that are whole now, in order. Raises RemoteProtocolError when the stream cannot be followed."""
        self._buffer += chunk
        while True:
            if self._need is None and not self._read_header():
                return
            need = self._need
            if need is None or len(self._buffer) < need:
                return
            body = bytes(self._buffer[:need])
            del self._buffer[:need]
            self._need = None
            yield body

    def _read_header(self) -> bool:
        """Whether a header block ended and `_need` is known."""
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            if end < 0:
                if len(self._buffer) > MAX_HEADER_BYTES:
                    self._give_up(f"no message header in {len(self._buffer)} bytes")
                self._scanned = len(self._buffer)
                return False
            line = bytes(self._buffer[:end]).strip(b"\r")
            del self._buffer[: end + 1]
            self._scanned = 0
            if line:
                self._read_header_line(line)
            elif self._length is not None:
                self._need, self._length = self._length, None
                return True

    def _read_header_line(self, line: bytes) -> None:
        found = _LENGTH.search(line)
        if found:
            self._length = self._parse_length(found[2])
            line = found[1]  # junk without a line end sticks to the header that follows it
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
        self._buffer.clear()
        raise RemoteProtocolError(why)
