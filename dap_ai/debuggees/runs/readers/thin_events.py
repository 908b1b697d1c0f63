"""Events whose long texts stay in the file: they hold the location of a text instead of the text.

For files too large to keep in memory. A reader creates events as usual; each long text that is a JSON string of the
line or span is then replaced by a `TextLocation` and read again on access. Texts that a reader composed stay in memory.
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
"""Minimum characters of a text that stays in the file."""
_HEAD_CHARS = 320
"""Characters kept of the beginning of such a text, for one-line summaries."""
_MOST_KEPT = 16
_GONE = "(the run's file has changed since it was opened: this text is no longer there)"
Key = str | int | None
"""Step on the path to a value: a key, an index, or None to parse a string as JSON."""


class ThinSource:
    """A file with a cache of the values read last."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[int, Any] = {}

    def value(self, start: int, length: int) -> Any:
        """Return the JSON value at byte `start` with the given length in bytes. Raises CannotRead."""
        if start not in self._kept:
            with opened(self._path) as file:
                file.seek(start)
                value, _ = decoded(file.read(length))
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[start] = value
        return self._kept[start]


class TextLocation:
    """Location of a text or object: byte range in a file, and path within the JSON value there."""

    __slots__ = ("_keys", "_length", "_source", "_start", "head")

    def __init__(self, page: Page, keys: tuple[Key, ...], head: str) -> None:
        self._source, self._start, self._length = page.source, page.start, page.length
        self._keys = keys
        self.head = head
        """Beginning of the text; "" for an object."""

    def read(self) -> Any:
        """Return the value, or None if the file has changed since. Raises nothing."""
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
    """One line or span being read: its byte range, and the paths of the long texts in its value."""

    def __init__(self, source: ThinSource, start: int, length: int, value: Any) -> None:
        self.source, self.start, self.length = source, start, length
        self._value = value
        self._texts: dict[str, tuple[Key, ...]] | None = None
        self._objects: list[tuple[Any, tuple[Key, ...]]] = []

    def text(self, text: str) -> TextLocation | str:
        """Return the location of a text, or the text itself if it is short or not a string of the value."""
        if len(text) < _LONG_CHARS:
            return text
        keys = self._known().get(text)
        return text if keys is None else TextLocation(self, keys, text[:_HEAD_CHARS])

    def table(self, table: Mapping[str, Any] | None) -> TextLocation | Mapping[str, Any] | None:
        """Return the location of an object with long texts, or the object itself."""
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
        """The event's text, read from the file if it was left there."""
        return str(_TEXT.__get__(self))

    @text.setter
    def text(self, value: str) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _TEXT.__set__(self, value)

    @property
    def reasoning(self) -> str:
        """The event's reasoning, read from the file if it was left there."""
        return str(_REASONING.__get__(self))

    @reasoning.setter
    def reasoning(self, value: str) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _REASONING.__set__(self, value)

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The event's arguments, read from the file if they were left there; None if there are none."""
        held = _ARGUMENTS.__get__(self)
        return (held.read() or {"…": _GONE}) if isinstance(held, TextLocation) else held

    @arguments.setter
    def arguments(self, value: Mapping[str, Any] | None) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  read and set like the field
        _ARGUMENTS.__set__(self, value)

    def beginning(self, chars: int) -> str:
        """Return at most `chars` characters of the text or reasoning, without reading the file."""
        held = _TEXT.__get__(self) or _REASONING.__get__(self)
        return (held.head if isinstance(held, TextLocation) else held)[:chars]

    def shrink(self, page: Page) -> None:
        """Replace long texts and arguments with their locations in this line or span."""
        for field in (_TEXT, _REASONING):
            if isinstance(held := field.__get__(self), str):
                field.__set__(self, page.text(held))
        if isinstance(held := _ARGUMENTS.__get__(self), Mapping):
            _ARGUMENTS.__set__(self, page.table(cast("Mapping[str, Any]", held)))


_TEXT: Any = Event.__dict__["text"]
_REASONING: Any = Event.__dict__["reasoning"]
_ARGUMENTS: Any = Event.__dict__["arguments"]


def _values(value: Any) -> Iterator[tuple[Any, tuple[Key, ...]]]:
    """Yields every object and long text in a value with its path, including those in strings that hold JSON."""
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
