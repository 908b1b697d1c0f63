"""Limits a shell text so that parsing takes linear time; the parser's error recovery takes quadratic time.

Here-documents of a large text are cut out first and later returned to their commands. The remaining text is cut at a
maximum length, or where too many parentheses are open.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

MAX_CHARS: Final = 16_384
"""Maximum characters of text to parse, without here-documents."""
MAX_OPEN: Final = 60
"""Maximum number of nested parentheses."""
_OPENING = re.compile(r"(?<!<)<<(-?)[ \t]*(['\"]?)\\?([A-Za-z_][\w.-]{0,60})\2(?!<)")
_PARENTHESES = re.compile(r"[()]")


def bounded(text: str, *, documents: bool = True) -> tuple[str, list[str]]:
    """Return the text to parse and the here-documents cut out of the text, in order.

    If `documents` is true, a small text keeps its here-documents.
    """
    bodies: list[str] = []
    if len(text) > MAX_CHARS or not documents:
        text, bodies = _without_documents(text)
    return text[: min(MAX_CHARS, _too_deep(text[:MAX_CHARS]))], bodies


def _too_deep(text: str) -> int:
    """Return the offset at which too many parentheses are open, or the length of the text."""
    depth = 0
    for found in _PARENTHESES.finditer(text):
        depth = max(depth + (1 if found[0] == "(" else -1), 0)
        if depth > MAX_OPEN:
            return found.start()
    return len(text)


def _without_documents(text: str) -> tuple[str, list[str]]:
    """Return the text with its here-documents emptied, and the contents of these here-documents."""
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
