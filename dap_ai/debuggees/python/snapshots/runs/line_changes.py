"""Detects which names change their values from line to line, without running code of the program."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import time
from typing import Any

from ...inspector.stored.statics import text_of
from ...inspector.stored.values import ValueDescriber
from .marks import PLAIN, Marker, identity

_FIRST, _LAST = 3, 2
_ALWAYS_TOLD, _TOLD_THEN = 200, 50
_HIDDEN = ("__class__", "__pydevd_ret_val_dict", "_pydev_stop_at_break", "__builtins__")

_clock = time.perf_counter
_LONGEST_LOOK_S = 0.005
"""Maximum seconds charged for one comparison; a longer one had to wait for a processor."""


class LineChanges:
    """Values that one line gave to one name, each with the moment of the change.

    A plain value is kept; any other value is kept as its text, in a tuple of one item.
    """

    __slots__ = ("count", "first", "last")

    def __init__(self) -> None:
        self.count = 0
        self.first: list[tuple[Any, int]] = []
        self.last: list[tuple[Any, int]] = []

    def add(self, x: Any, moment: int) -> None:
        """Adds a value; a value equal to the one before it only increases the count."""
        self.count += 1
        known = self.last or self.first
        if known and type(known[-1][0]) is type(x) and known[-1][0] == x:
            return
        if len(self.first) < _FIRST:
            self.first.append((x, moment))
        else:
            self.last = [*self.last[-_LAST + 1 :], (x, moment)]

    def facts(self, name: str, describer: ValueDescriber, until: int | None = None) -> dict[str, Any] | None:
        """Returns the ValueChanges dict of the values up to a moment, or of all values.

        None if the values up to that moment were not kept.
        """
        rows = self.first + self.last
        kept = [x for x, moment in rows if until is None or moment <= until]
        if len(kept) < len(rows) and (self.count > len(rows) or not kept):
            return None
        texts = [x[0] if type(x) is tuple else describer.text(x) for x in kept]
        return {"name": text_of(name), "texts": texts, "count": self.count - len(rows) + len(kept)}


class Observer:
    """Compares a frame's values after each line, until the comparisons have cost too much time."""

    def __init__(self, describer: ValueDescriber, seconds: float) -> None:
        self.is_on = True
        self.has_skipped = False
        """Whether changes were counted without describing the new value, as in a long loop."""
        self._describer = describer
        self._marker = Marker(describer)
        self._left_s = seconds

    def look(
        self,
        before: dict[str, Any],
        frame: Any,
        names: Any,
        changes: dict[str, LineChanges] | None,
        *,
        note: Any = None,
        moment: int = 0,
    ) -> None:
        """Adds the values that differ from `before` to `changes`, if given, and updates `before`.

        `names`: the names to compare, None for all. `note(name, told)`, if given, is called for each value that
        differs. `moment`: the time of this comparison, in steps that never decrease.
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
                mark = self._marker.mark(x)
                if type(was) is _ObjectMark and was.mark == mark:
                    continue
                known = changes.get(name) if changes is not None else None
                if known is not None and known.count > _ALWAYS_TOLD and known.count % _TOLD_THEN:
                    known.count += 1
                    before[name] = _ObjectMark(x, mark, None)
                    self.has_skipped = True
                    continue
                text = self._describer.text(x) if changes is not None else ""
                same = type(was) is _ObjectMark and was.identity == identity(x) and was.text == text
                before[name] = _ObjectMark(x, mark, text)
                if same:
                    continue
                told = (text,)
            if changes is not None and name not in _HIDDEN:
                known = changes.get(name)
                if known is None:
                    known = changes[name] = LineChanges()
                known.add(told, moment)
                if note is not None:
                    note(name, told)
        self._left_s -= min(_clock() - started, _LONGEST_LOOK_S)
        if self._left_s < 0:
            self.is_on = False


class _ObjectMark:
    """A mutable object's last state, to detect changes; does not keep the object alive."""

    __slots__ = ("identity", "mark", "text")

    def __init__(self, x: Any, mark: Any, text: str | None) -> None:
        self.identity = identity(x)
        self.mark = mark
        self.text = text
