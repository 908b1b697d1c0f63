"""How the values of names change from line to line, noticed without running any code of the program."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import time
import types
from itertools import islice
from typing import Any

from ..reading.statics import instance_dict, text_of
from ..reading.values import Describer

_FIRST, _LAST = 3, 2
_MAX_PARTS = 24
_MAX_DEPTH = 2
_ALWAYS_TOLD, _TOLD_THEN = 200, 50
PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None)])
"""Exact types whose values never change, and whose `==` is the interpreter's: they are kept, and described later."""
_SEQUENCES = frozenset([list, tuple, set, frozenset, collections.deque])
_OPAQUE = frozenset([types.FunctionType, types.ModuleType, types.BuiltinFunctionType, types.MethodType, type, range])
_HIDDEN = ("__class__", "__pydevd_ret_val_dict", "_pydev_stop_at_break", "__builtins__")

identity: Any = object.__hash__
"""A number as `id` gives one, but without an audit event each time."""

_clock = time.perf_counter
_LONGEST_LOOK_S = 0.005
"""A longer one had to wait for a processor, which does not count."""


class Changes:
    """The values that one line gave to one name: a plain value, or the text of another in a tuple of one."""

    __slots__ = ("count", "first", "last")

    def __init__(self) -> None:
        self.count = 0
        self.first: list[Any] = []
        self.last: list[Any] = []

    def add(self, x: Any) -> None:
        """One more; one that equals the one before it is counted only."""
        self.count += 1
        known = self.last or self.first
        if known and type(known[-1]) is type(x) and known[-1] == x:
            return
        if len(self.first) < _FIRST:
            self.first.append(x)
        else:
            self.last = [*self.last[-_LAST + 1 :], x]

    def facts(self, name: str, describer: Describer) -> dict[str, Any]:
        """The Changed structure."""
        texts = [x[0] if type(x) is tuple else describer.text(x) for x in self.first + self.last]
        return {"name": text_of(name), "texts": texts, "count": self.count}


class Observer:
    """Looks at a frame's names after each line, until it has cost too much."""

    def __init__(self, describer: Describer, seconds: float) -> None:
        self.is_on = True
        self.has_skipped = False
        """Whether a text is older than the last change: to describe an object each time is too dear in a long loop."""
        self._describer = describer
        self._left_s = seconds

    def look(
        self, before: dict[str, Any], frame: Any, names: Any, changes: dict[str, Changes] | None, note: Any = None
    ) -> None:
        """Notes what differs from `before`, and brings it up to date; without `changes` it only does the latter.

        `names`: those to look at, None for all. `note(name, told)` is called for each that differs, if there is one.
        """
        started = _clock()
        scope = frame.f_locals
        pairs = scope.items() if names is None else [(name, scope[name]) for name in names if name in scope]
        for name, x in pairs:
            kind = type(x)
            was = before.get(name)
            if kind in PLAIN:
                if was is x and (x is not None or name in before):
                    continue
                if type(was) is kind and was == x and name in before:
                    continue
                before[name] = told = x
            else:
                mark = (identity(x), parts_of(x, kind, 0))
                if type(was) is _Seen and was.mark == mark:
                    continue
                known = changes.get(name) if changes is not None else None
                if known is not None and known.count > _ALWAYS_TOLD and known.count % _TOLD_THEN:
                    known.count += 1
                    before[name] = _Seen(mark, None)
                    self.has_skipped = True
                    continue
                text = self._describer.text(x) if changes is not None else ""
                same = type(was) is _Seen and was.mark[0] == mark[0] and was.text == text
                before[name] = _Seen(mark, text)
                if same:
                    continue
                told = (text,)
            if changes is not None and name not in _HIDDEN:
                known = changes.get(name)
                if known is None:
                    known = changes[name] = Changes()
                known.add(told)
                if note is not None:
                    note(name, told)
        self._left_s -= min(_clock() - started, _LONGEST_LOOK_S)
        if self._left_s < 0:
            self.is_on = False


class _Seen:
    """What an object that may change looked like; it is not kept alive."""

    __slots__ = ("mark", "text")

    def __init__(self, mark: Any, text: str | None) -> None:
        self.mark = mark
        self.text = text


def parts_of(x: Any, kind: Any, depth: int) -> Any:
    """Something that differs when a part of an object has been put there, taken away or replaced."""
    if kind in _OPAQUE or depth > _MAX_DEPTH:
        return None
    if kind in _SEQUENCES:
        size, parts = len(x), islice(x, _MAX_PARTS)
        last = identity(x[-1]) if size > _MAX_PARTS and kind is list else 0
    else:
        held = x if kind is dict else instance_dict(x)
        if held is None or not issubclass(type(held), dict):
            return None
        size, parts, last = dict.__len__(held), islice(dict.values(held), _MAX_PARTS), 0
    marks: list[Any] = [size, last]
    for part in parts:
        part_kind = type(part)
        marks.append(identity(part) if part_kind in PLAIN else (identity(part), parts_of(part, part_kind, depth + 1)))
    return marks
