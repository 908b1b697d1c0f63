"""Detects whether a rerun has reached the program's stop: the same lines of the same functions, with equal values."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import types
from typing import Any

from ...inspector.scopes import frame_locals
from ...inspector.stored.statics import MISSING, text_of
from ...inspector.stored.values import ValueDescriber
from ..editing.sources import UserFiles
from .marks import PLAIN

_MAX_FRAMES = 200
_FRAMES_WITH_VALUES, _MAX_VALUES = 12, 60
_NEVER = (types.FunctionType, types.ModuleType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType)


def place_of(code: Any) -> tuple[str, str, int]:
    """Returns a key that is equal for a function and its recompiled version: file name, function name, first line."""
    is_module = code.co_name == "<module>"
    return (
        text_of(code.co_filename).rpartition("/")[2],
        text_of(code.co_name),
        0 if is_module else code.co_firstlineno,
    )


def class_place(cls: Any) -> tuple[str, str]:
    """Returns a key that is equal for a class and its reloaded version: module and qualified name."""
    return (str(type.__dict__["__module__"].__get__(cls)), type.__dict__["__qualname__"].__get__(cls))


class Arrival:
    """The stop that a rerun must reach. Create it where the program is stopped, before anything runs."""

    def __init__(self, stopped: Any, files: UserFiles, describer: ValueDescriber) -> None:
        self._files = files
        self._describer = describer
        frames = self._users(stopped, None)
        self._stack = [(place_of(each.f_code), each.f_lineno) for each in frames]
        self._values = [self._of(each) for each in frames[:_FRAMES_WITH_VALUES]]
        self.has_come = False
        self.differs = ""
        """The difference in values, as a clause, if the run last reached the place with other values."""

    def is_here(self, frame: Any, own: Any) -> bool:
        """Whether the frame is at the stop. `own`: the code object that the run started with."""
        wanted, line = self._stack[0] if self._stack else (None, 0)
        if frame.f_lineno != line or place_of(frame.f_code) != wanted:
            return False
        frames = self._users(frame, own)
        places = [(place_of(each.f_code), each.f_lineno) for each in frames]
        if places != self._stack[: len(places)]:  # below are the frames that started the program
            return False
        for each, values in zip(frames, self._values):  # noqa: B905  Python 3.8
            names = frame_locals(each)
            for name, was in values.items():
                x = names.get(name, MISSING)
                if not self._is_same(was, x):
                    self.differs = "`%s` was %s" % (name, "not there" if x is MISSING else self._describer.text(x))
                    return False
        self.has_come, self.differs = True, ""
        return True

    def _users(self, frame: Any, last: Any) -> list[Any]:
        """Returns the user's frames, innermost first, up to the frame with the code object `last`."""
        found: list[Any] = []
        while frame is not None and len(found) < _MAX_FRAMES:
            if self._files.has(frame.f_code.co_filename):
                found.append(frame)
            if frame.f_code is last:
                break
            frame = frame.f_back
        return found

    def _of(self, frame: Any) -> dict[str, Any]:
        names = [(name, x) for name, x in frame_locals(frame).items() if not name.startswith("__")]
        told = [(name, x) for name, x in names if not isinstance(x, (*_NEVER, type))]
        return {name: x if type(x) in PLAIN else (self._describer.text(x),) for name, x in told[:_MAX_VALUES]}

    def _is_same(self, was: Any, x: Any) -> bool:
        if type(was) is tuple:
            return x is not MISSING and type(x) not in PLAIN and self._describer.text(x) == was[0]
        return was is x or (type(x) is type(was) and (x == was or repr(x) == repr(was) == "nan"))
