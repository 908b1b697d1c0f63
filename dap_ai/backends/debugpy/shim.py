"""Starts debugpy's adapter with two cures, touching no file of debugpy; run as a script, imports nothing of ours.

1. pydevd writes a message's header and body separately on a socket with Nagle's algorithm on, and the adapter's
   kernel delays its ACK for 40 ms. Re-arming TCP_QUICKACK before each read ends that from the first message on. Where
   the option does not exist, the proxy's greeting (recipe.py) cures the rest of the session.
2. Attaching by process id runs `gdb`: the one installed beside us is preferred (attach.py says why). Only that child
   gets the changed PATH; a debuggee inherits the environment as it is.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import socket
import subprocess
import sys
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


def _own_gdb() -> None:
    plain: Any = subprocess.Popen

    class Popen(plain):
        def __init__(self, args: Any, *more: Any, **options: Any) -> None:
            if isinstance(args, list) and "--pid" in args:
                folders = [os.path.dirname(sys.executable), os.environ.get("PATH", "")]  # noqa: PTH120  no pathlib yet
                options.setdefault("env", {**os.environ, "PATH": os.pathsep.join(folders)})
            super().__init__(args, *more, **options)  # pyright: ignore[reportUnknownMemberType]  its type is not given

    subprocess.Popen = Popen


if __name__ == "__main__":
    _quick_ack()
    _own_gdb()
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)
