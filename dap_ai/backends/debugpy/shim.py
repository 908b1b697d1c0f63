"""Starts debugpy's adapter so that it answers at once; run as a script, imports nothing of ours.

pydevd writes a message's header and body separately on a socket with Nagle's algorithm on, and the adapter's kernel
delays its ACK for 40 ms. Re-arming TCP_QUICKACK before each read ends that from the first message on, and touches no
file of debugpy. Where the option does not exist, the proxy's greeting (recipe.py) cures the rest of the session.
"""

from __future__ import annotations

import contextlib
import runpy
import socket
from typing import Any


def _quick_ack() -> None:
    option = getattr(socket, "TCP_QUICKACK", None)
    if option is None:
        return
    plain: Any = socket.SocketIO.readinto

    def readinto(self: Any, b: Any) -> Any:
        with contextlib.suppress(OSError, AttributeError):  # not TCP, or closed
            self._sock.setsockopt(socket.IPPROTO_TCP, option, 1)
        return plain(self, b)

    socket.SocketIO.readinto = readinto


if __name__ == "__main__":
    _quick_ack()
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)
