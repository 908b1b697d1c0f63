"""Finds the steps and quotes that an answer about a run cites, by the answer's Markdown syntax alone.

There are three kinds of quote: text in backticks or quotation marks in a row `- step 7: ...`; at least two words in
such marks on a line that mentions a step; and a line of a block quote, which belongs to the last step mentioned before.
Text in a recommendation is not a quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MAX_CHARS = 60_000
_MOST = 40
"""Maximum number of quotes per answer."""
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
"""Maximum number of steps in a range such as `steps 3-9`."""


class Quote(NamedTuple):
    """Text quoted from one of the steps in `steps`. If `steps` is empty, the text may be from anywhere in the run."""

    steps: tuple[int, ...]
    text: str


def quotes_in(answer: str) -> list[Quote]:
    """Return the distinct quotes of an answer, in order."""
    return list(dict.fromkeys(_quotes(answer)))[:_MOST]


def steps_in(answer: str) -> list[int]:
    """Return the distinct steps that an answer mentions, in order. Of a range, only the first and last step."""
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
    """Return whether the text is long enough for a quote.

    A single word is a name, which the run may spell differently.
    """
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
