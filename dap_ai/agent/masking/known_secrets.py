"""Stores known secrets and finds them in texts, in every form in which they may be written."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.secret_values import is_common
from dap_ai.agent.masking.spans import SecretSpan, places

MIN_CHARS = 5
"""Minimum length of a secret that is masked everywhere. A shorter secret, such as `1` or `bob`, is masked only next to
its name.
"""
_MIN_FORM = 6
_FREELY = 8
_MIN_CUT = 4
_MAX_CUT = 64
_MIN_TELLING = 12
"""Minimum characters of a secret's beginning that identify the secret, if its length is also known."""
_CUT = lazy(r"\.\.\.|\u2026")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")


class Form(NamedTuple):
    """One written form of a secret."""

    secret: str
    whole: bool
    """Whether the form matches only where no letter or digit is next to it."""
    rule: str
    core: str
    """Shortest form of the same secret that this form contains; may be the form itself."""


class KnownSecrets:
    """The known secrets of a session: all that were added explicitly, and the last `max_found` found in texts."""

    def __init__(self, max_found: int = 64) -> None:
        self._max_found = max_found
        self._told: set[str] = set()
        self._found: dict[str, None] = {}
        self._forms: dict[str, Form] = {}
        self._groups: dict[str, list[tuple[str, Form]]] = {}
        """Forms grouped by core: a text without the core contains no form of its group. Empty until rebuilt."""
        self._parts: set[str] = set()
        """Secrets of which only the beginning is known."""
        self._starts: dict[str, str] = {}
        self._ends: dict[str, str] = {}
        self.additions = 0
        """Number of secrets added so far. After it grows, a text that contained no secrets may contain a known secret.
        """

    def add(self, secret: str, *, found: bool = False, part: bool = False) -> bool:
        """Adds a secret, or only its beginning if `part`.

        Returns False for a secret that is too short or too common to be masked everywhere.
        """
        secret = secret.strip()
        if len(secret) < MIN_CHARS or is_common(secret):
            return False
        if not part:
            self._parts.discard(secret)
        if secret in self._told or secret in self._found:
            return True
        if part:
            self._parts.add(secret)
        self.additions += 1
        if found:
            if len(self._found) >= self._max_found:
                self._forget(next(iter(self._found)))
            self._found[secret] = None
        else:
            self._told.add(secret)
        rule = "found before" if found else "known"
        whole = len(secret) < _FREELY or secret.isalpha() or secret.isdigit()
        cores: list[str] = []
        for form in sorted(dict.fromkeys(_forms(secret)), key=len):
            if len(form) >= (MIN_CHARS if form == secret else _MIN_FORM):
                core = next((one for one in cores if one in form), form)
                cores += [form] if core == form else []
                self._put(form, Form(secret, whole and form == secret, rule, core))
        for size in range(_MIN_CUT, min(_MAX_CUT, len(secret))):
            self._starts.setdefault(secret[:size], secret)
            self._ends.setdefault(secret[-size:], secret)
        return True

    def _put(self, text: str, form: Form) -> None:
        """Adds a written form. If a text is a secret and also a form of another secret, the secret takes precedence."""
        if text == form.secret or text not in self._forms:
            self._forms[text] = form
            self._groups = {}

    def is_part(self, secret: str) -> bool:
        """Whether only the beginning of this secret is known."""
        return secret.strip() in self._parts

    def whole_of(self, start: str, missing: int) -> str:
        """Returns the only secret that begins with `start` and is `missing` characters longer; else an empty string."""
        if len(start) < _MIN_TELLING:
            return ""
        size = len(start) + missing
        whole = [s for s in self.all() if len(s) == size and s.startswith(start) and s not in self._parts]
        return whole[0] if len(whole) == 1 else ""

    def all(self) -> list[str]:
        """Returns all known secrets."""
        return [*self._told, *self._found]

    def spans(self, text: str) -> Iterator[SecretSpan]:
        """Yields the positions of known secrets in any form. Next to a cut mark, also finds beginnings and ends."""
        for core, forms in self._grouped().items():
            if core in text:
                for form, known in forms:
                    yield from _standing(text, form, known, is_part=known.secret in self._parts)
        if self._starts and ("..." in text or "\u2026" in text):
            for mark in _CUT.finditer(text):
                yield from self._cut_before(text, mark.start())
                yield from self._cut_after(text, mark.end())

    def _grouped(self) -> dict[str, list[tuple[str, Form]]]:
        if not self._groups:
            for form, known in self._forms.items():
                self._groups.setdefault(known.core, []).append((form, known))
        return self._groups

    def _cut_before(self, text: str, end: int) -> Iterator[SecretSpan]:
        for size in range(min(_MAX_CUT, end), _MIN_CUT - 1, -1):
            if text[end - size : end] in self._starts:
                yield SecretSpan(end - size, end, "known: cut", part=True)
                return

    def _cut_after(self, text: str, start: int) -> Iterator[SecretSpan]:
        for size in range(min(_MAX_CUT, len(text) - start), _MIN_CUT - 1, -1):
            if text[start : start + size] in self._ends and not text[start + size : start + size + 1].isalnum():
                yield SecretSpan(start, start + size, "known: cut", part=True)
                return

    def _forget(self, secret: str) -> None:
        del self._found[secret]
        self._parts.discard(secret)
        self._groups = {}
        for forms in (self._forms, self._starts, self._ends):
            for key in [k for k, v in forms.items() if (v if isinstance(v, str) else v.secret) == secret]:
                del forms[key]


def _standing(text: str, form: str, known: Form, *, is_part: bool) -> Iterator[SecretSpan]:
    for at in places(text, form):
        end = at + len(form)
        if not known.whole or _stands_alone(text, at, end):
            yield SecretSpan(at, end, known.rule, known.secret, is_part)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a match is a separate word. For digits, whether no further digit is next to them."""
    beside = (text[start - 1 : start], text[end : end + 1])
    if text[start:end].isdigit():
        return not any(char.isdigit() for char in beside)
    return not any(char.isalnum() or char == "_" for char in beside)


def _forms(secret: str) -> Iterator[str]:
    """Yields the written forms of a secret: escaped for source, JSON or URLs, base64, hexadecimal, and long lines."""
    yield secret
    data = secret.encode("utf-8", "surrogatepass")
    written = json.dumps(secret)[1:-1]
    shown = repr(secret)[1:-1]
    yield from (written, shown, ascii(secret)[1:-1], repr(data)[2:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (json.dumps(written)[1:-1], json.dumps(shown)[1:-1], repr(shown)[1:-1])
    yield from (shown.replace("'", "\\'"), shown.replace('"', '\\"'))
    quoted = "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data)
    yield from (quoted, re.sub(r"%..", lambda m: m[0].lower(), quoted), quoted.replace("%20", "+"))
    yield from (quoted.replace("%2F", "/"), "".join(f"%{byte:02X}" for byte in data))
    yield secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    for offset in range(3):
        # The first and last characters also depend on the data next to the secret, so they are left out.
        code = base64.b64encode(b"\0" * offset + data).decode()
        first = (0, 2, 3)[offset]
        whole = (len(data) + offset) * 8 // 6
        for inner in (code[first:], code[first:whole]):
            yield from (inner, inner.replace("+", "-").replace("/", "_"))
            yield inner.rstrip("=")
    yield from (data.hex(), data.hex().upper())
    if "\n" in secret:
        yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= 16)
