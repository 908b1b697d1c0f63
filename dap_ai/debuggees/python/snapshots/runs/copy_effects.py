"""Collects a copy's side effects: its output, and attempts to change something outside itself."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import io
import os
import posix
import sys
from typing import Any, Callable

from ...inspector.stored.statics import short_name

_MAX_PRINTED = 32_000
_MAX_EFFECTS = 20
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OS_EFFECTS = """chmod chown exec fork kill link lockf mkdir posix_spawn remove rename rmdir setxattr spawn
    symlink system truncate utime"""
_LOOKUP = "socket.getaddrinfo"
_EFFECTS = (
    *("os." + name for name in _OS_EFFECTS.split()),
    *("socket.bind", "socket.connect", _LOOKUP, "socket.send", "pty.spawn", "shutil."),
    *("_thread.start_new", "signal.pthread_kill", "subprocess."),
)
"""Prefixes of audit events for effects beyond the process's own memory.

Each of these actions fails in a copy. Actions that may succeed there are left out: setting an environment variable,
reading a library or a database.
"""


class Effects:
    """Records attempted side effects by Python's audit events, which come before the attempt."""

    def __init__(self, refused: Callable[[], int]) -> None:
        """`refused`: returns how often the kernel has refused a call."""
        self.seen: list[str] = []
        self._count = 0
        self._refused = refused
        self._on = True
        sys.addaudithook(self._hear)

    @property
    def count(self) -> int:
        """The number of attempts and refusals so far; it never decreases."""
        return self._count + self._refused()

    def stop(self) -> list[str]:
        """Stops recording and returns the effects seen."""
        self._on = False
        return self.seen

    def _hear(self, event: str, arguments: Any) -> None:
        if not self._on:
            return
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITING and type(path) is not int:  # else a descriptor that is already open: the copy's own
                self._note("open for writing " + _shown(path))
        elif event.startswith(_EFFECTS) and not (event == _LOOKUP and _is_asked_of_nobody(arguments[0])):
            self._note(" ".join([event, *map(_shown, arguments)]))

    def _note(self, text: str) -> None:
        self._count += 1
        if text[:200] not in self.seen and len(self.seen) < _MAX_EFFECTS:
            self.seen.append(text[:200])


def _is_asked_of_nobody(host: Any) -> bool:
    """Whether a host is an address or None, so that no name server is asked."""
    text = host.decode("ascii", "replace") if type(host) in (bytes, bytearray) else host
    if type(text) is not str:
        return text is None
    return ":" in text or all(part.isdigit() or part[:2] in ("0x", "0X") for part in text.split("."))


def _shown(x: Any, depth: int = 0) -> str:
    kind = type(x)
    if kind in (str, bytes, int, float, bool, type(None)):
        return repr(x[:100] if kind in (str, bytes) else x)
    if kind in (tuple, list) and depth < 2:
        return "(" + ", ".join(_shown(part, depth + 1) for part in x[:6]) + ")"
    return "<" + short_name(kind) + ">"


def capture_streams() -> None:
    """Redirects the standard streams: stdin reads as empty, stdout and stderr write to the copy's buffer.

    `sys.stdout` and the others are replaced as well, because the program may have redirected them.
    """
    for name, fd in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        raw: Any = io.FileIO(fd, "w" if fd else "r", closefd=False)
        buffered: Any = raw if fd else io.BufferedReader(raw)
        stream = io.TextIOWrapper(buffered, "utf-8", "backslashreplace", write_through=bool(fd))
        setattr(sys.modules["sys"], name, stream)  # `sys` here is not the program's


def printed() -> dict[str, Any]:
    """Returns the text written to stdout and stderr, as fields of a SnapshotResult."""
    size = posix.lseek(1, 0, os.SEEK_END)  # `fstat` may count as a path, which may be refused
    text = posix.pread(1, min(size, _MAX_PRINTED), 0).decode("utf-8", "replace")
    return {"printed": text, "printed_truncated": size > _MAX_PRINTED}
