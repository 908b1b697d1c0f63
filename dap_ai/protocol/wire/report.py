"""The report: an answer's parts as data, so that no client has to search an answer's Markdown for them."""

from __future__ import annotations

from typing import Literal

import msgspec

SectionKind = Literal[
    "verdict",
    "message",
    "cleanup",
    "cause",
    "suspects",
    "advice",
    "rivals",
    "unproved",
    "effort",
    "happened",
    "why",
    "rerun",
    "note",
    "answerer",
    "text",
]
"""What a section states. verdict: the conclusion in one sentence. message: the exception's message as written. cleanup:
values that cleanup code may have changed. cause, suspects: the root cause, and other suspicious lines. advice: a fix or
the next steps; rivals: other fixes that pass; unproved: changes that pass and are not proposed; effort: how many fixes
were tried. happened, why, rerun: the evidence
(values at the stop, the way back to the cause, values of a second run). note: limits of the answer. answerer: whether a
language model was used. text: anything else, such as the answer to a question about a value."""

Certainty = Literal["proved", "guess"]
"""How sure a cause is. proved: a rerun shows it. guess: the code and the values suggest it."""


class _Wire(msgspec.Struct, rename="camel", omit_defaults=True):
    pass


class Section(_Wire, omit_defaults=False):
    """One part of an answer.

    `text` is Markdown.
    """

    kind: SectionKind
    text: str


class Cause(_Wire, omit_defaults=False):
    """The root cause of a failure. `line` is 1-based."""

    file: str
    line: int
    spot: str
    """The place as Markdown code, relative to the program's working directory: `shop.py:3`."""
    code: str
    """The line's source text without indentation; empty if the source cannot be read."""
    reason: str
    """The mistake in Markdown, without a final full stop."""
    certainty: Certainty


class Report(_Wire):
    """An answer in parts, in the order in which they are read."""

    version: int = 1
    """Version of this format. A client ignores section kinds that it does not know."""
    effect: str = ""
    """What went wrong, with the value that decides, in one sentence of Markdown; empty if nothing has failed."""
    sections: list[Section] = []
    cause: Cause | None = None
    """The root cause; absent if it is unknown, or if nothing has failed."""
