"""Resolves references into a run's files to the original bytes, without re-encoding them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.json_spans import Document, JsonSyntaxError
from dap_ai.debuggees.runs.run_files import MAX_DOCUMENT_BYTES, CannotRead, as_utf8, content, inside, lines
from dap_ai.debuggees.runs.run_model import Ref

_KEPT_BYTES = 16 * 1024 * 1024
"""Maximum size of a cached file. The cache holds eight files, because many references point into the same file."""
_MOST_DOCUMENTS = 64


class Artefact:
    """One file of a run, converted to UTF-8, with its line starts and parsed documents cached."""

    def __init__(self, data: bytes, encoding: str = "utf-8") -> None:
        self.data = data
        self.encoding = encoding
        self._starts: list[int] | None = None
        self._documents: dict[tuple[int, int], tuple[int, Document]] = {}

    def resolved(self, ref: Ref) -> bytes:
        """Return the bytes that a reference points to, in the file's original encoding. Raises CannotRead."""
        start, end = self.span(ref)
        piece = self.data[start:end]
        return piece if self.encoding == "utf-8" else piece.decode().encode(self.encoding)

    def span(self, ref: Ref) -> tuple[int, int]:
        """Return (start, end) of the reference's bytes in `data`. Raises CannotRead."""
        start, end = self.line_span(*ref.lines) if ref.lines else (0, len(self.data))
        if not ref.pointer:
            return start, end
        try:
            offset, document = self._document(start, end)
            found = document.locate(ref.pointer)
        except (KeyError, JsonSyntaxError) as error:
            raise CannotRead(f"{ref.path or 'the file'} has nothing at {ref.pointer}: {error}") from error
        return offset + found[0], offset + found[1]

    def lines(self) -> list[tuple[int, int]]:
        r"""Return (start, end) of each line, without its \n."""
        return [self.line_span(number, number) for number in range(1, len(self._line_starts()))]

    def line_span(self, first: int, last: int) -> tuple[int, int]:
        r"""Return (start of line `first`, end of line `last` without its \n); 1-based. Raises CannotRead."""
        starts = self._line_starts()
        if not 1 <= first <= last < len(starts):
            raise CannotRead(f"there are no lines {first} to {last}: the file has {len(starts) - 1}")
        end = starts[last]
        return starts[first - 1], end - 1 if self.data[end - 1 : end] == b"\n" else end

    def _line_starts(self) -> list[int]:
        """Return the offset of each line's start, followed by the end of the last line."""
        if self._starts is None:
            self._starts = [0]
            at = self.data.find(b"\n")
            while at >= 0:
                self._starts.append(at + 1)
                at = self.data.find(b"\n", at + 1)
            if self._starts[-1] < len(self.data):
                self._starts.append(len(self.data))
        return self._starts

    def _document(self, start: int, end: int) -> tuple[int, Document]:
        if (start, end) not in self._documents:
            if len(self._documents) >= _MOST_DOCUMENTS:
                self._documents.clear()
            self._documents[start, end] = start, Document(self.data[start:end])
        return self._documents[start, end]


def resolve(run_root: str | Path, ref: Ref) -> bytes:
    r"""Return the bytes that `ref` points to, in the artefact's encoding, without a BOM and the last line's \n.

    Raises CannotRead if the target does not exist, is outside the run's root, or is larger than 256 MB.
    """
    return artefact(Path(run_root), ref).resolved(ref)


def contains(run_root: str | Path, ref: Ref, quote: str) -> bool:
    """Return whether the quoted text occurs at the reference; whitespace and the artefact's escaping are ignored."""
    try:
        data = resolve(run_root, ref)
    except CannotRead:
        return False
    text = data.decode("utf-8", "replace")
    wanted = "".join(quote.rstrip("….").split())
    return wanted in "".join(_plain(text).split()) or wanted in "".join(text.split())


def _plain(text: str) -> str:
    """Return the strings inside a JSON value, unescaped; text that isn't JSON is returned unchanged."""
    try:
        return "\n".join(_texts(msgspec.json.decode(text)))
    except (msgspec.DecodeError, RecursionError):
        return text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):  # a call's arguments are JSON in a JSON string
            yield _plain(value)
    elif isinstance(value, Mapping):
        for part in cast("Mapping[str, Any]", value).values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _texts(part)
    else:
        yield str(value)


def artefact(root: Path, ref: Ref) -> Artefact:
    """Return the file that a reference points into; a very large file is read only up to the referenced lines."""
    path = inside(root, ref.path)
    try:
        status = path.stat()
    except OSError as error:
        raise CannotRead(f"{path}: cannot be read: {error.strerror}") from error
    if status.st_size <= _KEPT_BYTES:
        return _kept(str(path), status.st_mtime_ns, status.st_size)
    if ref.lines and status.st_size > MAX_DOCUMENT_BYTES:
        return _only_lines(path, *ref.lines)
    return Artefact(*as_utf8(content(path)))


@lru_cache(maxsize=8)
def _kept(path: str, _changed_ns: int, _size: int) -> Artefact:
    return Artefact(*as_utf8(content(Path(path))))


def _only_lines(path: Path, first: int, last: int) -> Artefact:
    """Return an artefact with only lines `first` to `last` of a file; the earlier lines are empty."""
    wanted = list[bytes]()
    for number, line in lines(path):
        if number > last:
            break
        if number >= first and line is None:
            raise CannotRead(f"{path}: line {number} is too long to be read")
        wanted.append(line or b"" if number >= first else b"")
    return Artefact(b"\n".join(wanted))
