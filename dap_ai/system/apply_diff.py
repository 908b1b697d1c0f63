"""Applies a fix's diff to the text of a file or cell. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class CannotMend(ValueError):  # noqa: N818  a state, not a mistake
    """The diff does not apply to this text."""


def mended(text: str, diff: str) -> str:
    """Return the text with a unified diff of one file applied; each line must match. Raises CannotMend."""
    lines, grown = text.split("\n"), 0
    for start, old, new in _hunks(diff):
        first = start - 1 + grown
        if lines[first : first + len(old)] != old:
            raise CannotMend(f"line {start} and what follows are not as they were")
        lines[first : first + len(old)] = new
        grown += len(new) - len(old)
    return "\n".join(lines)


def _hunks(diff: str) -> Sequence[tuple[int, list[str], list[str]]]:
    """Return (first line, old lines, new lines) of each hunk; lines are 1-based."""
    found: list[tuple[int, list[str], list[str]]] = []
    for line in diff.splitlines():
        if begins := _HUNK.match(line):
            found.append((int(begins[1]), [], []))
        elif found and line[:1] in (" ", "-", "+", ""):
            _, old, new = found[-1]
            if line[:1] != "+":
                old.append(line[1:])
            if line[:1] != "-":
                new.append(line[1:])
    return found
