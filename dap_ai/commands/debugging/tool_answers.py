"""Shortens the Markdown of an agent's tool to the text that a debugger's user expects. Has no side effects.

Text in an unknown form stays unchanged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dap_ai.system.texts import CODE_SPAN, SPAN

_COPY = r"\(in a snapshot; the program was not changed\)"
_EVALUATED = re.compile(
    rf"{SPAN.format('expression')} (?:evaluates to|is) {SPAN.format('value')}(?: {_COPY})?\.(?P<more>.*)", re.DOTALL
)
_RAISED = re.compile(rf"{SPAN.format('expression')} raises {SPAN.format('value')} {_COPY}\.(?P<more>.*)", re.DOTALL)
_SUBJECT = re.compile(rf"\A{SPAN.format('subject')} (?:is|evaluates to) ")
_FENCE = re.compile(r"^`{3,}\w*\n?", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SECTION = re.compile(r"^(?P<title>[A-Z][^\n`]*):\n\n```\w*\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)


class ShownValue(NamedTuple):
    """The value of an expression, or its error if `failed`.

    `more`: what the expression printed, and what the copy prevented it from doing.
    """

    text: str
    more: str = ""
    failed: bool = False


def value(answer: str) -> ShownValue:
    """Return the value or the error in an answer of the tool `evaluate`."""
    text = answer.strip()
    if found := _EVALUATED.fullmatch(text):
        return ShownValue(found["value"], plain(found["more"]))
    if found := _RAISED.fullmatch(text):
        return ShownValue(f"*** {found['value']}", plain(found["more"]), failed=True)
    if " was not evaluated: " in text:
        return ShownValue(f"*** {plain(text)}", failed=True)
    return ShownValue(plain(_SUBJECT.sub("", text)))


def plain(answer: str) -> str:
    """Return a text without Markdown markup, which a terminal would show literally."""
    text = _BOLD.sub(r"\1", CODE_SPAN.sub(lambda span: span["code"], _FENCE.sub("", answer)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def section(answer: str, title: str) -> str:
    """Return the fenced text below the line `Title:`; empty if there is no such section."""
    return next((m["body"].rstrip() for m in _SECTION.finditer(answer) if m["title"] == title), "")


def is_elsewhere(answer: str) -> bool:
    """Return whether this answer says that the tool does not apply to this kind of program."""
    return " is not for this program. " in answer


def is_unread(answer: str) -> bool:
    """Return whether this answer says that the tool could not read a value.

    `evaluate` may still compute the value in a copy.
    """
    return " was not read: " in answer.partition("\n")[0]
