"""Pauses this thread at a failure and serves a debugging client, over a socket pair or at a socket's address.

1. A process started by this one gets one end of a socket pair: no other process can connect, and no socket listens.
2. An address is a Unix socket in a folder that only the user can access; the kernel identifies the peer, and other
   users are rejected.
3. Sockets come from the C module `_socket`, because packages such as pytest-socket replace the Python class.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Frames hold Any.

from __future__ import annotations

import _socket
import contextlib
import os
import select
import stat
import struct
import tempfile
import types
from typing import Callable, Tuple

from .dap_socket import Link
from .post_mortem_server import Server
from .post_mortem_stack import Keep, PostMortemStop, of_exception, of_thread

PREFIX, SUFFIX = "held-", ".sock"
"""The start and end of a socket file's name, `held-PID-N.sock`."""
_TICK_S = 0.1
_MAX_PATH_BYTES = 103
"""Maximum length of a socket's path: the kernels allow 107 bytes on Linux and 103 on macOS."""


class CannotHoldError(OSError):
    """The process cannot be paused here, because no socket address can be created; the text gives the reason."""


def _always() -> bool:
    return True


def _any_frame(_: types.FrameType) -> bool:
    return True


def failure(exc: BaseException, keep: Keep = _any_frame, *, callers: bool = False, folder: str = "") -> Server:
    """Returns a server for an exception; `keep` decides which frames of its traceback are shown.

    `folder`: the folder that paths are relative to; if empty, the current directory.
    """
    stop = _nonempty(of_exception(exc, keep, callers=callers), exc)
    stop.folder = folder
    return Server(stop, "exception")


def standing(frame: types.FrameType, keep: Keep = _any_frame) -> Server:
    """Returns a server for a frame of this thread and the frame's callers."""
    return Server(of_thread(frame, keep), "breakpoint")


def _nonempty(stop: PostMortemStop, exc: BaseException) -> PostMortemStop:
    return stop if stop.first.frames else of_exception(exc, _any_frame, callers=False)


def connected() -> Tuple[Link, Link]:
    """Returns the two ends of a socket connection. Raises OSError."""
    pair = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    for end in pair:
        end.settimeout(None)  # the program may have set a default timeout
    return pair


class Pair:
    """Two connected sockets: `serve` uses one; a process started in between gets the other as `fd:N`."""

    def __init__(self) -> None:
        self._ours, self.theirs = connected()
        self.address = "fd:%d" % self.theirs.fileno()

    def serve(self, server: Server, wanted: Callable[[], bool] = _always) -> None:
        """Serves until the client leaves or `wanted()` is false. Call it after starting the other process."""
        self.theirs.close()
        server.serve(self._ours, wanted)

    def close(self) -> None:
        """Closes both ends; a second call has no effect."""
        self._ours.close()
        self.theirs.close()


class Listener:
    """A socket address at which clients can connect to this process. Raises CannotHoldError."""

    def __init__(self, folder: str = "") -> None:
        where = folder or own_folder()
        self._listener = Link(_socket.AF_UNIX)
        self.address = ""
        try:
            self._bind(where)
        except OSError as error:
            self.close()
            raise CannotHoldError("no process can be held in %s: %s" % (where, error)) from error

    def _bind(self, where: str) -> None:
        for number in range(1000):
            path = os.path.join(where, "%s%d-%d%s" % (PREFIX, os.getpid(), number, SUFFIX))
            if len(os.fsencode(path)) > _MAX_PATH_BYTES:
                raise OSError("too long a name for a socket's folder")
            if not os.path.lexists(path):
                self._listener.bind(path)
                self.address = path
                os.chmod(path, 0o600)
                self._listener.listen(4)
                return
        raise OSError("every name is taken")

    def serve(self, server: Server, wanted: Callable[[], bool] = _always) -> None:
        """Serves one client after another, until a client continues the program or `wanted()` is false."""
        while wanted():
            if not select.select([self._listener], [], [], _TICK_S)[0]:
                continue
            link = Link(fileno=self._listener._accept()[0])  # type: ignore[attr-defined]
            try:
                if not is_of_another_user(link):
                    server.serve(link, wanted)
            finally:
                link.close()
            if server.goes_on:
                return

    def close(self) -> None:
        """Closes the socket and removes its file; a second call has no effect."""
        self._listener.close()
        if self.address:
            address, self.address = self.address, ""
            with contextlib.suppress(OSError):
                os.unlink(address)


def is_of_another_user(link: Link) -> bool:
    """Whether another user's process is connected, as far as the kernel tells; root does not count."""
    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return False
    _, uid, _ = struct.unpack("3i", link.getsockopt(_socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return uid not in (0, os.getuid())


def own_folder() -> str:
    """Returns the folder for the user's sockets, created if missing. Raises CannotHoldError."""
    if not hasattr(_socket, "AF_UNIX") or not hasattr(os, "getuid"):
        raise CannotHoldError("this platform has no Unix sockets that only their user can reach")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    path = os.path.join(tempfile.gettempdir(), "dap-ai-%d" % os.getuid())
    if runtime and os.path.isdir(runtime) and os.stat(runtime).st_uid == os.getuid():
        path = os.path.join(runtime, "dap-ai")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.lstat(path)
    except OSError as error:
        raise CannotHoldError(str(error)) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise CannotHoldError("%s is not a folder of yours alone" % path)
    return path
