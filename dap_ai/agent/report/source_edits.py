"""Edits of whole source lines: applies edits to a file, formats diffs, and maps line numbers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dap_ai.agent.source.source_file import SourceFile

_CUT_OFF = "\n\\ No newline at end of file\n"
"""Marker that `patch` and git expect after a last line without a newline."""


@dataclass
class SourceEdit:
    """A replacement of lines `first` to `last` of a file, 1-based inclusive.

    If `last` is `first` - 1, the edit inserts lines before `first`.
    """

    source: SourceFile
    first: int
    last: int
    lines: list[str]

    def diff(self, root: str = "") -> str:
        """Returns the edit as a unified diff. Paths below `root` are relative to `root`."""
        return diff(self.source, [self], root)

    @property
    def growth(self) -> int:
        """Number of lines the edit adds to the file; negative if it removes lines."""
        return len(self.lines) - (self.last - self.first + 1)


def spliced(source: SourceFile, start: tuple[int, int], end: tuple[int, int], text: str) -> SourceEdit:
    """Returns the edit that replaces the text between two places.

    A place is (1-based line, byte column), as in `ast`.
    """
    before = source.line(start[0]).encode()[: start[1]].decode(errors="replace")
    after = source.line(end[0]).encode()[end[1] :].decode(errors="replace")
    return SourceEdit(source, start[0], end[0], f"{before}{text}{after}".split("\n"))


def text_after(source: SourceFile, edits: Sequence[SourceEdit]) -> str:
    """Returns a file's text after its edits. Raises ValueError if edits overlap or are outside the file."""
    return "\n".join(lines_after(source, edits)) + ("\n" if source.text.endswith("\n") else "")


def lines_after(source: SourceFile, edits: Sequence[SourceEdit], first: int = 1, last: int | None = None) -> list[str]:
    """Returns lines `first` to `last` of a file after its edits. Raises ValueError.

    All edits of the file must be within these lines.
    """
    lines = source.lines
    new = lines[first - 1 : last]
    above = len(lines) + 1
    for edit in sorted(of_file(source.path, edits), key=lambda e: (e.first, e.last), reverse=True):
        if not (1 <= edit.first <= edit.last + 1 <= len(lines) + 1):
            raise ValueError(f"{Path(source.path).name} has no lines {edit.first} to {edit.last}")
        if edit.last >= above:
            raise ValueError(f"two edits of {Path(source.path).name} change line {edit.last}")
        above = edit.first
        new[edit.first - first : edit.last - first + 1] = edit.lines
    return new


def of_file(path: str, edits: Sequence[SourceEdit]) -> list[SourceEdit]:
    """Returns the edits of one file."""
    return [edit for edit in edits if edit.source.path == path]


def moved(path: str, line: int, edits: Sequence[SourceEdit]) -> int:
    """Returns the number that a line has after the edits. No edit may change this line."""
    return line + sum(edit.growth for edit in of_file(path, edits) if edit.first <= line)


def touches(path: str, first: int, last: int, edits: Sequence[SourceEdit]) -> bool:
    """Whether any edit changes one of the lines `first` to `last`, inclusive."""
    return any(edit.first <= last and edit.last >= first for edit in of_file(path, edits))


def diff(source: SourceFile, edits: Sequence[SourceEdit], root: str = "") -> str:
    """Returns the edits of one file as a unified diff without a final newline."""
    name, cut_off = shorten(source.path, root), bool(source.text) and source.text[-1] not in "\r\n"
    old, new = (_ended(lines, cut_off=cut_off) for lines in (source.lines, lines_after(source, edits)))
    rows = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=1)
    return "".join(row if row.endswith("\n") else row + _CUT_OFF for row in rows).removesuffix("\n")


def _ended(lines: list[str], *, cut_off: bool) -> list[str]:
    """Adds a newline to each line. If `cut_off`, the last line gets none."""
    return [f"{line}\n" for line in lines[:-1]] + [line if cut_off else f"{line}\n" for line in lines[-1:]]


def shorten(path: str, root: str) -> str:
    """Returns a path relative to `root`. A path outside `root` stays unchanged."""
    try:
        relative = Path(path).relative_to(root) if root else Path(path)
    except ValueError:
        return path
    return str(relative)
