"""Positions of secrets in a text, and helpers for the placeholders that replace them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy

PLACEHOLDER = lazy(r"<secret:(?:part:)?[0-9a-f]{4,64}>")
CUT = lazy(r"(?:\.\.\.|\u2026)['\"]?(?: ?\+? ?\d+ (?:more|chars?|characters|bytes)\b.{0,20})?\Z")
"""Matches the mark at the end of a cut value. The visible part before the mark may be the beginning of a secret."""


class SecretSpan(NamedTuple):
    """Position [start, end) of a secret in a text."""

    start: int
    end: int
    rule: str
    secret: str = ""
    """The decoded secret if the text contains an encoded form, else empty."""
    part: bool = False
    """Whether the text contains only the beginning of the secret, because the value was cut."""


CUT_AFTER = lazy(r"['\"]?(?:\.\.\.|\u2026)(?: (?P<more>\d{1,9}) more\b)?")
"""Matches the mark after a cut secret; `more` is the number of missing characters in the inspector's mark."""


def merged(spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """Yields the spans in order. Merges overlapping spans and keeps the rule of the longest."""
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
    """Yields the parts of a span that are outside existing placeholders, which are never masked again."""
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
    """Yields each position of a word in a text. Several times faster than a pattern with alternatives."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def words(text: str) -> frozenset[str]:
    """Splits a text into a set of words. Word tables in this package are written as such texts."""
    return frozenset(text.split())
