"""Formats text: truncates text, pluralises nouns, and quotes text as inline code or a code block. Has no side effects.

Where the reader must know how much text is missing, use `agent.case.value_texts.cut` (for a value in an answer) or
`agent.tools.base.clip` (for a result sent to a model) instead.
"""

from __future__ import annotations

import re

_TICKS = re.compile(r"`+")


def cut(text: str, most: int, mark: str = "...") -> str:
    """Truncates `text` to at most `most` characters. A truncated text ends in `mark`."""
    return text if len(text) <= most else text[: max(most - len(mark), 0)].rstrip() + mark


def counted(count: int, noun: str, plural: str = "") -> str:
    """Formats a count with its noun: `1 step`, `1,200 steps`, `2 queries`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def code(text: str) -> str:
    """Formats text, which may contain backticks, as Markdown inline code."""
    text = " ".join(text.split("\n"))
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text))))
    return f"{ticks} {text} {ticks}"


def fenced(text: str, language: str = "text") -> str:
    """Formats text, which may contain code fences, as a Markdown code block."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
