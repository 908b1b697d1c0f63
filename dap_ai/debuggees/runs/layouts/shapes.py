"""The shape of a value: its lists of objects, and the leaves of these objects, over all of them at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.readers.blocks import strings
from dap_ai.debuggees.runs.readers.shapes import table

_MAX_OBJECTS = 2000
"""Of a list that are looked at: what holds for these holds for all, or the check will tell."""
_MAX_DEPTH = 6
_MAX_LEAVES = 400
_MIN_TEXT_CHARS = 12
"""Of the mean value of a field that is a text and no name."""
_MAX_NAME_CHARS = 100


class Listed(msgspec.Struct):
    """All objects that one expression finds."""

    expression: str
    objects: list[Mapping[str, Any]]
    chars: int = 0
    """Characters of text within them."""


class Leaf(msgspec.Struct):
    """One field of the objects of a list, over all of them."""

    path: tuple[str, ...]
    values: list[Any]
    """Those that are there and not empty."""
    at: frozenset[int]
    """The numbers of the objects that have one."""
    objects: int
    """How many objects there are."""

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path[-1]

    @property
    def expression(self) -> str:
        """The field, from its object."""
        return ".".join(map(quoted, self.path))

    @property
    def texts(self) -> list[str]:
        """The values that are texts."""
        return [value for value in self.values if isinstance(value, str)]

    @property
    def is_text(self) -> bool:
        """Whether the values are texts to read, or lists of their parts."""
        lists_ = [cast("Sequence[Any]", value) for value in self.values if isinstance(value, list)]
        if len(lists_) > len(self.values) / 2:
            parts = [part for found in lists_ for part in found]
            return bool(parts) and all(isinstance(part, str) or _is_part(part) for part in parts)
        return bool(self.texts) and sum(map(len, self.texts)) / len(self.texts) >= _MIN_TEXT_CHARS

    @property
    def is_name(self) -> bool:
        """Whether the values are short texts without line breaks."""
        short = all(len(text) <= _MAX_NAME_CHARS and "\n" not in text for text in self.texts)
        return len(self.texts) > 0.9 * len(self.values) and short

    def share(self, holds: Callable[[Any], bool]) -> float:
        """How many of the values this holds for, 0 to 1."""
        return sum(map(holds, self.values)) / max(len(self.values), 1)

    @property
    def chars(self) -> int:
        """Characters of text within the values."""
        return sum(len(said) for value in self.values for said in strings(value))


def _is_part(value: Any) -> bool:
    """Whether a value is a part of a message: its only text is `text` or `content`."""
    found = table(value)
    return any(isinstance(found.get(key), str) for key in ("text", "content"))


def quoted(key: str) -> str:
    """A key as JMESPath writes it."""
    is_bare = key.isascii() and (key[:1].isalpha() or key[:1] == "_") and key.replace("_", "").isalnum()
    return key if is_bare else msgspec.json.encode(key).decode()


def lists(value: Any, start: str = "") -> list[Listed]:
    """Every list of objects within a value, those of one place as one; the outermost first."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    waiting: deque[tuple[Any, str, int]] = deque([(value, start, 0)])
    while waiting:
        top, place, depth = waiting.popleft()
        if depth > 2 * _MAX_DEPTH:
            continue
        if isinstance(top, list):
            expression = f"{place}[]"
            elements = [table(element) for element in _some(top) if isinstance(element, dict)]
            if elements:
                found[expression] += elements[: _MAX_OBJECTS - len(found[expression])]
            waiting += [(element, expression, depth + 1) for element in _some(top) if isinstance(element, (dict, list))]
        elif isinstance(top, dict):
            waiting += [
                (inner, f"{place}.{quoted(key)}" if place else quoted(key), depth + 1)
                for key, inner in table(top).items()  # pyright: ignore[reportUnknownArgumentType]
                if isinstance(inner, (dict, list))
            ]
    return [
        Listed(expression, objects, sum(len(said) for one in objects for said in strings(one)))
        for expression, objects in found.items()
        if objects
    ]


def _some(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value)[:_MAX_OBJECTS]


def leaves(objects: Sequence[Mapping[str, Any]]) -> list[Leaf]:
    """The fields of these objects, also those of objects within them; a field that is an object counts itself too."""
    values: dict[tuple[str, ...], dict[int, Any]] = {}
    for number, one in enumerate(objects):
        for path, value in _fields(one):
            if path in values or len(values) < _MAX_LEAVES:
                values.setdefault(path, {})[number] = value
    return [Leaf(path, list(found.values()), frozenset(found), len(objects)) for path, found in values.items()]


def _fields(one: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    waiting: list[tuple[tuple[str, ...], Any]] = [((key,), value) for key, value in reversed(list(one.items()))]
    while waiting:
        path, value = waiting.pop()
        if value in (None, "", [], {}):
            continue
        yield path, value
        if isinstance(value, dict) and len(path) < _MAX_DEPTH:
            waiting += [((*path, key), inner) for key, inner in reversed(list(table(value).items()))]  # pyright: ignore[reportUnknownArgumentType]
