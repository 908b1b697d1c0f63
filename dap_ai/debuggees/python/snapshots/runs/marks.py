"""Makes marks of objects, to detect changes: equal marks mean equal texts. No code of the program runs.

Making a text at each line is too expensive. A mark contains the parts of the text: items of builtin containers (read by
the builtin type's own methods), and attributes from slots and instance dictionaries. A part is represented by its
identity and, if plain, by its value. An object whose parts cannot be read this way is marked by its text. A mark never
keeps an object alive that may have a finalizer.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import types
from itertools import islice
from typing import Any, Iterable

from ...inspector.stored.statics import Member, instance_dict, is_dunder, made_in_c, mro, namespace, slots
from ...inspector.stored.values import ValueDescriber

PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None)])
"""Exact types whose values are immutable and compared by the interpreter's own `==`; their values are kept."""
_OPAQUE = frozenset([types.FunctionType, types.ModuleType, types.BuiltinFunctionType, types.MethodType, type, range])
_MAX_PARTS = 300
_CONTAINERS: dict[int, Any] = {id(cls): cls for cls in (dict, list, collections.deque, tuple, set, frozenset)}

identity: Any = object.__hash__
"""Returns a number like `id`, but without raising an audit event."""


class _Layout:
    """How objects of a type store their contents: as a container, in slots, or in an instance dictionary."""

    __slots__ = ("base", "cls", "has_names", "has_slots", "is_readable")

    def __init__(self, cls: Any, kind: str) -> None:
        bases = mro(cls)
        self.cls = cls  # so that its id is not reused
        self.base = next((base for base in bases if id(base) in _CONTAINERS), None)
        """The builtin container that the type is or derives from; None for other types."""
        others = [base for base in bases if base is not object and base is not types.SimpleNamespace]
        self.is_readable = self.base is not None or (kind == "object" and not any(map(made_in_c, others)))
        self.has_names = cls is not self.base
        self.has_slots = any(
            type(part) is Member and not is_dunder(name) for base in others for name, part in namespace(base).items()
        )


class Marker:
    """Makes marks of objects that are as precise as the describer's texts."""

    def __init__(self, describer: ValueDescriber) -> None:
        self._describer = describer
        self._depth = describer.max_depth
        self._parts = max(describer.max_items, describer.max_fields)
        self._left = 0
        self._layouts: dict[int, _Layout] = {}

    def mark(self, x: Any) -> Any:
        """Returns the mark of an object that is not plain; for an object with very many parts, its text."""
        self._left = _MAX_PARTS
        found = self._mark(x, 0)
        return found if self._left > 0 else [identity(x), self._describer.text(x)]

    def _mark(self, x: Any, depth: int) -> Any:
        kind = type(x)
        if kind in _OPAQUE or depth > self._depth or self._left <= 0:
            return identity(x)
        layout = self._layouts.get(id(kind))
        if layout is None:
            layout = self._layouts[id(kind)] = _Layout(kind, self._describer.kinds.of(x))
        if not layout.is_readable:
            return [identity(x), self._describer.text(x, depth)]
        marks: list[Any] = [identity(x)]
        base = layout.base
        if base is dict:
            self._add(marks, dict.keys(x), dict.__len__(x), depth)
            self._add(marks, dict.values(x), 0, depth)
        elif base is not None:
            self._add(marks, base.__iter__(x), base.__len__(x), depth)
        if layout.has_names:
            self._add_names(marks, x, layout, depth)
        return marks

    def _add_names(self, marks: list[Any], x: Any, layout: _Layout, depth: int) -> None:
        own = instance_dict(x)
        if own is not None and issubclass(type(own), dict):
            self._add(marks, dict.keys(own), dict.__len__(own), depth)
            self._add(marks, dict.values(own), 0, depth)
        if layout.has_slots:
            values = slots(x)
            self._add(marks, values, len(values), depth)
            self._add(marks, values.values(), 0, depth)

    def _add(self, marks: list[Any], parts: Iterable[Any], size: int, depth: int) -> None:
        marks.append(size)
        for part in list(islice(parts, self._parts)):
            self._left -= 1
            if type(part) in PLAIN:
                marks.append(identity(part))
                marks.append(part)
            else:
                marks.append(self._mark(part, depth + 1))
