"""Decodes quoted and escaped values, so that a secret is recognised in whichever way it is quoted."""

from __future__ import annotations

import re
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy

_ESCAPE = lazy(r"\\(?:([\\'\"`/abfnrtv0])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_PERCENT = lazy(r"(?:%[0-9a-fA-F]{2})+")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}
_ENTITY = lazy("|".join(_ENTITIES))


def unescaped(text: str, times: int = 1, *, is_bytes: bool = False) -> str:
    """Decodes the escapes in a string literal's content. `times` is how deeply literals are nested in literals."""
    for _ in range(times if "\\" in text else 0):
        text = _ESCAPE.sub(_character, text)
        if any("\ud800" <= char <= "\udfff" for char in text):  # JSON writes the others as pairs
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if is_bytes and not text.isascii() and max(text) <= "\xff":
        return text.encode("latin-1").decode("utf-8", "replace")
    return text


def from_url(text: str) -> str:
    """Decodes the percent escapes of a URL part."""
    if "%" not in text:
        return text
    return _PERCENT.sub(lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"), text)


def from_markup(text: str) -> str:
    """Decodes the entities of XML or HTML text."""
    return _ENTITY.sub(lambda m: _ENTITIES[m[0]], text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    simple, *codes = match.groups()
    if simple is not None:
        return _CONTROL.get(simple, simple)
    number = int(next(code for code in codes if code is not None), 16)
    return chr(number) if number < 0x110000 else match[0]


_COUNT = r"\.\.\.['\"]?(?:\+? ?(?P<{}>\d+) (?:more|chars?|characters|bytes).*)?|\u2026.*"
_LITERAL = lazy(
    r"(?P<prefix>[bBrRuU]{0,2})(?P<quote>[\"'])(?P<value>.*?)"
    rf"(?:(?P=quote)(?P<behind>{_COUNT.format('after')})?|(?P<within>{_COUNT.format('inside')}))?\Z",
    re.DOTALL,
)
_BARE = lazy(rf"(?P<value>.*?)(?P<within>{_COUNT.format('inside')})?\Z", re.DOTALL)


class Written(NamedTuple):
    """Content of a value in the form that a debugger shows: its position in the text, and its decoded text."""

    start: int
    end: int
    text: str
    is_cut: bool
    is_literal: bool


def written(value: str) -> Written:
    """Parses the text of a value: a quoted string, possibly cut, or unquoted text."""
    literal = _LITERAL.match(value)
    found = literal or _BARE.match(value)
    if found is None:  # it matches any text
        return Written(0, len(value), value, is_cut=False, is_literal=False)
    is_cut = bool(found["within"] or (literal and literal["behind"]))
    text = found["value"]
    if literal and "r" not in literal["prefix"].lower():
        text = unescaped(text, is_bytes="b" in literal["prefix"].lower())
    return Written(*found.span("value"), text, is_cut, literal is not None)
