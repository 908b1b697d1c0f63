"""Texts cut, counted, quoted and fenced: the one way of each. Pure.

Where the reader must know how much is missing, `agent.case.values.cut` (a value in an answer) and
`agent.tools.base.clip` (a result for a model) say it instead.
"""

from __future__ import annotations

import re

_TICKS = re.compile(r"`+")


def cut(text: str, most: int, mark: str = "...") -> str:
    """At most `most` characters: of a longer text the end gives way to `mark`."""
    return text if len(text) <= most else text[: max(most - len(mark), 0)].rstrip() + mark


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 step`, `1,200 steps`, `2 queries`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def code(text: str) -> str:
    """Text as inline code of Markdown, whatever it holds."""
    text = " ".join(text.split("\n"))
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text))))
    return f"{ticks} {text} {ticks}"


def fenced(text: str, language: str = "text") -> str:
    """A code block of Markdown that the text cannot end."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
