"""Where a secret stands in a text, and what stands there instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy

PLACEHOLDER = lazy(r"<secret:(?:part:)?[0-9a-f]{4,64}>")
CUT = lazy(r"(?:\.\.\.|\u2026)['\"]?(?: ?\+? ?\d+ (?:more|chars?|characters|bytes)\b.{0,20})?\Z")
"""The mark at the end of a value that was cut: what stands before it is the beginning of a secret."""


class SecretSpan(NamedTuple):
    """A secret at [start, end)."""

    start: int
    end: int
    rule: str
    secret: str = ""
    """What the text there stands for, where it is not the secret itself but an encoded form of it."""
    part: bool = False
    """It is the beginning of a secret that was cut."""


CUT_AFTER = lazy(r"['\"]?(?:\.\.\.|\u2026)(?: (?P<more>\d{1,9}) more\b)?")
"""The mark behind a secret that was cut; of the inspector's own, how many characters are missing."""


def merged(spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """In order and disjoint: those that overlap become one, by the rule of the longest."""
    held: SecretSpan | None = None
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if held is None or span.start >= held.end:
            if held is not None:
                yield held
            held = span
        elif span.end > held.end:
            rule = held.rule if held.end - held.start >= span.end - span.start else span.rule
            held = SecretSpan(held.start, span.end, rule, part=span.part)
    if held is not None:
        yield held


def outside_placeholders(text: str, span: SecretSpan) -> Iterator[SecretSpan]:
    """The parts of a span that are no placeholder yet: a placeholder is never masked, nor a part of one."""
    margin = 80
    low = max(0, span.start - margin)
    at, whole = span.start, True
    for match in PLACEHOLDER.finditer(text, low, min(len(text), span.end + margin)):
        if match.end() <= span.start:
            continue
        if match.start() >= span.end:
            break
        whole = False
        if match.start() > at:
            yield SecretSpan(at, match.start(), span.rule)
        at = match.end()
    if at < span.end:
        yield span if whole else SecretSpan(at, span.end, span.rule)


def places(text: str, word: str) -> Iterator[int]:
    """Where a word stands in a text: several times as fast as a pattern that seeks one of several words."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that a person edits."""
    return frozenset(text.split())
