"""What a reader of recorded runs is, and what all of them see of a path before one is chosen.

A third party adds a format by an entry point of the group `dap_ai.readers` that names a `Reader`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.json_spans import salvaged
from dap_ai.debuggees.runs.run_files import GLANCE_BYTES, CannotRead, as_utf8, beginning
from dap_ai.debuggees.runs.run_model import Run

GROUP = "dap_ai.readers"
_MOST_NAMES = 2000
"""Of a folder that is looked at."""
_MOST_ROWS = 40
"""Of the lines that are looked at."""
_NO_TABLE: Mapping[str, Any] = {}


class Reader(NamedTuple):
    """A format of recorded runs."""

    name: str
    """As in the entry point, and `Run.format`."""
    looks_for: str
    """What it would have found, for the message that nothing was: `a .traj file of SWE-agent`."""
    sniff: Callable[[Path], tuple[float, str]]
    """How sure it is that the path is its own, 0 to 1, and why. Reads 64 KB of each file at most; raises CannotRead."""
    read: Callable[[Path], Run]
    """The whole run, or the first of several. Raises CannotRead; what it does not understand is a Problem."""
    numbers: Callable[[Path], Sequence[int]] | None = None
    """Of a file that may hold several runs: the number of each. It is opened as `FILE#NUMBER`. Raises CannotRead."""
    read_one: Callable[[Path, int], Run] | None = None
    """The run of that number. Raises CannotRead."""


class Glance(msgspec.Struct, frozen=True):
    """What is seen of a path without reading it whole."""

    path: Path
    kind: Literal["folder", "document", "lines", "text", "binary"]
    names: frozenset[str] = frozenset()
    """Of a folder: what is in it, with `/` after folders."""
    head: bytes = b""
    """Of a file: its first 64 KB, in UTF-8."""
    value: Any = None
    """Of a JSON document: its beginning, closed where it was cut."""
    rows: Sequence[Any] = ()
    """Of a file of JSON lines: the values of the first."""

    @property
    def table(self) -> Mapping[str, Any]:
        """The value where it is an object, else the first row that is one, else nothing."""
        found = [self.value] if self.value is not None else self.rows
        tables = (cast("dict[str, Any]", one) for one in found if isinstance(one, dict))
        return next(tables, _NO_TABLE)


def glance(path: Path) -> Glance:
    """What is seen of a path; remembered, because every reader asks. Raises CannotRead."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return _glance(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=4)
def _glance(path: Path, _changed_ns: int, size: int, _inode: int) -> Glance:
    if path.is_dir():
        with os.scandir(path) as entries:
            names = frozenset(f"{one.name}/" if one.is_dir() else one.name for one in islice(entries, _MOST_NAMES))
            return Glance(path, "folder", names)
    try:
        head, _ = as_utf8(_whole_characters(beginning(path)))
    except CannotRead:
        return Glance(path, "binary")
    if b"\0" in head:
        return Glance(path, "binary", head=head)
    rows = _rows(head, cut=size > GLANCE_BYTES)
    if rows:
        return Glance(path, "lines", head=head, rows=rows)
    value = _beginning_of(head)
    return Glance(path, "text" if value is None else "document", head=head, value=value)


def _whole_characters(head: bytes) -> bytes:
    return head[: len(head) - len(head) % 4] if len(head) == GLANCE_BYTES else head


def _rows(head: bytes, *, cut: bool) -> Sequence[Any]:
    """The values of the first lines, where there are several and each is an object (or a list, as in casts)."""
    found = head.split(b"\n", _MOST_ROWS)
    if cut or len(found) > _MOST_ROWS:
        found.pop()
    rows = list[Any]()
    for line in filter(bytes.strip, found):
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if not rows:
                return ()
            continue
        if not isinstance(row, (dict, list)):
            return ()
        rows.append(row)
    return rows if len(rows) > 1 or (rows and isinstance(rows[0], dict) and b"\n" in head.rstrip(b"\n")) else ()


def _beginning_of(head: bytes) -> Any:
    """The value that a document starts with; None where it starts with no object and no array."""
    if head.lstrip()[:1] not in (b"{", b"["):
        return None
    closed = salvaged(head)
    try:
        return decoded(closed[0])[0] if closed else None
    except CannotRead:
        return None
