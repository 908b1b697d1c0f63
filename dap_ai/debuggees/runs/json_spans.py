"""Finds the byte span of each value in a JSON document, so that values can be copied verbatim without re-encoding.

Nothing here recurses or scans the same bytes twice, so deep and long documents are safe. Offsets are 0-based and in
bytes, ends are exclusive. Invalid UTF-8 inside strings is allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

Key = str | int
Span = tuple[int, int]
_SPACE = re.compile(rb"[ \t\r\n]*")
_MARK = re.compile(rb'["\[\]{}]')
_MARK_OR_COMMA = re.compile(rb'["\[\]{},]')
_STRING_OR_MARK = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{},]', re.DOTALL)
_MAX_MATCHED_BYTES = 1024 * 1024
_SCALAR_END = re.compile(rb"[ \t\r\n,:\]}\[{\"]|\Z")
_BACKSLASH, _QUOTE, _COMMA = 0x5C, 0x22, 0x2C
_OPENING, _CLOSING = frozenset(b"[{"), frozenset(b"]}")
_CLOSER = {0x5B: b"]", 0x7B: b"}"}


class JsonSyntaxError(ValueError):
    """The bytes aren't a complete JSON document; the message names the byte offset."""


class Document:
    """A JSON document with the byte spans of its values.

    Caches the child spans of each container that a lookup enters.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._length = len(data)
        self._children: dict[int, dict[Key, tuple[int, int]]] = {}
        self._whole: tuple[int, int] | None = None

    def locate(self, pointer: str) -> tuple[int, int]:
        """Return (start, end) of the value at a JSON pointer (RFC 6901). Raises KeyError or JsonSyntaxError."""
        if self._whole is None:
            self._whole = self._find_whole()
        start, end = self._whole
        for part in pointer_parts(pointer):
            start, end = self._child(start, part)
        return start, min(end, self._length)

    def _find_whole(self) -> tuple[int, int]:
        """Return the document's span; close a truncated document after its last complete value first."""
        start = _skip_space(self.data, 0)
        try:
            return start, value_end(self.data, start)
        except JsonSyntaxError:
            closed = salvaged(self.data)
            if closed is None:
                raise
        self.data = closed[0]
        return start, len(self.data)

    def _child(self, start: int, part: str) -> tuple[int, int]:
        if start not in self._children:
            self._children[start] = {key: (at, end) for key, at, end in children(self.data, start)}
        known = self._children[start]
        key: Key = int(part) if self.data[start : start + 1] == b"[" and part.isdecimal() else part
        return known[key]


def pointer_parts(pointer: str) -> list[str]:
    """Return the unescaped parts of a JSON pointer. Raises KeyError if it is not a valid pointer."""
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise KeyError(pointer)
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def escaped(key: str) -> str:
    """Escape a key for use as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def children(data: bytes, start: int) -> Iterator[tuple[Key, int, int]]:
    """Yield (key or index, start, end) of each value in the container at `start`; nothing if no container is there."""
    opening = data[start : start + 1]
    if opening not in (b"[", b"{"):
        return
    at, index = _skip_space(data, start + 1), 0
    while data[at : at + 1] not in (b"]", b"}"):
        key: Key = index
        if opening == b"{":
            key_end = string_end(data, at)
            key = _text(data[at:key_end])
            at = _skip_space(data, _after(data, _skip_space(data, key_end), b":"))
        end = value_end(data, at)
        yield key, at, end
        at, index = _skip_space(data, end), index + 1
        if data[at : at + 1] not in (b"]", b"}"):
            at = _skip_space(data, _after(data, at, b","))


def value_end(data: bytes, start: int) -> int:
    """Return the end of the value that starts at `start`. Raises JsonSyntaxError."""
    first = data[start : start + 1]
    if first == b'"':
        return string_end(data, start)
    if first not in (b"[", b"{"):
        return _scalar_end(data, start)
    depth, at = 1, start + 1
    while depth:
        mark = _MARK.search(data, at)
        if mark is None:
            raise JsonSyntaxError(f"the value at byte {start} has no end")
        at = mark.end()
        kind = data[at - 1]
        if kind == _QUOTE:
            at = string_end(data, at - 1)
        else:
            depth += 1 if kind in _OPENING else -1
    return at


def string_end(data: bytes, start: int) -> int:
    """Return the offset after the closing quote of the string that opens at `start`. Raises JsonSyntaxError."""
    if data[start : start + 1] != b'"':
        raise JsonSyntaxError(f"a string is missing at byte {start}")
    close = data.find(b'"', start + 1)
    while close >= 0:
        before = close - 1
        while data[before] == _BACKSLASH:
            before -= 1
        if (close - before) % 2:
            return close + 1
        close = data.find(b'"', close + 1)
    raise JsonSyntaxError(f"the string at byte {start} has no end")


def salvaged(data: bytes) -> tuple[bytes, int] | None:
    """Close a truncated document after its last complete value; return (document, number of original bytes kept).

    A value is complete if a comma or the end of its container follows. Bytes after a complete document are dropped.
    None if no value is complete.
    """
    stack: list[int] = []
    whole = depth = 0
    for start, end in _marks(data):
        kind = data[start]
        if kind in _OPENING:
            stack.append(kind)
        elif not stack:
            break
        elif kind in _CLOSING:
            stack.pop()
            whole, depth = end, len(stack)
            if not stack:
                break
        elif kind == _COMMA:
            whole, depth = start, len(stack)
    if not whole:
        return None
    return data[:whole] + b"".join(_CLOSER[kind] for kind in reversed(stack[:depth])), whole


def _marks(data: bytes) -> Iterator[Span]:
    """Yield (start, end) of each bracket and comma outside strings, up to an unterminated string."""
    if len(data) > _MAX_MATCHED_BYTES:
        yield from _marks_of_much(data)
        return
    for found in _STRING_OR_MARK.finditer(data):
        start, end = found.span()
        if data[start] != _QUOTE:
            yield start, end
        elif end - start == 1:
            return


def _marks_of_much(data: bytes) -> Iterator[Span]:
    """Yield the same spans as `_marks` in bounded memory; the regular expression of `_marks` keeps state per escape."""
    found = _MARK_OR_COMMA.search(data)
    while found:
        start, end = found.span()
        if data[start] == _QUOTE:
            try:
                end = string_end(data, start)
            except JsonSyntaxError:
                return
        else:
            yield start, end
        found = _MARK_OR_COMMA.search(data, end)


def _scalar_end(data: bytes, start: int) -> int:
    found = _SCALAR_END.search(data, start)
    end = found.start() if found else len(data)
    if end == start:
        raise JsonSyntaxError(f"a value is missing at byte {start}")
    return end


def _skip_space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def _after(data: bytes, at: int, mark: bytes) -> int:
    if data[at : at + 1] != mark:
        raise JsonSyntaxError(f"{mark.decode()} is missing at byte {at}")
    return at + 1


def _text(quoted: bytes) -> str:
    try:
        return str(json.loads(quoted.decode("utf-8", "replace"), strict=False))
    except ValueError as error:
        raise JsonSyntaxError(f"no string: {quoted[:40]!r}") from error
