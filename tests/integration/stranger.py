"""Another user of this machine: reaches for sockets, and tells what came of it.

    python stranger.py UID      root becomes that user, for good; then an order a line on stdin, an answer a line

An order is JSON: {"where": [host, port] or [path, 0], "say": [text, ...], "until": what must be heard before "then" is
said, "leaves": "closes" or "resets" at once, "wait_s": how long anything may take}. The answer: {"closed", "heard"}.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import sys
from typing import Any


def attempt(order: dict[str, Any]) -> dict[str, Any]:
    """Connects, says its piece and listens until it is cut off, or nothing has come for `wait_s`."""
    try:
        link = _connected(*order["where"])
    except OSError as error:
        return {"closed": True, "heard": "", "why": str(error)}
    with link:
        link.settimeout(order["wait_s"])
        with contextlib.suppress(ConnectionError):
            link.sendall("".join(order["say"]).encode())
        if leaves := order.get("leaves"):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", leaves == "resets", 0))
            return {"closed": True, "heard": ""}
        heard, closed = _heard(link, order.get("until"))
        if order.get("until") and not closed:
            link.sendall("".join(order["then"]).encode())
            more, closed = _heard(link)
            heard += more
    return {"closed": closed, "heard": heard}


def _heard(link: socket.socket, until: str | None = None) -> tuple[str, bool]:
    """What comes, to the end or to a silence or `until`; and whether it has ended."""
    heard = b""
    try:
        while not until or until.encode() not in heard:
            piece = link.recv(65536)
            if not piece:
                return heard.decode(errors="replace"), True
            heard += piece
    except TimeoutError:
        pass
    except OSError:
        return heard.decode(errors="replace"), True
    return heard.decode(errors="replace"), False


def _connected(host: str, port: int) -> socket.socket:
    if port:
        return socket.create_connection((host, port), 2)
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect("\0" + host[1:] if host.startswith("@") else host)
    except OSError:
        link.close()
        raise
    return link


def main(uid: int) -> None:
    """See above."""
    socket.getaddrinfo("127.0.0.1", 1)  # imports the idna codec, which the other user may not be able to read
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    for line in sys.stdin:
        print(json.dumps(attempt(json.loads(line))), flush=True)  # noqa: T201  its answer


if __name__ == "__main__":
    main(int(sys.argv[1]))
