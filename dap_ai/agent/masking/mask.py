"""Makes text safe to leave the process: replaces every secret by a placeholder such as `<secret:3f2a>`.

Every exit of the process accepts only `Safe` text, which only the masker makes. Each exit calls the masker itself;
docs/decisions/0014 lists the exits. The placeholder is computed with a random key of the session: equal secrets have
equal placeholders, and nobody can test guesses against them. Placeholders are never masked again, so masking twice
changes nothing.

Finders: known secrets in all their forms (`known_secrets.py`), values next to a name (`named_values.py`), values
recognised by their place (`pairs.py`) or by their shape (`secret_shapes.py`), and the user's own patterns. Overlapping
spans are merged. A doubtful value is masked where it is found. It is masked everywhere only if it is rare enough
(`is_worth_keeping`): masking `admin` in every line would hide the program.

Invariants: masked text contains no known secret in any form; masking it again changes nothing; a secret has one
placeholder per session (an HMAC, so guesses cannot be tested without the key).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple, cast, overload

from dap_ai.agent.masking.code_secrets import SCHEME, is_secret_of
from dap_ai.agent.masking.known_secrets import KnownSecrets
from dap_ai.agent.masking.named_values import named_secrets
from dap_ai.agent.masking.pairs import placed_secrets
from dap_ai.agent.masking.placeholders import Placeholders
from dap_ai.agent.masking.quoting import written
from dap_ai.agent.masking.secret_names import CODES, PHRASES, SecretWord, lowered, secret_name
from dap_ai.agent.masking.secret_shapes import shaped_secrets
from dap_ai.agent.masking.secret_values import is_exempt, is_secret_quoted, is_secret_start, is_worth_keeping
from dap_ai.agent.masking.spans import CUT_AFTER, PLACEHOLDER, SecretSpan, merged, outside_placeholders
from dap_ai.agent.masking.stream import MaskedStream
from dap_ai.protocol.wire.safe import Safe, SafeFields, SafeJson, json_text, safe_fields

__all__ = ["MaskedSecret", "MaskedStream", "Masker", "PatternError"]

_MAX_PASSES = 8
_MAX_DEPTH = 60
_MAX_CLEAN = 128
_MIN_CLEAN_CHARS = 100
_KEPT = ("name", "URL", "command", "login")
"""Rules that recognise a secret by its context. The masker remembers such secrets, because they also appear without
this context.
"""
_WHOLE = ("known", "found before", "private key")
_TOO_DEEP = "<nested too deeply to be shown>"
_MEMBERS = re.compile(r"(?:0x[0-9a-f]+ -> )?\{[\w:<>~]+=")
"""Matches a C, C++ or Rust structure. Without formatters, a debugger shows a string as a structure three levels deep.
"""
_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)+\"")


class PatternError(ValueError):
    """Raised for a user's masking pattern that cannot be used. The text names the pattern and the reason."""


class MaskedSecret(NamedTuple):
    """Placeholder, rule and count of a masked secret, without the secret itself."""

    placeholder: str
    rule: str
    times: int


class Masker:
    """Masks the secrets in the texts of one session.

    `patterns` are the user's regular expressions, in which group 1, if any, is the secret. Time is linear in the text
    and in the number of known secrets, plus the user's patterns.
    """

    def __init__(self, patterns: Iterable[str] = (), key: bytes | None = None) -> None:
        self._placeholders = Placeholders(key or os.urandom(32))
        self._patterns = [compiled(pattern) for pattern in patterns]
        self._known = KnownSecrets()
        self._read: set[bytes] = set()
        self._counts: dict[tuple[str, str], int] = {}
        self._clean: dict[str, int] = {}
        """Recent texts without secrets, each with the value of `additions` at that time. Every request sends the
        conversation again.
        """

    def mask(self, text: str) -> Safe:
        """Replaces the secrets in a text by placeholders. Only this method turns external text into Safe text."""
        if not text or self._clean.get(text) == self._known.additions:
            return cast("Safe", text)
        # Repeat until nothing changes: a pass may learn a secret at the end of a text after it has passed the
        # beginning.
        for _ in range(_MAX_PASSES):
            again = self._pass(text)
            if again == text:
                self._remember(text)
                break
            text = again
        return cast("Safe", text)

    def _remember(self, text: str) -> None:
        if len(text) >= _MIN_CLEAN_CHARS:
            self._clean.pop(text, None)
            self._clean[text] = self._known.additions
            if len(self._clean) > _MAX_CLEAN:
                del self._clean[next(iter(self._clean))]

    def mask_value(self, name: str, value: str) -> Safe:
        """Masks the value of the variable `name`, in the text that a debugger shows for it."""
        found = secret_name(name)
        if found is None or PLACEHOLDER.fullmatch(value):
            return self.mask(value)
        read = written(value)
        inner = value[read.start : read.end]
        # Only for a single text. The parts of a container or object are judged by their own names.
        sure = is_secret_of(found, inner) or (read.is_cut and found.sure and is_secret_start(inner))
        if sure and (read.is_literal or not value.startswith(("<", "[", "(", "{"))):
            span = SecretSpan(read.start, read.end, f"name: {found.word}", read.text, read.is_cut)
            return self.mask(value[: read.start] + self._stand_in(value, span) + value[read.end :])
        if _MEMBERS.match(value):
            self.learn(name, value)
        # A name with its value says more than both apart, so the finders get an assignment. If they mask part of the
        # name, the position of the value is lost, and the value is masked alone.
        shown = self.mask(f"{name} = {value}")
        return shown[len(name) + 3 :] if shown.startswith(f"{name} = ") else self.mask(value)

    @overload
    def mask_json(self, value: str, name: str = "") -> Safe: ...
    @overload
    def mask_json(self, value: object, name: str = "") -> SafeJson: ...
    def mask_json(self, value: object, name: str = "") -> SafeJson:
        """Copies the JSON-like value of `name` and masks each string in it by its key and content.

        `{"name": "password", "value": "'x'"}` is read as a DAP variable. A string that holds JSON stays JSON.
        """
        return self._json(value, name, 0)

    def mask_fields(self, fields: Mapping[str, object]) -> SafeFields:
        """Copies a JSON object and masks each string in it."""
        return safe_fields(self._json(fields, "", 0))

    def learn(self, name: str, value: object) -> bool:
        """Learns the secrets in the value of a variable. Returns whether the value contains any.

        A string value may also be the repr of the variable's value.
        """
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            learned = [self.learn(k if isinstance(k, str) and secret_name(k) else name, v) for k, v in items]
            return any(learned)
        if isinstance(value, (list, tuple, set, frozenset)):
            learned = [self.learn(name, item) for item in cast("Iterable[object]", value)]
            return any(learned)
        if isinstance(value, (bytes, bytearray)):
            value = bytes(value).decode("utf-8", "replace")
        if not isinstance(value, str):
            return False
        read = written(value.strip())
        text = read.text if read.is_literal else value
        found = secret_name(name)
        strong = found is not None and found.sure and (found.strong or name.isupper())
        has_one = self._inside(text)  # first, because parts of a known secret get no spans
        if found is not None and _MEMBERS.match(text):
            learned = [self.learn(name, literal) for literal in _STRINGS.findall(text)]
            return any(learned) or has_one
        if found is not None and _is_secret(found, text, strong=strong):
            scheme = SCHEME.match(text)
            alone = text[scheme.end() :] if scheme and " " not in text[scheme.end() :] else text
            self._known.add(alone, part=read.is_literal and read.is_cut)
            return True
        return has_one

    def learn_text(self, secret: str) -> bool:
        """Learns a value to be masked everywhere. Returns False if the value is too short or too common."""
        return self._known.add(secret)

    def is_new(self, text: str) -> bool:
        """Whether this text is passed for the first time. Stores only a digest of the text."""
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        is_new = digest not in self._read
        self._read.add(digest)
        return is_new

    def shown(self) -> list[MaskedSecret]:
        """Returns placeholder, rule and count of each masked secret, most frequent first."""
        rows = [MaskedSecret(placeholder, rule, times) for (placeholder, rule), times in self._counts.items()]
        return sorted(rows, key=lambda row: (-row.times, row.rule, row.placeholder))

    def known(self) -> list[str]:
        """Returns the known secrets, to be hidden in a copy of the program. Never show them."""
        return self._known.all()

    def placeholder(self, secret: str) -> Safe:
        """Returns the placeholder of a secret. Does not count the secret as masked."""
        return self._placeholders.of(secret, part=self._known.is_part(secret))

    def secrets(self, text: str) -> list[tuple[int, int]]:
        """Returns the (start, end) of each secret in a text. Does not count the secrets as masked."""
        return [(span.start, span.end) for span in self._spans(text)]

    def _spans(self, text: str) -> list[SecretSpan]:
        low = lowered(text)
        found = [
            *self._known.spans(text),
            *named_secrets(text, low),
            *placed_secrets(text, low),
            *shaped_secrets(text, low),
        ]
        for pattern in self._patterns:
            group = 1 if pattern.groups else 0
            found += [SecretSpan(*m.span(group), "your pattern") for m in pattern.finditer(text) if m[group]]
        # Programs may print placeholders they were shown; spans are cut around them.
        if found and "<secret:" in text:
            return [part for span in merged(found) for part in outside_placeholders(text, span)]
        return list(merged(found)) if found else found

    def _pass(self, text: str) -> str:
        spans = self._spans(text)
        if not spans:
            return text
        parts: list[str] = []
        at = 0
        for span in spans:
            parts += (text[at : span.start], self._stand_in(text, span))
            at = span.end
        return "".join([*parts, text[at:]])

    def _stand_in(self, text: str, span: SecretSpan) -> Safe:
        """Returns the placeholder for a span. Remembers a secret that was recognised by its name or context."""
        # Debuggers cut long values. A beginning gets another placeholder than the whole secret, unless exactly one
        # known secret begins with it and is longer by the number of missing characters.
        secret = span.secret or text[span.start : span.end]
        cut = CUT_AFTER.match(text, span.end)
        is_part = span.part or bool(cut and (cut["more"] or not span.rule.startswith(_WHOLE)))
        if span.rule.startswith(_KEPT) and is_worth_keeping(secret):
            self._known.add(secret, found=True, part=is_part)
        if is_part and cut and cut["more"] and (whole := self._known.whole_of(secret, int(cut["more"]))):
            secret, is_part = whole, False
        return self._counted(self._placeholders.of(secret, part=is_part), span.rule)

    def _inside(self, text: str) -> bool:
        """Learns the secrets within a text, such as a URL's password or a header's token.

        Returns whether it has learned any.
        """
        spans = [s for s in self._spans(text) if not s.rule.startswith(("known", "found"))]
        learned = [self._known.add(s.secret or text[s.start : s.end], part=s.part) for s in spans]
        return any(learned)

    def _counted(self, placeholder: Safe, rule: str) -> Safe:
        counted = (placeholder, rule)
        self._counts[counted] = self._counts.get(counted, 0) + 1
        return placeholder

    def _json(self, value: object, name: str, depth: int) -> SafeJson:
        if isinstance(value, str):
            return self._json_text(value, name, depth) if depth <= _MAX_DEPTH else _TOO_DEEP
        if isinstance(value, (dict, list, tuple, set, frozenset, bytes, bytearray)) and depth > _MAX_DEPTH:
            return _TOO_DEEP
        if isinstance(value, dict):
            items = cast("dict[object, object]", value)
            # A DAP variable is {name, value}: the name is in a field next to the value, not in the key.
            label = next((v for k in ("name", "key") if isinstance(v := items.get(k), str)), "")
            made: dict[Safe, SafeJson] = {
                self.mask(k if isinstance(k, str) else str(k)): self.mask_value(label, v)
                if k == "value" and label and isinstance(v, str)
                else self._json(v, self._below(name, k), depth + 1)
                for k, v in items.items()
            }
            return made
        if isinstance(value, (bytes, bytearray)):
            return self._json(bytes(value).decode("utf-8", "replace"), name, depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._json(v, name, depth + 1) for v in cast("Iterable[object]", value)]
        if isinstance(value, int) and not isinstance(value, bool) and name and abs(value) >= 100_000:
            found = secret_name(name)
            if found and found.strong and found.sure:
                return self._counted(self.placeholder(str(value)), f"name: {found.word}")
        return value if value is None or isinstance(value, (bool, int, float)) else self.mask(repr(value))

    def _below(self, name: str, key: object) -> str:
        """Returns the name of a nested value: its key. Below a name such as `passwords`, returns that name."""
        if not isinstance(key, str) or secret_name(key) is not None:
            return key if isinstance(key, str) else name
        around = secret_name(name) if name else None
        return name if around is not None and around.plural and around.strong else key

    def _json_text(self, text: str, name: str, depth: int) -> Safe:
        if text[:1] in ("{", "[") and text[-1:] in ("}", "]") and depth < _MAX_DEPTH:
            try:
                value: object = json.loads(text)
            except (ValueError, RecursionError):
                pass
            else:
                masked = self._json(value, name, depth + 1)
                return self.mask(text) if masked == value else json_text(masked)
        found = secret_name(name) if name else None
        if found is None or PLACEHOLDER.fullmatch(text) or is_exempt(text):
            return self.mask(text)
        return self.mask_value(name, text)


def _is_secret(found: SecretWord, text: str, *, strong: bool) -> bool:
    """Whether the whole of a learned value is the secret."""
    if CODES.fullmatch(found.word) or PHRASES.fullmatch(found.word):
        return is_secret_of(found, text)
    return is_secret_quoted(text, strong=strong)


def compiled(pattern: str) -> re.Pattern[str]:
    """Compiles a user's masking pattern. Raises PatternError."""
    try:
        made = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"the masking pattern {pattern!r} is not a regular expression: {error}") from error
    if made.match("") or made.fullmatch(""):
        raise PatternError(f"the masking pattern {pattern!r} matches the empty text: it would mask nothing, everywhere")
    if made.groups > 1:
        raise PatternError(
            f"the masking pattern {pattern!r} has several groups: mark the secret with one, (?:...) else"
        )
    return made
