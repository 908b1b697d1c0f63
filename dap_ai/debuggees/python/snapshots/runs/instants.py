"""Reads a past moment of a run: its stack, the names in its frames, and the parts of a value.

Values are read from stored data, as in the inspector; an expression may run any code, because the process is a copy.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
from itertools import islice
from typing import Any, Iterable

from ...inspector.scopes import frame_locals
from ...inspector.stored.statics import names_of, stored, text_of, type_name
from ...inspector.stored.values import ValueDescriber, length
from ..editing.sources import UserFiles
from .frame_statements import value_of
from .raising import error_line

_MAX_FRAMES, _MAX_PARTS = 200, 1000
_PLAIN = ("none", "bool", "int", "float", "complex", "str", "bytes", "date", "path", "enum", "function", "module")
_SEQUENCES: dict[str, Any] = {"tuple": (tuple,), "set": (set, frozenset)}


class Instant:
    """The state of the run at this frame. `own`: the code object that the run started with."""

    def __init__(self, frame: Any, own: Any, files: UserFiles, describer: ValueDescriber) -> None:
        self._describer = describer
        self._frames: list[Any] = []
        """The user's frames, innermost first, as the debugger shows them by default."""
        while frame is not None and len(self._frames) < _MAX_FRAMES:
            if files.has(frame.f_code.co_filename):
                self._frames.append(frame)
            if frame.f_code is own:
                break
            frame = frame.f_back

    def frames(self) -> list[dict[str, Any]]:
        """Returns PastFrame dicts, innermost first."""
        return [
            {"function": text_of(each.f_code.co_name), "file": text_of(each.f_code.co_filename), "line": each.f_lineno}
            for each in self._frames
        ]

    def look_result(self, look: dict[str, Any]) -> dict[str, Any]:
        """Returns the MomentResult dict of a MomentQuery."""
        try:
            frame = self._frames[look.get("frame", 0)]
            value, parts = self._root(frame, look)
            for index in look.get("path", ()):
                value = next(islice(iter(parts), index, None))[1]
                parts = _parts(self._describer, value)[1]
        except (IndexError, StopIteration):
            return {"error": "it is not there in this moment"}
        except BaseException as error:
            return {"error": error_line(error)}
        start, count = look.get("start", 0), look.get("count", 0) or _MAX_PARTS
        shown = islice(iter(parts), start, start + min(count, _MAX_PARTS))
        told: dict[str, Any] = {"parts": [self._shown(name, x) for name, x in shown]}
        if look.get("root", "locals").startswith("="):
            told["value"] = self._shown("", value)
        return told

    def _root(self, frame: Any, look: dict[str, Any]) -> tuple[Any, Any]:
        root, names = look.get("root", "locals"), frame_locals(frame)
        if root == "locals":
            return None, _sorted(names)
        if root == "globals":
            return None, _sorted(names_of(frame.f_globals))
        value = value_of(root[1:].strip(), frame.f_globals, {} if frame.f_locals is frame.f_globals else names)
        return value, _parts(self._describer, value)[1]

    def _shown(self, name: str, x: Any) -> dict[str, Any]:
        total, parts = _parts(self._describer, x)
        told = {"name": name, "value": self._describer.text(x), "type": type_name(type(x)), "parts": total}
        if total and type(parts) is not list:
            told["indexed"] = True
        return told


def _sorted(names: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(text_of(name), x) for name, x in names.items() if not name.startswith("__")]


def _parts(describer: ValueDescriber, x: Any) -> tuple[int, Any]:
    """Returns the number of parts of a value, and its named parts: a list, or an iterator for a sequence."""
    kind = describer.kinds.of(x)
    if kind in _PLAIN:
        return 0, []
    if kind == "list":
        base: Any = list if issubclass(type(x), list) else collections.deque
        return base.__len__(x), _numbered(base.__iter__(x))
    if kind in _SEQUENCES:
        base = next(each for each in _SEQUENCES[kind] if issubclass(type(x), each))
        return base.__len__(x), _numbered(base.__iter__(x))
    if kind == "dict":
        items = [(describer.text(key, 1), part) for key, part in islice(dict.items(x), _MAX_PARTS)]
        return length(x), items
    fields = [(text_of(name), part) for name, part in stored(x).items()]
    return len(fields), fields


def _numbered(parts: Iterable[Any]) -> Any:
    return (("[%d]" % number, part) for number, part in enumerate(parts))
