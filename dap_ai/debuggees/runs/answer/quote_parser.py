"""What an answer about a run cites: which steps, and which words it says stand there. Of Markdown, by its form alone.

A quote is a row `- step 7: ...` with its words in backticks or quotation marks; further words of two and more in such
marks on a line that names a step; and a line of a block quote, of the step named last before it. What a recommendation
proposes is no quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MAX_CHARS = 60_000
_MOST = 40
"""Quotes of one answer."""
_STEP = re.compile(r"\bsteps?\s+(\d{1,6})((?:\s*(?:-|\u2013|to|,|and|or|&)\s*(?:steps?\s+)?\d{1,6})*)", re.IGNORECASE)
_NEXT = re.compile(r"(-|\u2013|to|,|and|or|&)\s*(?:steps?\s+)?(\d{1,6})", re.IGNORECASE)
_ROW = re.compile(r"\s*(?:[-*+]|\d+\.)\s+\**step (\d{1,6})\b[^`\"\u201c]{0,60}?\**[:,]\**\s*", re.IGNORECASE)
_MARKED = re.compile(r"``\s?(.+?)\s?``|`([^`\n]+)`|\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_PROPOSES = re.compile(r"^\W*(?:recommendation|what would have helped)\b", re.IGNORECASE)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*)")
_LEAST_WORDS = 2
_LEAST_CHARS = 6
_MOST_STEPS = 40
"""Of a range."""


class Quote(NamedTuple):
    """Words that are said to stand in one of these steps; none: anywhere in the run."""

    steps: tuple[int, ...]
    text: str


def quotes_in(answer: str) -> list[Quote]:
    """The quotes of an answer, in order; each once."""
    return list(dict.fromkeys(_quotes(answer)))[:_MOST]


def steps_in(answer: str) -> list[int]:
    """The steps that it names, in order; of a range its ends."""
    named: list[int] = []
    for found in _STEP.finditer(answer[:_MAX_CHARS]):
        named += [int(found[1]), *(int(number) for _, number in _NEXT.findall(found[2]))]
    return list(dict.fromkeys(named))


def _quotes(answer: str) -> Iterator[Quote]:
    latest: tuple[int, ...] = ()
    fenced = proposing = False
    for line in answer[:_MAX_CHARS].splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        if _HEADING.match(line):
            proposing = _PROPOSES.search(line) is not None
        steps = _steps(line)
        latest = steps or latest
        if line.lstrip().startswith(">"):
            text = line.lstrip().lstrip("> ").strip()
            if _is_quote(text):
                yield Quote(latest, text)
        elif not proposing and steps:
            yield from _marked(line, steps)


def _marked(line: str, steps: tuple[int, ...]) -> Iterator[Quote]:
    row = _ROW.match(line)
    for found in _MARKED.finditer(line):
        text = next(filter(None, found.groups()), "").strip()
        if row is not None and found.start() <= row.end():
            yield Quote((int(row[1]),), text)
        elif _is_quote(text) and _STEP.fullmatch(text) is None:
            yield Quote(steps, text)


def _is_quote(text: str) -> bool:
    """A single word is a name, which may be spelled in another way there."""
    return len(text.split()) >= _LEAST_WORDS and len(text) >= _LEAST_CHARS


def _steps(line: str) -> tuple[int, ...]:
    named: list[int] = []
    for found in _STEP.finditer(line):
        named.append(int(found[1]))
        for how, number in _NEXT.findall(found[2]):
            last = named[-1]
            is_range = how.lower() in ("-", "\u2013", "to") and last < int(number) <= last + _MOST_STEPS
            named += range(last + 1, int(number) + 1) if is_range else [int(number)]
    return tuple(dict.fromkeys(named))
