"""The `Reader` interface for formats of recorded runs, and `glance`, the first look at a path that all readers share.

To add a format, a third party declares an entry point in the group `dap_ai.readers` that refers to a `Reader`.
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
"""Maximum number of names read from a folder."""
_MOST_ROWS = 40
"""Maximum number of lines parsed from a file."""
_NO_TABLE: Mapping[str, Any] = {}


class Reader(NamedTuple):
    """A format of recorded runs and its reading functions."""

    name: str
    """Name of the format, which is also the entry point's name and the value of `Run.format`."""
    looks_for: str
    """Description of the files that the reader reads, e.g. `a .traj file of SWE-agent`. Shown in the error that no run
    was found."""
    sniff: Callable[[Path], tuple[float, str]]
    """Returns the confidence that the path has this format, 0 to 1, and the reason.

    Reads at most 64 KB of each file. Raises CannotRead.
    """
    read: Callable[[Path], Run]
    """Reads the whole run, or the first run of several. Raises CannotRead. A passage that is not understood becomes a
    Problem."""
    numbers: Callable[[Path], Sequence[int]] | None = None
    """Returns the numbers of the runs in a file with several runs. Raises CannotRead.

    Run number N opens as `FILE#N`. None if the format has one run per file.
    """
    read_one: Callable[[Path, int], Run] | None = None
    """Reads the run with the given number. Raises CannotRead."""


class Glance(msgspec.Struct, frozen=True):
    """Summary of a file or folder from a first look, without reading it in full."""

    path: Path
    kind: Literal["folder", "document", "lines", "text", "binary"]
    names: frozenset[str] = frozenset()
    """Names in the folder. Names of folders end with `/`. Empty for a file."""
    head: bytes = b""
    """First 64 KB of the file, converted to UTF-8."""
    value: Any = None
    """Beginning of a JSON document as a value. Brackets left open by the cut are closed. None for other files."""
    rows: Sequence[Any] = ()
    """Values of the first lines of a JSON Lines file. Empty for other files."""

    @property
    def table(self) -> Mapping[str, Any]:
        """The document's value if it is an object, else the first row that is an object, else an empty mapping."""
        found = [self.value] if self.value is not None else self.rows
        tables = (cast("dict[str, Any]", one) for one in found if isinstance(one, dict))
        return next(tables, _NO_TABLE)


def glance(path: Path) -> Glance:
    """Return the first look at a path. The result is cached and shared by all readers. Raises CannotRead."""
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
    """Return the values of the first lines if each line is a JSON object or list, else an empty sequence.

    Lines of asciicasts are lists. A single line counts only if it is an object that ends within the text.
    """
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
    """Return the beginning of a JSON document as a value, or None if the text starts with no object or array."""
    if head.lstrip()[:1] not in (b"{", b"["):
        return None
    closed = salvaged(head)
    try:
        return decoded(closed[0])[0] if closed else None
    except CannotRead:
        return None
