"""Edits of whole lines: put into a file's text, and what they do to the numbers of other lines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dap_ai.agent.source.source_file import SourceFile

_CUT_OFF = "\n\\ No newline at end of file\n"
"""What `patch` and git want to be told."""


@dataclass
class SourceEdit:
    """A change of whole lines, `first` to `last` inclusive, 1-based; `last` = `first` - 1 inserts before `first`."""

    source: SourceFile
    first: int
    last: int
    lines: list[str]

    def diff(self, root: str = "") -> str:
        """The change as a unified diff, paths relative to `root` where they lie under it."""
        return diff(self.source, [self], root)

    @property
    def growth(self) -> int:
        """How many lines the file has more afterwards."""
        return len(self.lines) - (self.last - self.first + 1)


def spliced(source: SourceFile, start: tuple[int, int], end: tuple[int, int], text: str) -> SourceEdit:
    """The edit that puts other text between two places: lines from 1, and columns in bytes, as `ast` has them."""
    before = source.line(start[0]).encode()[: start[1]].decode(errors="replace")
    after = source.line(end[0]).encode()[end[1] :].decode(errors="replace")
    return SourceEdit(source, start[0], end[0], f"{before}{text}{after}".split("\n"))


def text_after(source: SourceFile, edits: Sequence[SourceEdit]) -> str:
    """The file's text with its edits. Raises ValueError if two of them overlap, or one lies outside of the file."""
    return "\n".join(lines_after(source, edits)) + ("\n" if source.text.endswith("\n") else "")


def lines_after(source: SourceFile, edits: Sequence[SourceEdit], first: int = 1, last: int | None = None) -> list[str]:
    """What the lines `first` to `last` of a file become; all of its edits are in these. Raises as `text_after`."""
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
    """Those of them that change this file."""
    return [edit for edit in edits if edit.source.path == path]


def moved(path: str, line: int, edits: Sequence[SourceEdit]) -> int:
    """Where a line that no edit changes stands afterwards."""
    return line + sum(edit.growth for edit in of_file(path, edits) if edit.first <= line)


def touches(path: str, first: int, last: int, edits: Sequence[SourceEdit]) -> bool:
    """Whether one of the edits changes a line from `first` to `last`."""
    return any(edit.first <= last and edit.last >= first for edit in of_file(path, edits))


def diff(source: SourceFile, edits: Sequence[SourceEdit], root: str = "") -> str:
    """The edits of one file as a unified diff, without a line end after its last line."""
    name, cut_off = shorten(source.path, root), bool(source.text) and source.text[-1] not in "\r\n"
    old, new = (_ended(lines, cut_off=cut_off) for lines in (source.lines, lines_after(source, edits)))
    rows = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=1)
    return "".join(row if row.endswith("\n") else row + _CUT_OFF for row in rows).removesuffix("\n")


def _ended(lines: list[str], *, cut_off: bool) -> list[str]:
    """With line ends; the last one has none where the file has none there."""
    return [f"{line}\n" for line in lines[:-1]] + [line if cut_off else f"{line}\n" for line in lines[-1:]]


def shorten(path: str, root: str) -> str:
    """The path relative to `root` where that is shorter."""
    try:
        relative = Path(path).relative_to(root) if root else Path(path)
    except ValueError:
        return path
    return str(relative)
