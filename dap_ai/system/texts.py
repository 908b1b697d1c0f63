"""Formats text: truncates text, pluralises nouns, and quotes text as inline code or a code block. Has no side effects.

Where the reader must know how much text is missing, use `agent.case.value_texts.cut` (for a value in an answer) or
`agent.tools.base.clip` (for a result sent to a model) instead.
"""

from __future__ import annotations

import re

SPAN = r"(?<![\\`])(?P<{0}_ticks>`+)(?!`) ?(?P<{0}>.+?) ?(?<!`)(?P={0}_ticks)(?!`)"
"""Pattern of Markdown inline code, as `code` writes it. Group `{0}`: the text."""
CODE_SPAN = re.compile(SPAN.format("code"), re.DOTALL)
"""Matches Markdown inline code. Group `code`: the text."""
_TICKS = re.compile(r"`+")
_MARKUP = re.compile(r"[`*<>\[\]\\&~|#]|(?<!\w)_|_(?!\w)|://|www\.|@|^\s*(?:[-+=]|\d+[.)])\s", re.MULTILINE)
"""Matches what Markdown renders as something else: emphasis, links, HTML, entities, tables, headings, lists."""


def cut(text: str, most: int, mark: str = "...") -> str:
    """Truncates `text` to at most `most` characters. A truncated text ends in `mark`."""
    return text if len(text) <= most else text[: max(most - len(mark), 0)].rstrip() + mark


def counted(count: int, noun: str, plural: str = "") -> str:
    """Formats a count with its noun: `1 step`, `1,200 steps`, `2 queries`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def code(text: str | float) -> str:
    """Formats a number, or text that may contain backticks, as Markdown inline code."""
    text = " ".join(str(text).split("\n"))
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text))))
    return f"{ticks} {text} {ticks}"


def in_sentence(text: str) -> str:
    """Formats a program's text for a sentence: unchanged if Markdown shows it unchanged, else as inline code."""
    return code(text) if _MARKUP.search(text) else text


def fenced(text: str, language: str = "text") -> str:
    """Formats text, which may contain code fences, as a Markdown code block."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
