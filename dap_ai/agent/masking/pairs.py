"""Finds secrets that do not directly follow their names: an argument, a `value` field, an item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.masking.code_secrets import is_secret_of
from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.quoting import unescaped
from dap_ai.agent.masking.secret_names import SecretWord, secret_name
from dap_ai.agent.masking.secret_values import is_secret_quoted, is_secret_word
from dap_ai.agent.masking.spans import SecretSpan

_STRING = r"(?:\"(?P<{0}d>(?:[^\"\\\n]|\\.){{0,2000}})\"|'(?P<{0}s>(?:[^'\\\n]|\\.){{0,2000}})')"
_NAMED_SO = lazy(
    r"(?:(?:\bname|\bkey|\bvariable|\bid)\\{0,3}[\"']?\s{0,3}(?:[:=]\s{0,3})?\\{0,3}[\"']?|<key>)(?:[\w-]{0,40}\.){0,4}\Z"
)
_VALUE = lazy(
    r"\\{0,3}[\"']?\s{0,4},?\s{0,20}\\{0,3}[\"']?\bvalue\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}(?:\\{0,3}[\"'])?(?P<value>[^\s\"'\\<>,}]{3,512})"
    r"|</key>\s{0,20}<string>(?P<plist>[^<>\n]{3,512})</string>"
    r"|\"\s{0,4}\{\s{0,20}default\s{0,10}=\s{0,4}\"(?P<default>[^\"\n]{3,512})\""
    r"|\"\r?\n\r?\n(?P<form>[^\r\n]{3,512})"
)
_CLOSING = frozenset("\\\"'<\n\r ")
_OPTION = lazy(r"[\"'][^()\n]{0,200}?\bdefault\s{0,2}=\s{0,2}" + _STRING.format(""))
_PUTS = lazy(
    r"(?:\b(?:get|getenv|getattr|setattr|setdefault|setenv|putenv|define|put|set|env|header|add_header|set_header|"
    r"setProperty|getProperty|append)\s?\(\s{0,2}(?:[\w.]{1,40},\s{0,2})?)[bru]?[\"']\Z"
)
_ARGUMENT = lazy(r"[\"']\s{0,2},\s{0,20}[bru]?" + _STRING.format("") + r"(?=\s{0,4}[),])")
_DEFINES = lazy(r"(?:#\s{0,4}define[ \t]{1,8}|(?:^|\n)[ \t]{0,8}ENV[ \t]{1,4})\Z")
_DEFINED = lazy(r"[ \t]{1,20}(?:\"(?P<quoted>[^\"\n]{3,512})\"|(?P<bare>[^\s\"'=]{4,512})(?=[ \t]*(?:\n|\Z)))")
_ANCHORED = lazy(r":[ \t]{1,4}[&!][\w!-]{1,40}[ \t]{1,4}[\"']?(?P<value>[^\s\"']{4,512})[\"']?[ \t]*(?:\n|\Z)")
_CALL = lazy(
    r"\b(?P<second>(?:\w{1,20}\.)?login|(?:HTTP)?(?:Basic|Digest)Auth|jwt\.(?:en|de)code)\([^()\n\"']{0,60}(?:[bru]?"
    + _STRING.format("u")
    + r",\s{0,3})?(?:[\w.]{1,40},\s{0,3})?[bru]?"
    + _STRING.format("")
    + r"(?=\s{0,3}[),])|\bSecretStr\([bru]?"
    + _STRING.format("f")
)
_TARGETS = lazy(r"[ \t]*(?P<names>\w{1,60}(?:, ?\w{1,60}){1,6}) = (?P<values>[^\n]{3,1000})")
_INSERT = lazy(
    r"\binsert\s+into\s+[\w.\"`]{1,80}\s{0,4}\((?P<names>[^()\n]{1,500})\)\s{0,4}values\s{0,4}\((?P<values>[^\n]{1,1000})",
    re.IGNORECASE,
)
_ASSIGNED = lazy(
    r"\bset\s(?P<names>[^()\n\"]{1,300}?\s=\s?\?[^\n\"']{0,200})[\"'],\s{0,20}[(\[](?P<values>[^\n]{1,1000})",
    re.IGNORECASE,
)
_ITEM = lazy(_STRING.format("") + r"|[^,\s()\[\]\"']+|(?P<end>[)\]])")
_CALLS = ("login(", "auth(", "jwt.", "secretstr(")
_SQL_PASSWORD = lazy(r"\b(?:identified\s+by|with\s+password)\s+'(?P<value>[^'\n]{3,512})'", re.IGNORECASE)


def beside(text: str, found: SecretWord) -> Iterator[SecretSpan]:
    """Yields the secret of a name if more than an operator separates them."""
    after, before = text[found.end : found.end + 1], text[max(0, found.start - 60) : found.start]
    if after == "," or before.endswith(", "):
        targets = _TARGETS.match(text, text.rfind("\n", max(0, found.start - 200), found.start) + 1)
        if targets and targets.end("names") >= found.end:
            yield from _by_place(text, targets)
            return
    pair = _VALUE.match(text, found.end) if after in _CLOSING else None
    if pair and not _NAMED_SO.search(before):
        pair = None
    if not pair and found.strong and found.sure:
        pair = _apart(text, found, before, after)
    if pair and pair.lastgroup:
        start, end = pair.span(pair.lastgroup)
        if is_secret_of(found, text[start:end]):
            yield SecretSpan(start, end, f"name: {found.word}", unescaped(text[start:end]))


def _apart(text: str, found: SecretWord, before: str, after: str) -> re.Match[str] | None:
    """Matches the value of an option, of a key in a call, of a macro or of a YAML anchor."""
    if after in ("'", '"'):
        pair = _ARGUMENT.match(text, found.end)
        if pair and _PUTS.search(before):
            return pair
        return _OPTION.match(text, found.end) if "-" in before[-2:] + text[found.start : found.start + 1] else None
    if after == ":":
        return _ANCHORED.match(text, found.end)
    if after == " " and before.rstrip(" \t").endswith(("define", "ENV")) and _DEFINES.search(before):
        pair = _DEFINED.match(text, found.end)
        return pair if pair and (pair["quoted"] or is_secret_word(pair["bare"])) else None
    return None


def placed_secrets(text: str, low: str) -> Iterator[SecretSpan]:
    """Yields secrets recognised by their position: an argument of a call such as `login()`, a value in SQL's INSERT."""
    if any(word in low for word in _CALLS):
        for match in _CALL.finditer(text):
            if match.lastgroup and is_secret_quoted(match[match.lastgroup], strong=True):
                yield SecretSpan(*match.span(match.lastgroup), "name: argument", unescaped(match[match.lastgroup]))
    if "insert into" in low:
        for match in _INSERT.finditer(text):
            yield from _by_place(text, match)
    if "?" in text and "update " in low:
        for match in _ASSIGNED.finditer(text):
            yield from _by_place(text, match)
    if "identified by" in low or "with password" in low:
        for match in _SQL_PASSWORD.finditer(text):
            if is_secret_quoted(match["value"], strong=True):
                yield SecretSpan(*match.span("value"), "name: password")


def _by_place(text: str, match: re.Match[str]) -> Iterator[SecretSpan]:
    """Yields the values at the same positions as the secret names in a list of names."""
    names = [secret_name(re.split(r"\s?=", name)[0].strip(" `\"'")) for name in match["names"].split(",")]
    if not any(names):
        return
    for name, item in zip(names, _ITEM.finditer(text, match.start("values"), match.end()), strict=False):
        if item["end"]:
            break
        if name and item.lastgroup:
            yield from _judged(name, text, *item.span(item.lastgroup))


def _judged(found: SecretWord, text: str, start: int, end: int) -> Iterator[SecretSpan]:
    if is_secret_of(found, text[start:end]):
        yield SecretSpan(start, end, f"name: {found.word}", unescaped(text[start:end]))
