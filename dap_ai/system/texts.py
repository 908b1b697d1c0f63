"""Formats text: truncates, pluralises, quotes as inline code, fences as a code block. Pure.

Where the reader must know how much is missing, use `agent.case.value_texts.cut` (a value in an answer) or
`agent.tools.base.clip` (a result for a model) instead.
"""

from __future__ import annotations

import re

_TICKS = re.compile(r"`+")


def cut(text: str, most: int, mark: str = "...") -> str:
    """Truncates `text` to `most` characters, ending in `mark`."""
    return text if len(text) <= most else text[: max(most - len(mark), 0)].rstrip() + mark


def counted(count: int, noun: str, plural: str = "") -> str:
    """Formats a count with its noun: `1 step`, `1,200 steps`, `2 queries`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def code(text: str) -> str:
    """Formats text as Markdown inline code; the text may contain backticks."""
    text = " ".join(text.split("\n"))
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text))))
    return f"{ticks} {text} {ticks}"


def fenced(text: str, language: str = "text") -> str:
    """Formats text as a Markdown code block; the text may contain code fences."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
