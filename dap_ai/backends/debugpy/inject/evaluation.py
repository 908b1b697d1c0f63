"""Evaluates one expression inside a locked copy, and tells what came of it."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import io
import os
import posix
import sys
from keyword import iskeyword
from typing import Any

from .statics import short_name, text_of
from .values import Budget, Describer
from .walker import frame_locals

_MAX_PRINTED = 32_000
_MAX_EFFECTS = 20
_MAX_ERROR = 2000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OS_EFFECTS = """chmod chown exec fork kill link lockf mkdir posix_spawn putenv remove rename rmdir setxattr spawn
    symlink system truncate unsetenv utime"""
_EFFECTS = (
    *("os." + name for name in _OS_EFFECTS.split()),
    *("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.send", "sqlite3.", "pty.spawn", "shutil."),
    *("_thread.start_new", "ctypes.dlopen", "signal.pthread_kill", "subprocess."),
)
"""How the names of audit events begin that mean: this would have reached beyond the process's own memory."""


class Effects:
    """What an expression tried to do to the world, as Python's audit events tell it."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._on = True
        sys.addaudithook(self._hear)

    def stop(self) -> list[str]:
        """What was seen; from here on nothing is noted."""
        self._on = False
        return self.seen

    def _hear(self, event: str, arguments: Any) -> None:
        if not self._on or len(self.seen) >= _MAX_EFFECTS:
            return
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITING:
                self._note("open for writing " + _shown(path))
        elif event.startswith(_EFFECTS):
            self._note(" ".join([event, *map(_shown, arguments)]))

    def _note(self, text: str) -> None:
        if text[:200] not in self.seen:
            self.seen.append(text[:200])


def _shown(x: Any, depth: int = 0) -> str:
    kind = type(x)
    if kind in (str, bytes, int, float, bool, type(None)):
        return repr(x[:100] if kind in (str, bytes) else x)
    if kind in (tuple, list) and depth < 2:
        return "(" + ", ".join(_shown(part, depth + 1) for part in x[:6]) + ")"
    return "<" + short_name(kind) + ">"


class Evaluation:
    """One expression in one frame. Made before the copy: to touch many objects is dearer there, page by page."""

    def __init__(self, frame: Any, expression: str, limits: dict[str, Any]) -> None:
        self._expression = expression
        self._globals = frame.f_globals
        self._locals = {} if frame.f_locals is frame.f_globals else frame_locals(frame)
        budget = Budget(limits.get("max_bytes", 200_000), 1e6)  # the copy's own deadline ends it
        self._describer = Describer(limits, budget)
        self._describer.value(None)  # finds out which libraries are loaded

    def run(self) -> dict[str, Any]:
        """The SnapshotResult structure, but for its time. Whatever the expression does, it returns or the copy ends."""
        _capture_output()
        effects = Effects()
        reply: dict[str, Any]
        try:
            reply = {"status": "ok", "value": self._describer.value(self._value())}
        except BaseException as error:
            reply = {"status": "raised", "error": _error(error)}
        reply["effects"] = effects.stop()
        return dict(reply, **_printed())

    def _value(self) -> Any:
        """Locals are parameters of a function around it: then comprehensions and lambdas see them, and globals live."""
        code = compile(self._expression, "<snapshot>", "eval", dont_inherit=True)
        if not self._locals:
            return eval(code, self._globals)  # noqa: S307  what it is for
        names = {name: x for name, x in self._locals.items() if name.isidentifier() and not iskeyword(name)}
        source = "lambda " + ", ".join(names) + ": (\n" + self._expression + "\n)"
        return eval(compile(source, "<snapshot>", "eval", dont_inherit=True), self._globals)(**names)  # noqa: S307


def _capture_output() -> None:
    """Descriptors 1 and 2 lead into the copy's own buffer already; the program's `sys.stdout` may lead elsewhere."""
    for name, fd in (("stdout", 1), ("stderr", 2)):
        raw: Any = io.FileIO(fd, "w", closefd=False)
        setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True))


def _printed() -> dict[str, Any]:
    size = posix.fstat(1).st_size
    text = posix.pread(1, min(size, _MAX_PRINTED), 0).decode("utf-8", "replace")
    return {"printed": text, "printed_truncated": size > _MAX_PRINTED}


def _error(error: BaseException) -> str:
    name = short_name(type(error))
    try:
        text = text_of(str(error))
    except BaseException as second:
        text = "<its __str__ raised " + short_name(type(second)) + ">"
    return (name + ": " + text if text else name)[:_MAX_ERROR]
