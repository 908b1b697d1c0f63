"""Describes a value as one line of text and as a dict, limited in depth, items, characters and time.

This works like `reprlib`, but with the type's own C functions (`list.__iter__`, never `iter(x)`), and with one budget
for the whole inspection. Limits work at three levels: items and characters of one text (`joined`), depth of nesting
(`text`), bytes and time of the inspection (`VisitBudget`). A text that a limit cuts is marked as incomplete.
"""

# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import time
from itertools import islice
from typing import Any, Iterable

from .copies import copy_text, copy_value
from .freezing import Frozen
from .layouts import DETAILS, TEXTS, raised_at
from .object_kinds import Kinds
from .scalars import SCALARS, known_text
from .statics import instance_dict, lookup, mro, names_of, namespace, short_name, stored, text_of, type_name

_MAX_TABLES = 8
"""Maximum tables per inspection, because the texts of other values need room in the reply."""
_UNSHARED = ("none", "bool", "int", "float", "complex", "str", "range", "date", "path", "enum")
"""Kinds of values whose address is not reported, because equal values may share one object."""


class VisitBudget:
    """Limits of an inspection: bytes of the reply, and processor time (not time by the clock, for busy machines)."""

    # Class attributes: libraries that freeze time replace the names of modules.
    clock = staticmethod(time.perf_counter)
    processor = staticmethod(time.thread_time)

    def __init__(self, max_bytes: int, deadline_ms: float) -> None:
        self.started, self.began = self.clock(), self.processor()
        self.max_s = deadline_ms / 1000
        self.left = max_bytes
        self.truncated = False

    def spent(self) -> bool:
        """Whether the budget is used up; if so, marks the reply as `truncated`."""
        if self.left <= 0 or self._is_late():
            self.truncated = True
            return True
        return False

    def _is_late(self) -> bool:
        # Wall-clock time first: it is never less than processor time, and saves a system call.
        return self.clock() - self.started >= self.max_s and self.processor() - self.began >= self.max_s

    def milliseconds(self) -> float:
        """Returns the wall-clock time since the inspection began."""
        return round((self.clock() - self.started) * 1000, 3)


class ValueDescriber:
    """Describes values as texts and Value dicts, within the limits of a query."""

    def __init__(self, query: dict[str, Any], budget: VisitBudget) -> None:
        self.budget = budget
        self.kinds = Kinds()
        self.max_text = max(16, query.get("max_text", 200))
        self.max_items = max(1, query.get("max_items", 12))
        self.max_depth = max(1, query.get("max_depth", 3))
        self.max_fields = max(0, query.get("max_fields", 16))
        self.max_rows = max(0, query.get("max_rows", 0))
        self.first_row = query.get("first_row")
        self.tables_left = _MAX_TABLES
        self.may_run = False
        """Whether the program's code may run to read a value, because this process is a copy."""
        self._cut = False
        self._path: list[int] = []

    def value(self, x: Any) -> dict[str, Any]:
        """Returns the Value dict of an object."""
        if type(x) is Frozen:
            return copy_value(self, x)
        kind = self.kinds.of(x)
        described: dict[str, Any] = {"text": "...", "type": type_name(type(x)), "kind": kind}
        if self.budget.spent():
            described["truncated"] = True
            return described
        self._cut = False
        described["text"] = self.text(x)
        if self._cut:
            described["truncated"] = True
        # The address shows that two names refer to one object. For numbers and strings it would be misleading:
        # the interpreter may share equal ones.
        if kind not in _UNSHARED and type(x) is not tuple and type(x) is not bytes:
            described["address"] = id(x)
        described.update({name: part for name, part in self._details(x, kind).items() if part not in ("", None)})
        self.budget.left -= 60 + 2 * len(described["text"]) + sum(2 * len(key) for key in described.get("keys", ()))
        return described

    def text(self, x: Any, depth: int = 0) -> str:
        """Returns an object as one line of text, like a repr, of little more than twice `max_text` characters."""
        if type(x) is Frozen:
            return copy_text(self, x, depth)
        kind = self.kinds.of(x)
        try:
            if kind in SCALARS:
                plain = x.item() if self.kinds.of_numpy(x) else x
                return _named(x, kind, SCALARS[kind](self, plain))
            # Only the containers around this one, as in `repr`: an object that occurs twice side by side is shown
            # twice, one that contains itself is abbreviated. A set of all seen objects would hide the second of two
            # equal rows.
            if any(seen == id(x) for seen in self._path):
                return _closed(kind, x)
            if depth > self.max_depth or self.budget.spent():
                self._cut = True
                return _closed(kind, x)
            self._path.append(id(x))
            try:
                write = _CONTAINERS.get(kind) or TEXTS.get(kind) or _object
                return self._bounded(write(self, x, depth))
            finally:
                self._path.pop()
        except Exception:  # it changed while it was read, or has another version's layout
            return "<" + short_name(type(x)) + ", not readable>"

    def wants_table(self) -> bool:
        """Whether to add a table to a value's description; each call counts against the maximum of tables."""
        self.tables_left -= 1
        return self.max_rows > 0 and self.tables_left >= 0

    def omit(self) -> None:
        """Records that the current text does not show the whole value."""
        self._cut = True

    def joined(self, pieces: Iterable[str], total: int, limit: int, separator: str = ", ") -> str:
        """Joins at most `limit` pieces, and appends the number of the remaining pieces of `total`."""
        shown: list[str] = []
        room = self.max_text
        for piece in islice(pieces, limit):
            shown.append(piece)
            room -= len(piece) + len(separator)
            if room <= 0:
                break
        if total > len(shown):
            self._cut = True
            shown.append("... %d more" % (total - len(shown)))
        return separator.join(shown)

    def items(self, xs: Iterable[Any], total: int, depth: int) -> str:
        """Returns the texts of a container's first items, joined."""
        return self.joined((self.text(x, depth + 1) for x in xs), total, self.max_items)

    def fields(self, values: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns Field dicts of the named values, at most `max_fields`."""
        made: list[dict[str, Any]] = []
        for name, x in list(values.items())[: self.max_fields]:
            if self.budget.spent():
                break
            of = x.type if type(x) is Frozen else type_name(type(x))
            field: dict[str, Any] = {"name": text_of(name), "text": self.text(x, 1), "type": of}
            if type(x) is not Frozen and self.kinds.of(x) not in _UNSHARED:
                field["address"] = id(x)
            made.append(field)
            self.budget.left -= 60 + 2 * len(field["text"])
        return made

    def _bounded(self, text: str) -> str:
        if len(text) <= 2 * self.max_text:
            return text
        self._cut = True
        return text[: 2 * self.max_text] + "..."

    def _details(self, x: Any, kind: str) -> dict[str, Any]:
        try:
            if kind in ("str", "bytes", "list", "tuple", "set", "dict", "range"):
                return _container_details(self, x, kind)
            if kind == "exception":
                return {**object_details(self, x), "raised": raised_at(x) or None}
            return DETAILS.get(kind, object_details)(self, x) if kind not in _UNSHARED or kind == "enum" else {}
        except Exception:
            return {"note": "its parts are not readable"}


def length(x: Any) -> int:
    """Returns the number of items in a builtin container or a subclass's instance, by the builtin type's `__len__`."""
    for base in mro(type(x)):
        if id(base) in _LENGTHS:
            return _LENGTHS[id(base)](x)
    return 0


def field_names(cls: Any) -> tuple[str, ...]:
    """Returns the field names of a named tuple's class; an empty tuple for other classes."""
    names = lookup(cls, "_fields")
    return names if type(names) is tuple and all(type(name) is str for name in names) else ()


def object_details(describer: ValueDescriber, x: Any) -> dict[str, Any]:
    """Returns an object's stored fields, and a note of properties that were not read."""
    if known_text(x):
        return {}
    values = stored(x)
    computed = [name for base in mro(type(x)) for name, part in namespace(base).items() if type(part) is property]
    notes: list[str] = []
    if len(values) > describer.max_fields:
        notes.append("%d more fields" % (len(values) - describer.max_fields))
    if computed:
        notes.append("not read: %s (property)" % ", ".join(map(text_of, computed[:8])))
    return {"fields": describer.fields(values), "note": "; ".join(notes)}


def _container_details(describer: ValueDescriber, x: Any, kind: str) -> dict[str, Any]:
    details: dict[str, Any] = {"length": length(x)}
    if kind == "dict":
        limit = 4 * describer.max_items
        details["keys"] = [describer.text(key, 1) for key in list(islice(dict.keys(x), limit))]
    names = field_names(type(x)) if kind == "tuple" else ()
    own = instance_dict(x)
    fields = dict(zip(names, tuple.__iter__(x))) if names else {}
    if own and issubclass(type(own), dict):
        fields.update(names_of(own, describer.max_fields))
    if fields:
        details["fields"] = describer.fields(fields)
    return details


def _closed(kind: str, x: Any) -> str:
    shapes = {"list": "[...]", "tuple": "(...)", "set": "{...}", "dict": "{...}"}
    return shapes.get(kind) or "<" + short_name(type(x)) + " ...>"


def _named(x: Any, kind: str, text: str) -> str:
    """Returns a text, wrapped in the class name for a subclass of a builtin type: `Celsius(21.5)`."""
    plain = kind in ("enum", "date", "path") or short_name(type(x)) in (kind, "NoneType", "bytearray")
    return text if plain else short_name(type(x)) + "(" + text + ")"


def _list(describer: ValueDescriber, x: Any, depth: int) -> str:
    base: Any = list if issubclass(type(x), list) else collections.deque
    size = base.__len__(x)
    head = list(islice(base.__iter__(x), describer.max_items))
    text = "[" + describer.items(head, size, depth) + "]"
    most = collections.deque.maxlen.__get__(x) if base is collections.deque else None
    if most is not None:
        text += ", maxlen=%d" % most
    return text if type(x) is list else short_name(type(x)) + "(" + text + ")"


def _tuple(describer: ValueDescriber, x: Any, depth: int) -> str:
    names, size = field_names(type(x)), tuple.__len__(x)
    head = tuple.__getitem__(x, slice(0, describer.max_items))
    if names:
        pieces = (name + "=" + describer.text(part, depth + 1) for name, part in zip(names, head))
        return short_name(type(x)) + "(" + describer.joined(pieces, size, describer.max_items) + ")"
    text = "(" + describer.items(head, size, depth) + ("," if size == 1 else "") + ")"
    return text if type(x) is tuple else short_name(type(x)) + "(" + text + ")"


def _set(describer: ValueDescriber, x: Any, depth: int) -> str:
    base: Any = set if issubclass(type(x), set) else frozenset
    size = base.__len__(x)
    head = list(islice(base.__iter__(x), describer.max_items))
    text = "{" + describer.items(head, size, depth) + "}" if size else ""
    return text if type(x) is set and size else short_name(type(x)) + "(" + text + ")"


def _dict(describer: ValueDescriber, x: Any, depth: int) -> str:
    head = list(islice(dict.items(x), describer.max_items))
    pieces = (describer.text(key, depth + 1) + ": " + describer.text(part, depth + 1) for key, part in head)
    text = "{" + describer.joined(pieces, dict.__len__(x), describer.max_items) + "}"
    return text if type(x) is dict else short_name(type(x)) + "(" + text + ")"


def _object(describer: ValueDescriber, x: Any, depth: int) -> str:
    known = known_text(x)
    if known:
        return known
    values = stored(x)
    pieces = (text_of(name) + "=" + describer.text(part, depth + 1) for name, part in values.items())
    body = describer.joined(pieces, len(values), describer.max_fields, " ")
    return "<" + short_name(type(x)) + (" " + body if body else "") + ">"


_CONTAINERS: dict[str, Any] = {"list": _list, "tuple": _tuple, "set": _set, "dict": _dict}
_LENGTHS: dict[int, Any] = {
    id(cls): cls.__len__ for cls in (str, bytes, bytearray, list, tuple, set, frozenset, dict, range, collections.deque)
}
