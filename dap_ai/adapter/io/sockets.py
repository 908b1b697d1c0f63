"""The Unix sockets by which guests join one user's sessions. No other module knows the paths of these sockets.

1. The folder must be accessible to its user only (0700): a symbolic link, another owner or wider permissions are
   refused.
2. Both ends of a connection refuse the sessions and guests of other users, if the kernel reports the user.
3. If a socket cannot be created, the session logs the reason and continues without a socket.
4. A killed session leaves its socket file; whoever finds that nobody listens there removes the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import secrets
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path

from dap_ai.transport import admission, peer_users
from dap_ai.transport.byte_links import ByteLink, TransportLink

OFF = "off"
"""Value of the setting `sockets` with which no session can be joined."""

_SUFFIX = ".sock"
_HELD = "held-"
_ID = re.compile(r"[0-9a-f]{4,}")
_ID_BYTES = (2, 2, 2, 4, 8)
"""Number of random bytes in a session id, for each attempt to find an unused id."""
_MAX_PATH_BYTES = 103
"""The maximum length of a socket path: 103 bytes on macOS; Linux allows 107."""
_NEW_S = 5.0
"""Age in seconds up to which a socket without a listener may still get its listener."""
_MANY = 16
"""Number of socket files above which some must be left over from killed sessions."""


class SocketError(OSError):
    """Raised if a session cannot be joined. The message gives the reason and, where possible, a remedy."""


class SessionEnded(SocketError):  # noqa: N818  a state, not a mistake
    """Raised if the session has ended, or never existed."""


class SessionSocket:
    """The listening socket of one session, for guests."""

    def __init__(self, path: Path, listener: asyncio.Server) -> None:
        self.session_id = path.stem
        self._path = path
        self._listener = listener

    def close(self) -> None:
        """Close and remove the socket. Guests that have joined stay. Further calls do nothing."""
        self._listener.close()
        self._path.unlink(missing_ok=True)


async def open_session(
    on_link: Callable[[ByteLink], None], log: Callable[[str], None], setting: str = ""
) -> SessionSocket | None:
    """Open a session's socket, and pass each guest's link to `on_link`. If that fails, log the reason and return None.

    `setting` is the setting `sockets`: a folder, an empty string for the user's own folder, or `OFF`.
    """
    if setting == OFF:
        return None
    try:
        where = folder(setting, make=True)
        _sweep(where)
        bound, path = _bind(where)
    except OSError as error:
        log(f"this session cannot be joined: {error}")
        return None
    try:
        listener = await admission.serve(bound, lambda: TransportLink(on_link), log)
    except (OSError, NotImplementedError) as error:
        bound.close()
        path.unlink(missing_ok=True)
        log(f"this session cannot be joined: {error}")
        return None
    return SessionSocket(path, listener)


@contextlib.contextmanager
def bound_at(path: Path) -> Generator[socket.socket]:
    """Provide a listening socket at `path`, which only its user can reach. Remove it afterwards. Raises OSError.

    Refuses a folder in which other users could replace the socket. Refuses an existing path, unless it is a socket
    without a listener.
    """
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        raise SocketError("this platform has no Unix sockets that only their user can reach")
    found = path.parent.stat()
    if found.st_uid not in (0, os.getuid()) or (found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX):
        raise SocketError(f"in the folder {path.parent} others could put something in its place")
    with contextlib.suppress(FileNotFoundError), socket.socket(socket.AF_UNIX) as probe:
        if stat.S_ISSOCK(path.lstat().st_mode) and probe.connect_ex(str(path)) == errno.ECONNREFUSED:
            path.unlink()
    bound = admission.listening_unix(path)
    try:
        yield bound
    finally:
        bound.close()
        path.unlink(missing_ok=True)


def session_ids(setting: str = "") -> list[str]:
    """Return the ids of all sessions with a socket, oldest first. Some of these sessions may have ended.

    Raises SocketError.
    """
    found: list[tuple[float, str]] = []
    for path in folder(setting).glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError):  # removed meanwhile
            if _ID.fullmatch(path.stem):
                found.append((path.lstat().st_mtime, path.stem))
    return [session_id for _, session_id in sorted(found)]


def post_mortem_sockets(setting: str = "") -> list[Path]:
    """Return the sockets of programs that wait for a debugger after a failure, oldest first.

    The sockets belong to debuggees/python/hosts/post_mortem. Raises SocketError.
    """
    paths = [path for path in folder(setting).glob(f"{_HELD}*{_SUFFIX}") if not _is_left_behind(path)]
    return sorted(paths, key=lambda path: path.lstat().st_mtime)


async def connect(session_id: str, setting: str = "") -> ByteLink:
    """Connect to a session and return the link. Raises SessionEnded.

    Raises SocketError if the session belongs to another user or cannot be reached.
    """
    path = folder(setting) / f"{session_id}{_SUFFIX}"
    try:
        transport, link = await asyncio.get_running_loop().create_unix_connection(
            lambda: TransportLink(lambda _link: None), str(path)
        )
    except ConnectionRefusedError as error:
        _remove_stale(path)
        raise SessionEnded(f"session {session_id} has ended") from error
    except FileNotFoundError as error:
        raise SessionEnded(f"there is no session {session_id}") from error
    except OSError as error:
        raise SocketError(f"session {session_id} cannot be reached: {error.strerror or error}") from error
    if peer_users.is_of_another_user(transport.get_extra_info("socket")):
        transport.abort()
        raise SocketError(f"session {session_id} is of another user of this machine")
    return link


def folder(setting: str = "", *, make: bool = False) -> Path:
    """Return the folder of the sockets, and create it if `make`. Raises SocketError if it is unsafe or switched off."""
    if setting == OFF:
        raise SocketError("the setting sockets is off")
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        raise SocketError("this platform has no Unix sockets that only their user can reach")
    try:
        path = Path(setting).expanduser() if setting else _own_folder()
    except RuntimeError as error:  # an unknown user
        raise SocketError(f"{setting}: {error}") from error
    if make:
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SocketError(f"{path}: {error.strerror}; the setting sockets names another folder") from error
    with contextlib.suppress(FileNotFoundError):
        _check(path, path.lstat())
    return path


def _own_folder() -> Path:
    """Return a folder in XDG_RUNTIME_DIR, which the system deletes when the user logs out.

    Without XDG_RUNTIME_DIR, returns a folder in the temporary folder.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    with contextlib.suppress(OSError):
        if runtime and Path(runtime).stat().st_uid == os.getuid():
            return Path(runtime) / "dap-ai"
    return Path(tempfile.gettempdir()) / f"dap-ai-{os.getuid()}"


def _check(path: Path, found: os.stat_result) -> None:
    advice = "the setting sockets names another folder"
    if stat.S_ISLNK(found.st_mode):
        raise SocketError(f"{path} is a symbolic link, which others may have made; {advice}")
    if not stat.S_ISDIR(found.st_mode):
        raise SocketError(f"{path} is not a folder; {advice}")
    if found.st_uid != os.getuid():
        raise SocketError(f"{path} belongs to another user; {advice}")
    if found.st_mode & 0o077:
        raise SocketError(f"{path} is open to other users: chmod 700 it; or {advice}")


def _bind(where: Path) -> tuple[socket.socket, Path]:
    """Return (listening socket, path) for an unused session id. Raises OSError."""
    for count in _ID_BYTES:
        path = where / f"{secrets.token_hex(count)}{_SUFFIX}"
        if len(os.fsencode(path)) > _MAX_PATH_BYTES:
            raise SocketError(f"{where} is too long a name for a socket's folder; the setting sockets names another")
        try:
            return admission.listening_unix(path), path
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise SocketError(f"every id that was tried in {where} is taken")


def _sweep(where: Path) -> None:
    """Remove files of killed sessions, but only if the folder holds many, because the check disturbs live sessions."""
    paths = list(where.glob(f"*{_SUFFIX}"))
    for path in paths if len(paths) > _MANY else ():
        _is_left_behind(path)


def _is_left_behind(path: Path) -> bool:
    """Return whether nobody listens at this socket. If so, remove the socket file."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            _remove_stale(path)
            return True
        except OSError as error:  # alive and busy, or gone meanwhile
            return error.errno == errno.ENOENT
    return False


def _remove_stale(path: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - path.lstat().st_mtime > _NEW_S:
            path.unlink()
