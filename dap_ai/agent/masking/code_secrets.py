"""Decides whether the value next to a secret name is a secret, and finds such values in C, C++ and Rust code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.quoting import unescaped
from dap_ai.agent.masking.secret_names import CODES, PHRASES, SecretWord
from dap_ai.agent.masking.secret_values import has_digit, is_phrase, is_secret_bare, is_secret_quoted, looks_random
from dap_ai.agent.masking.spans import SecretSpan

_BRIDGE = lazy(
    r"""(?:
        (?P<set>
            (?:\[\w{0,20}\]){1,2}\s{0,4}=\s{0,4}\{?\s{0,4}                    # char password[] = "..."
          | \s{0,4}:\s{0,4}&\s?(?:'static\s)?str\s{0,4}=\s{0,4}               # const PASSWORD: &str = "..."
          | \s{0,4}[:=]\s{0,4}[A-Za-z_][\w:]{0,40}\(\s{0,4}                   # password = String::from("...")
          | \{\s{0,4}                                                         # std::string password{"..."}
        )
      | \(\s{0,4}                                                             # std::string password("...")
      | "?\s{0,4},\s{0,4}                                    # strcmp(password, "..."), {"KEY", "..."}
    )(?:L|u8?|U|b)?"(?P<value>(?:[^"\\\n]|\\.){0,2000})\"""",
    re.VERBOSE,
)


def secret_in_code(text: str, found: SecretWord) -> Iterator[SecretSpan]:
    """Yields the string literal that code assigns to a secret name, or passes next to such a name in a call."""
    bridge = _BRIDGE.match(text, found.end)
    if bridge is None:
        return
    # In a call, the argument beside a name can be anything: only a value that looks like a secret itself counts.
    judged = is_secret_quoted if bridge["set"] else is_secret_bare
    if judged(bridge["value"], strong=found.strong and found.sure):
        yield SecretSpan(*bridge.span("value"), f"name: {found.word}", unescaped(bridge["value"]))


SCHEME = lazy(r"(?:bearer|basic|token|digest|apikey|key|bot|negotiate|ntlm)[ \t]+", re.IGNORECASE)
"""Matches the authentication scheme before the secret in a header."""
_CONNECTS = lazy("dsn|database|conn")


def is_secret_of(found: SecretWord, value: str) -> bool:
    """Whether a value is the secret that a name such as `password` announces.

    The value is quoted or shown by a debugger.
    """
    strong = found.strong and found.sure
    if scheme := SCHEME.match(value):
        value, strong = value[scheme.end() :], strong or (found.word == "authorization" and found.sure)
    if found.word == "cookie" and re.search(r"\w=[^;\s]{4,}", value):
        return True
    if _CONNECTS.match(found.word):
        return "@" in value and looks_random(value) if "://" in value else bool(re.search(r"=\S{4,}", value))
    if PHRASES.fullmatch(found.word):
        return is_phrase(value) or (found.word != "mnemonic" and is_secret_quoted(value, strong=strong))
    if CODES.fullmatch(found.word):
        return _is_code(found.word, value) and strong
    return is_secret_quoted(value, strong=strong)


def _is_code(word: str, value: str) -> bool:
    if word in ("pin", "cvv", "cvc"):
        return value.isdigit() and 3 + (word == "pin") <= len(value) <= 12
    return has_digit(value) and is_secret_quoted(value, strong=True)
