"""Records about code objects and frames that are followed line by line, with how each line was reached."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any

from ...inspector.stored.statics import qualified_name, text_of

_SUSPENDS = 0x20 | 0x80 | 0x200  # inspect.CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


class FollowedCode:
    """A code object of the run, and whether its frames are followed."""

    __slots__ = ("code", "file", "is_followed", "is_home", "name", "suspends")

    def __init__(self, code: Any, is_followed: bool, is_home: bool) -> None:
        self.code = code  # so that its id is not reused
        self.is_followed, self.is_home = is_followed, is_home
        self.file, self.name = text_of(code.co_filename), qualified_name(code)
        self.suspends = code.co_flags & _SUSPENDS


class FollowedFrame:
    """A followed frame of the run, with its current line."""

    __slots__ = ("_follower", "_offset", "caller", "entries", "known", "line", "subject")

    def __init__(self, follower: Any, known: FollowedCode) -> None:
        self._follower = follower
        self.known = known
        self.caller: FollowedFrame | None = None
        self.subject: Any = None
        self.line, self._offset = 0, -1
        self.entries: dict[int, dict[tuple[int, int], int]] = {}
        """By line: how often it was entered, by (code offset, line before it or -1)."""

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The frame's trace function: passes each event to the follower."""
        try:
            if event == "line":
                self._follower.on_line(self, frame)
            elif event == "return":
                self._follower.on_return(self, frame)
            elif event == "exception":
                self._follower.on_exception(argument[1], argument[2])
        except Exception:  # no stack is left: raised here, it would reach the program
            self._follower.is_cut = True
        return self.trace

    def at(self, frame: Any) -> None:
        """Records that a line starts. A comprehension within the line does not count as another start."""
        line, offset = frame.f_lineno, frame.f_lasti
        if line != self.line or offset == self._offset:
            entries = self.entries.setdefault(line, {})
            entry = offset, self.line or -1
            entries[entry] = entries.get(entry, 0) + 1
            self.line, self._offset = line, offset
