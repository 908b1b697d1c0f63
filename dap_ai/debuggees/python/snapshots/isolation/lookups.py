"""Decides about each path lookup of a copy, because the server of a network file system would learn the path.

The seccomp filter suspends the call, the debuggee decides by the path, and the kernel continues the call or refuses it.
Nothing can change the path in the meantime: the copy has one thread and shares no memory that anybody writes.

seccomp_unotify(2) warns that letting the kernel continue (CONTINUE) enforces nothing: another thread could exchange the
path after it was checked. Here nobody can: clone(2) has copied one thread, the filter refuses another one, and the only
shared mapping left is that of the answer (private_memory.py). A mount namespace would hide the servers instead, but
needs a user namespace, in which files have other owners.
"""

from __future__ import annotations

import struct

from .foreign_paths import foreign_part
from .mounts import mounts
from .syscalls import AT_FDCWD, NUMBERS, Buffer, attempt, call, path_pointer, poll_fd

LISTENER = 3
"""The copy's file descriptor for its questions, the first free number when the filter is installed."""

_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND
_QUESTION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_HERE = AT_FDCWD & 0xFFFFFFFF
_FORBIDDEN = (1, 13, 38)  # EPERM, EACCES, ENOSYS
_GO_ON, _REFUSED = 1, -13  # SECCOMP_USER_NOTIF_FLAG_CONTINUE, EACCES
_IN_A_FOLDER = {NUMBERS[name] for name in ("newfstatat", "statx", "faccessat", "faccessat2", "readlinkat", "openat")}
"""Numbers of calls with a descriptor as first and the path as second argument; in other calls the path is first."""
_MAX_AT_ONCE = 50
"""Maximum questions answered per call, because the caller waits a few milliseconds for them."""
_MAX_TOLD = 10
_PATH_BYTES = 4096

_question, _answer = Buffer(_QUESTION.size), Buffer(_ANSWER.size)
_path = Buffer(_PATH_BYTES)
_pieces = Buffer(32)
_link = Buffer(_PATH_BYTES)


class Lookups:
    """Answers the path lookups of one copy."""

    def __init__(self) -> None:
        self._fd = -1
        self.refused: list[str] = []
        """Descriptions of the refused lookups."""

    def answer(self, pid: int) -> bool:
        """Answers the lookups that a locked copy waits for; returns whether there were any.

        Raises OSError if the kernel does not let this process receive them.
        """
        if self._fd == -1:
            self._attach(pid)
        was_asked = False
        for _ in range(_MAX_AT_ONCE):
            if self._fd == -1 or not poll_fd(self._fd):
                break
            _question.put(bytes(_QUESTION.size))
            if attempt("ioctl", self._fd, _RECEIVE, _question.address) == -1:
                break  # it has ended
            number, asking, _, call_number, _, _, *arguments = _QUESTION.unpack(_question.get(_QUESTION.size))
            refused = self._is_refused(asking, call_number, arguments)
            reply = _ANSWER.pack(number, 0, _REFUSED if refused else 0, 0 if refused else _GO_ON)
            attempt("ioctl", self._fd, _SEND, _answer.put(reply))
            was_asked = True
        return was_asked

    def _attach(self, pid: int) -> None:
        try:
            process = call("pidfd_open", pid, 0)
        except OSError as error:
            if error.errno in _FORBIDDEN:
                raise
            return
        try:
            self._fd = call("pidfd_getfd", process, LISTENER, 0)
        except OSError as error:
            if error.errno in _FORBIDDEN:
                raise
        finally:
            call("close", process)

    def close(self) -> None:
        """Closes the descriptor, so that later lookups of the copy fail."""
        if self._fd != -1:
            attempt("close", self._fd)
            self._fd = -1

    def _is_refused(self, pid: int, number: int, arguments: list[int]) -> bool:
        folder, at = arguments[:2] if number in _IN_A_FOLDER else (_HERE, arguments[0])
        path = _read_path(pid, at)
        if path is None:
            return False  # the kernel will find no path there either
        folder &= 0xFFFFFFFF
        name = b"cwd" if folder == _HERE else b"fd/%d" % folder
        if not path and name != b"cwd":
            return False  # the file is already open
        base = b"" if path.startswith(b"/") else read_link(b"/proc/%d/%s" % (pid, name))
        foreign = mounts().foreign
        part = foreign_part(path, base, foreign, read_link)
        if part and len(self.refused) < _MAX_TOLD:
            kind = foreign.get(part, b"").decode("ascii", "replace")
            text = "lookup of " + path.decode("utf-8", "replace")[:150]
            self.refused.append(text + (" (on " + kind + ")" if kind else ""))
        return bool(part)


def _read_path(pid: int, address: int) -> bytes | None:
    """Returns a string in the copy's memory, or None. Raises OSError if this process may not read that memory."""
    size = 0
    while size < _PATH_BYTES:  # page by page: the memory after it may not exist
        part = min(_PATH_BYTES - size, 4096 - (address + size) % 4096)
        _pieces.put(struct.pack("=QQQQ", _path.address + size, part, address + size, part))
        try:
            call("process_vm_readv", pid, _pieces.address, 1, _pieces.address + 16, 1, 0)
        except OSError as error:
            if error.errno in _FORBIDDEN:
                raise
            return None
        text, end, _ = _path.get(size + part).partition(b"\0")
        if end:
            return text
        size += part
    return None


def read_link(path: bytes) -> bytes:
    """Returns the target of a path's last part; b"" if it is not a link."""
    size = attempt("readlinkat", AT_FDCWD, path_pointer(path), _link.address, _link.size)
    return _link.get(max(size, 0))
