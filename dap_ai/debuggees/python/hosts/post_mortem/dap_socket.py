"""Reads and sends DAP messages over a connected socket, without a separate thread."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Messages are JSON: Any.

from __future__ import annotations

import json
import select
from _socket import socket as Link  # noqa: N812  not a class of `socket`, which calls others by name
from typing import Any, Callable, Dict, Optional

_READ_BYTES = 1 << 16
_MAX_HEADER_BYTES, _MAX_BODY_BYTES = 1 << 12, 1 << 28
_LENGTH = b"content-length:"
_TICK_S = 0.1
"""Seconds between two checks whether the caller still waits."""

Message = Dict[str, Any]


class DapSocket:
    """The connection to one DAP client. The owner of the socket closes it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._kept = bytearray()
        self._seq = 0

    def read(self, wanted: Callable[[], bool]) -> Optional[Message]:
        """Returns the next message; None if the client is gone, or no message arrives and `wanted()` is false."""
        end = self._kept.find(b"\r\n\r\n")
        while end < 0:
            if len(self._kept) > _MAX_HEADER_BYTES or not self._more(wanted):
                return None
            end = self._kept.find(b"\r\n\r\n")
        lines = bytes(self._kept[:end]).lower().split(b"\r\n")
        lengths = [line[len(_LENGTH) :] for line in lines if line.startswith(_LENGTH)]
        size = int(lengths[0]) if lengths and lengths[0].strip().isdigit() else -1
        if not 0 <= size <= _MAX_BODY_BYTES:
            return None
        del self._kept[: end + 4]
        while len(self._kept) < size:
            if not self._more(wanted):
                return None
        body = bytes(self._kept[:size])
        del self._kept[:size]
        try:
            message = json.loads(body)
        except ValueError:
            return None
        return message if type(message) is dict else None

    def send(self, kind: str, **fields: Any) -> None:
        """Sends a response or an event. Raises OSError if the client is gone."""
        self._seq += 1
        body = json.dumps(dict(fields, seq=self._seq, type=kind), ensure_ascii=True).encode("ascii")
        self._link.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _more(self, wanted: Callable[[], bool]) -> bool:
        while not select.select([self._link], [], [], _TICK_S)[0]:
            if not wanted():
                return False
        try:
            piece = self._link.recv(_READ_BYTES)
        except OSError:
            return False
        self._kept += piece
        return bool(piece)
