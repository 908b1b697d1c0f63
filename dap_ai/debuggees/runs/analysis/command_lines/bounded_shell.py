"""A shell text made small enough to be parsed in time by its size: error recovery takes time by the square of it.

Here-documents of a large text are cut out first and given back to their commands; then the rest ends where it is too
long, or where it has opened more parentheses than any shell text does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

MAX_CHARS: Final = 16_384
"""Of text that is parsed, here-documents apart."""
MAX_OPEN: Final = 60
"""Parentheses that are open at one time."""
_OPENING = re.compile(r"(?<!<)<<(-?)[ \t]*(['\"]?)\\?([A-Za-z_][\w.-]{0,60})\2(?!<)")
_PARENTHESES = re.compile(r"[()]")


def bounded(text: str, *, documents: bool = True) -> tuple[str, list[str]]:
    """The text to be parsed, and the here-documents that were cut out of it, in order.

    `documents`: those of a small text stay in it.
    """
    bodies: list[str] = []
    if len(text) > MAX_CHARS or not documents:
        text, bodies = _without_documents(text)
    return text[: min(MAX_CHARS, _too_deep(text[:MAX_CHARS]))], bodies


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
            numbers = ends.get(word, [])
            at = bisect_left(numbers, number)
            if at == len(numbers):
                break
            end = numbers[at]
            bodies.append("\n".join(lines[number:end]) + "\n" if end > number else "")
            kept.append(lines[end])
            number = end + 1
    return "\n".join(kept), bodies
