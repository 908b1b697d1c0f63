"""Events that hold the locations of long texts instead of the texts, for files too large to keep in memory.

A reader creates events as usual. If a long text is a JSON string of the line or span, a `TextLocation` then replaces
it, and the text is read from the file again on access. Texts that a reader composed stay in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.readers.content_blocks import text_of
from dap_ai.debuggees.runs.run_files import CannotRead, opened
from dap_ai.debuggees.runs.run_model import Event

_LONG_CHARS = 256
"""Minimum characters of a text that is left in the file."""
_HEAD_CHARS = 320
"""Number of leading characters kept of a text that is left in the file, for one-line summaries."""
_MOST_KEPT = 16
_GONE = "(the run's file has changed since it was opened: this text is no longer there)"
Key = str | int | None
"""Step on the path to a JSON value: a key, an index, or None to parse a string as JSON."""


class ThinSource:
    """A file from which values are read, with a cache."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[int, Any] = {}

    def value(self, start: int, length: int) -> Any:
        """Return the JSON value of `length` bytes at the byte offset `start`. Raises CannotRead."""
        if start not in self._kept:
            with opened(self._path) as file:
                file.seek(start)
                value, _ = decoded(file.read(length))
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[start] = value
        return self._kept[start]


class TextLocation:
    """Location of a text or object: a byte range in a file, and the path within the JSON value there."""

    __slots__ = ("_keys", "_length", "_source", "_start", "head")

    def __init__(self, page: Page, keys: tuple[Key, ...], head: str) -> None:
        self._source, self._start, self._length = page.source, page.start, page.length
        self._keys = keys
        self.head = head
        """Beginning of the text; empty for an object."""

    def read(self) -> Any:
        """Return the text or object, or None if the file has changed. Raises nothing."""
        try:
            value = self._source.value(self._start, self._length)
            for key in self._keys:
                value = decoded(cast("str", value).encode())[0] if key is None else value[key]
        except (CannotRead, LookupError, TypeError, AttributeError, UnicodeEncodeError):
            return None
        return value

    def __str__(self) -> str:
        found = self.read()
        return found if isinstance(found, str) else _GONE


class Page:
    """The line or span that a reader is reading: its byte range, and the paths of the long texts in its value."""

    def __init__(self, source: ThinSource, start: int, length: int, value: Any) -> None:
        self.source, self.start, self.length = source, start, length
        self._value = value
        self._texts: dict[str, tuple[Key, ...]] | None = None
        self._objects: list[tuple[Any, tuple[Key, ...]]] = []

    def text(self, text: str) -> TextLocation | str:
        """Return the location of a text.

        A short text is returned itself, and so is a text that is not a string of the value.
        """
        if len(text) < _LONG_CHARS:
            return text
        keys = self._known().get(text)
        return text if keys is None else TextLocation(self, keys, text[:_HEAD_CHARS])

    def table(self, table: Mapping[str, Any] | None) -> TextLocation | Mapping[str, Any] | None:
        """Return the location of an object with long texts. Any other object is returned itself."""
        if table is None or not any(len(text_of(value)) >= _LONG_CHARS for value in table.values()):
            return table
        self._known()
        return next((TextLocation(self, keys, "") for value, keys in self._objects if value == table), table)

    def _known(self) -> dict[str, tuple[Key, ...]]:
        if self._texts is None:
            self._texts = {}
            for value, keys in _values(self._value):
                if isinstance(value, str):
                    self._texts.setdefault(value, keys)
                else:
                    self._objects.append((value, keys))
        return self._texts


class ThinEvent(Event):
    """An event whose `text`, `reasoning` and `arguments` can be a `TextLocation`."""

    @property
    def text(self) -> str:
        """The event's text. If it was left in the file, it is read from there."""
        return str(_TEXT.__get__(self))

    @text.setter
    def text(self, value: str) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _TEXT.__set__(self, value)

    @property
    def reasoning(self) -> str:
        """The event's reasoning. If it was left in the file, it is read from there."""
        return str(_REASONING.__get__(self))

    @reasoning.setter
    def reasoning(self, value: str) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _REASONING.__set__(self, value)

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The event's arguments, or None. If they were left in the file, they are read from there."""
        held = _ARGUMENTS.__get__(self)
        return (held.read() or {"…": _GONE}) if isinstance(held, TextLocation) else held

    @arguments.setter
    def arguments(self, value: Mapping[str, Any] | None) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _ARGUMENTS.__set__(self, value)

    def beginning(self, chars: int) -> str:
        """Return the first `chars` characters of the text, or else of the reasoning, without reading the file."""
        held = _TEXT.__get__(self) or _REASONING.__get__(self)
        return (held.head if isinstance(held, TextLocation) else held)[:chars]

    def shrink(self, page: Page) -> None:
        """Replace long texts and arguments with their locations in the line or span `page`."""
        for field in (_TEXT, _REASONING):
            if isinstance(held := field.__get__(self), str):
                field.__set__(self, page.text(held))
        if isinstance(held := _ARGUMENTS.__get__(self), Mapping):
            _ARGUMENTS.__set__(self, page.table(cast("Mapping[str, Any]", held)))


_TEXT: Any = Event.__dict__["text"]
_REASONING: Any = Event.__dict__["reasoning"]
_ARGUMENTS: Any = Event.__dict__["arguments"]


def _values(value: Any) -> Iterator[tuple[Any, tuple[Key, ...]]]:
    """Yields every object and long string in a value with its path.

    If a long string contains JSON, its objects and long strings are included.
    """
    waiting: list[tuple[Any, tuple[Key, ...]]] = [(value, ())]
    while waiting:
        top, keys = waiting.pop()
        if isinstance(top, str):
            if len(top) >= _LONG_CHARS:
                yield top, keys
                if (inner := _json(top)) is not None:
                    waiting.append((inner, (*keys, None)))
        elif isinstance(top, dict):
            table = cast("dict[str, Any]", top)
            yield table, keys
            waiting += [(inner, (*keys, key)) for key, inner in table.items()]
        elif isinstance(top, list):
            waiting += [(inner, (*keys, at)) for at, inner in enumerate(cast("list[Any]", top))]


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return decoded(text.encode())[0]
    except (CannotRead, UnicodeEncodeError):
        return None
