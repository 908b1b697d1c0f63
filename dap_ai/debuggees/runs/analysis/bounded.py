"""A shell text made small enough to be parsed in time by its size: error recovery takes time by the square of it.

Here-documents of a large text are cut out first and given back to their commands; then the rest ends where it is too
long, or where it has opened more parentheses than any shell text does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

MAX_CHARS: Final = 16_384
"""Of text that is parsed, here-documents apart."""
MAX_OPEN: Final = 60
"""Parentheses that are open at one time."""
_OPENING = re.compile(r"(?<!<)<<(-?)[ \t]*(['\"]?)\\?([A-Za-z_][\w.-]{0,60})\2(?!<)")
_PARENTHESES = re.compile(r"[()]")


def bounded(text: str, *, documents: bool = True) -> tuple[str, list[str], bool]:
    """The text to be parsed, the here-documents that were cut out of it in order, and whether its end is missing.

    `documents`: those of a small text stay in it.
    """
    bodies: list[str] = []
    if len(text) > MAX_CHARS or not documents:
        text, bodies = _without_documents(text)
    end = min(len(text), MAX_CHARS, _too_deep(text[:MAX_CHARS]))
    return text[:end], bodies, end < len(text)


def _too_deep(text: str) -> int:
    """Where too many parentheses are open; the length of the text if nowhere."""
    depth = 0
    for found in _PARENTHESES.finditer(text):
        depth = max(depth + (1 if found[0] == "(" else -1), 0)
        if depth > MAX_OPEN:
            return found.start()
    return len(text)


def _without_documents(text: str) -> tuple[str, list[str]]:
    """The text with its here-documents empty, and their texts."""
    lines = text.split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if len(line) < 80:
            ends.setdefault(line.strip("\t"), []).append(number)
    kept: list[str] = []
    bodies: list[str] = []
    number = 0
    while number < len(lines):
        kept.append(lines[number])
        openings = _OPENING.findall(lines[number][:MAX_CHARS])
        number += 1
        for _tabs, _quote, word in openings[:8]:
            end = _next(ends.get(word, ()), number)
            if end is None:
                break
            bodies.append("\n".join(lines[number:end]) + "\n" if end > number else "")
            kept.append(lines[end])
            number = end + 1
    return "\n".join(kept), bodies


def _next(numbers: Sequence[int], least: int) -> int | None:
    """The first of `numbers` (ascending) that is at least `least`."""
    at = bisect_right(numbers, least - 1)
    return numbers[at] if at < len(numbers) else None
