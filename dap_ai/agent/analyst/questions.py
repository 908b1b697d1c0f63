"""What a question is about: an expression, a line, a function, or the stop itself."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.source import Sources
from dap_ai.agent.stack import Case

_STOP_WORDS = frozenset(
    [
        "why",
        "what",
        "is",
        "where",
        "does",
        "the",
        "a",
        "an",
        "of",
        "come",
        "from",
        "did",
        "it",
        "here",
        "stop",
        "stopped",
        "how",
        "to",
        "be",
        "in",
        "was",
        "and",
        "or",
        "not",
        "ever",
        "this",
        "that",
        "value",
        "fail",
        "failed",
        "crash",
        "error",
        "happen",
        "happened",
        "wrong",
        "line",
        "bug",
        "fix",
        "my",
        "program",
        "code",
        "for",
        "on",
        "i",
        "do",
        "you",
        "can",
        "are",
        "has",
        "have",
    ]
)
_CODE = re.compile(r"`([^`]+)`")
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*(?:\[[^\]]*\]|\([^()]*\))*(?:\.\w+)*")
_LINE = re.compile(r"\bline (\d+)\b|:(\d+)\b", re.IGNORECASE)


def candidates(question: str) -> list[str]:
    """Expressions that the question may name, most explicit first; whether they exist is for the caller to see."""
    found = _CODE.findall(question)
    for match in _EXPRESSION.finditer(_CODE.sub(" ", question)):
        text = match[0].rstrip(".")
        if text.casefold() not in _STOP_WORDS and (len(text) > 1 or text not in "aI"):
            found.append(text)
    return list(dict.fromkeys(text for name in found if (text := _normal(name))))[:8]


def _normal(text: str) -> str:
    try:
        return ast.unparse(parse_expression(text))
    except SyntaxRefused:
        return ""


def named(case: Case, question: str) -> list[ast.expr]:
    """The expressions of the question that have a value in the frame it is about."""
    place = case.focus
    if place is None:
        return []
    found: list[ast.expr] = []
    for text in candidates(question):
        value = place.value(text)
        if value is not None and value.kind not in ("module", "class"):
            found.append(parse_expression(text))
    return found


def line_of(question: str) -> int | None:
    """The line that the question names (1-based)."""
    match = _LINE.search(question)
    return int(match[1] or match[2]) if match else None


def excerpt(sources: Sources, path: str, line: int) -> str:
    """A few lines around one, as a code block."""
    source = sources.read(path)
    if source is None or not source.line(line):
        return ""
    first, last = max(1, line - 2), min(len(source.lines), line + 2)
    rows = [f"{'>' if n == line else ' '} {n}  {source.line(n)}" for n in range(first, last + 1)]
    return "```python\n" + "\n".join(rows) + "\n```"
