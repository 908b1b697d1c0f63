"""Searches a run's lines for a regular expression."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from dap_ai.debuggees.runs.run_model import Event, Run

_MAX_LINE_CHARACTERS = 20_000
"""Maximum length of a searched piece; longer lines are searched in several pieces."""


class Match(NamedTuple):
    """A matching line, and the match's position in that line, 0-based with an exclusive end."""

    event: Event
    line: str
    start: int
    end: int


def matches(run: Run, wanted: re.Pattern[str], kinds: frozenset[str] = frozenset()) -> Iterator[Match]:
    """Yield the first match in each line of each event, in order. An empty `kinds` searches events of every kind."""
    for event in run.events:
        if kinds and event.kind not in kinds:
            continue
        for line in _lines(event):
            if found := wanted.search(line):
                yield Match(event, line, found.start(), found.end())


def _lines(event: Event) -> Iterator[str]:
    for text in _texts(event):
        for line in text.split("\n"):
            for at in range(0, len(line), _MAX_LINE_CHARACTERS):
                yield line[at : at + _MAX_LINE_CHARACTERS]


def _texts(event: Event) -> Iterator[str]:
    """Yield the event's texts, and each argument that the text does not already contain."""
    yield event.reasoning
    yield event.text
    if event.kind == "call":
        yield event.tool
    for name, value in (event.arguments or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        if text != event.text:
            yield text if isinstance(value, str) else f"{name}: {text}"
