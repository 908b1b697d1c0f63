"""Starts debugpy's adapter with eight fixes, without changing any file of debugpy.

1. pydevd writes a message's header and body separately on a socket with Nagle's algorithm on, and the adapter's kernel
   delays its ACK for 40 ms. Setting TCP_QUICKACK again before each read avoids that from the first message on. Where
   the option does not exist, the proxy's greeting (recipe.py) fixes the rest of the session.
2. The adapter reads a message's header from its socket byte by byte, each with a system call, and allocates the whole
   size of a long body for each piece of it. Here lines are split from buffered reads, and a body is read into one
   buffer.
3. The adapter writes JSON with Python's encoder, which takes longer for a string of a megabyte than all other
   processing. Here msgspec writes it.
4. Attaching by process id prints into the program, leaves its queued script there, and waits for a minute after a
   failure (attaching/injecting.py).
5. After `disconnect {terminateDebuggee: false}` the adapter would kill a launched program after 30 s. Here the adapter
   stays and reads the program's output until the program ends.
6. The adapter's ports accept everybody. Here they accept only our user, and as a client only dap_ai (port_guard.py).
7. The adapter, its launcher and the debuggee list all installed packages for a log that nobody requested
   (debugpy_launcher.py).
8. The adapter confuses a process that has replaced itself twice by `exec` with its predecessor (replaced.py).
"""

from __future__ import annotations

import contextlib
import os
import runpy
import socket
from typing import Any

from dap_ai.backends.debugpy import debugpy_launcher, port_guard, replaced
from dap_ai.backends.debugpy.attaching import injecting

_READ_BYTES = 64 * 1024


def _quick_reads() -> None:
    option = getattr(socket, "TCP_QUICKACK", None)
    plain: Any = socket.SocketIO.readinto

    def receive(self: Any, b: Any) -> Any:
        if option is not None:
            with contextlib.suppress(OSError, AttributeError):  # not a TCP socket, or closed
                self._sock.setsockopt(socket.IPPROTO_TCP, option, 1)
        return plain(self, b)

    def kept_of(self: Any) -> bytearray:
        return self.__dict__.setdefault("dap_ai_kept", bytearray())

    def readinto(self: Any, b: Any) -> Any:
        kept = kept_of(self)
        if not kept:
            return receive(self, b)
        count = min(len(b), len(kept))
        b[:count] = kept[:count]
        del kept[:count]
        return count

    def readline(self: Any, _size: int | None = -1, /) -> bytes:
        kept = kept_of(self)
        while (end := kept.find(b"\n")) < 0:
            piece = bytearray(_READ_BYTES)
            count = receive(self, piece)
            if not count:
                end = len(kept) - 1  # the stream has ended: return the incomplete line
                break
            kept += piece[:count]
        line = bytes(kept[: end + 1])
        del kept[: end + 1]
        return line

    def read(self: Any, size: int = -1, /) -> Any:
        if size < 0:
            return plain_read(self, size)
        whole = bytearray(size)
        view = memoryview(whole)
        come = 0
        while come < size:
            count = readinto(self, view[come:])
            if not count:
                break
            come += count
        view.release()
        del whole[come:]
        return whole

    plain_read: Any = socket.SocketIO.read
    socket.SocketIO.read = read
    socket.SocketIO.readinto = readinto
    socket.SocketIO.readline = readline


def _quick_json() -> None:
    import msgspec  # noqa: PLC0415  only the adapter needs it
    from debugpy.common import json  # noqa: PLC0415

    plain: Any = json.JsonEncoder.encode
    quick = msgspec.json.Encoder().encode

    def encode(self: Any, o: Any) -> str:
        try:
            return quick(o).decode()
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):  # an object, a lone surrogate, 2 ** 64
            return plain(self, o)

    json.JsonEncoder.encode = encode


def _spare() -> None:
    from debugpy import common  # noqa: PLC0415  as above

    common.PROCESS_EXIT_TIMEOUT = None


def _spare_reports() -> None:
    from debugpy.adapter import launchers  # noqa: PLC0415  as above

    eval(debugpy_launcher.SPARE)  # noqa: S307  a constant of ours, which a debuggee evaluates too
    adapter: Any = launchers
    plain = adapter.spawn_debuggee

    def spawn_debuggee(session: Any, start_request: Any, python: Any, launcher_path: Any, *more: Any) -> Any:
        if os.path.normpath(launcher_path).endswith(os.path.join("debugpy", "launcher")):  # noqa: PTH118  not another's
            python = [*python, os.path.abspath(debugpy_launcher.__file__)]  # noqa: PTH100
        return plain(session, start_request, python, launcher_path, *more)

    adapter.spawn_debuggee = spawn_debuggee


def main() -> None:
    """Install the fixes and run debugpy's adapter."""
    injecting.install()
    port_guard.guard()
    replaced.find_newest()
    _quick_reads()
    _quick_json()
    _spare()
    _spare_reports()
    runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)
