"""Applies a fix's unified diff to the text of a file or notebook cell. Has no side effects."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class CannotMend(ValueError):  # noqa: N818  a state, not a mistake
    """Raised if a diff does not apply to a text."""


def mended(text: str, diff: str) -> str:
    """Return the text after applying a unified diff of one file. Raises CannotMend if a line does not match."""
    lines, grown = text.split("\n"), 0
    for start, old, new in _hunks(diff):
        first = start - 1 + grown
        if lines[first : first + len(old)] != old:
            raise CannotMend(f"line {start} and what follows are not as they were")
        lines[first : first + len(old)] = new
        grown += len(new) - len(old)
    return "\n".join(lines)


def _hunks(diff: str) -> Sequence[tuple[int, list[str], list[str]]]:
    """Return each hunk as (number of its first old line, old lines, new lines). Line numbers are 1-based."""
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
