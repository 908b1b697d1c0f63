"""Decides whether a text next to a secret name, or a long word alone, is a secret rather than code or prose."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.spans import PLACEHOLDER, words

_NO_SECRET = lazy(
    r"""none|null|nil|true|false|yes|no|on|off|undefined|nan|n/?a|empty|unset|unknown|missing|required|optional
    |invalid|valid|expired|hidden|masked|default|disabled|enabled|available|provided|present|absent|ask|prompt|auto
    |str|string|bytes|bytearray|int|float|bool|object|any|text|char|varchar|number|integer|boolean|list|dict|array
    |typing\.\w+|optional\[.*|union\[.*|self|cls|type|class|lambda|return|await|yield|not
    |\.[a-z_.]+|option|options|argument|arguments|flag|parameter|switch
    |\W{0,400}|x{3,}|\*{2,}\w{0,4}|<[^<>]*>|\[[\w ]*\]|\(?redacted\)?|changeme|example
    |\$\w+|\$\{[^}]*\}?|\$\(.*|%\w|%\(\w*\)?\w?|\{[^{}]*\}?|\{\{.*|%\{.*|%[A-Z_]+%
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = lazy(r"%(?:\(\w{0,40}\))?[sdrif]|\$?\{[\w.!:]{0,60}\}")
_LETTERS = lazy(r"[A-Za-z][A-Za-z _.:-]*\??")
_NAME_PART = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_PARTS = words(
    "password passwords passwd passphrase secret secrets token tokens credential credentials cookie cookies pwd "
    "apikey key keys auth session"
)
_PROSE = lazy(
    r"\b(?:the|an?|is|are|was|be|must|should|can(?:not|'t)?|could|not|no|to|for|of|or|and|in|from|with|your|you|this|"
    r"that|it|if|when|please|enter|use|used|has|have|will|invalid|wrong|missing|required|expected|unexpected|least|"
    r"error|failed|new|field|name|type|value|bad|by|at)\b",
    re.IGNORECASE,
)
_PATH = lazy(r"(?:~|\.{0,2})/[\w.~ /@+=,-]*|\\\\\w[^\s]*|[A-Za-z]:[\\/][^\s]*|[a-z][a-z0-9+.-]*://.*", re.IGNORECASE)
_SEGMENT = lazy(r"[\w+=]{12,}")
_PLAIN_DATA = lazy(
    r"""0[xX][0-9a-fA-F]{1,16}                                      # an address
    |[-+]?\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?%?j?                   # a number
    |\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}(?:[ T]?\d{1,2}[:h.]?[\d:.,]*(?:Z|[-+]\d\d:?\d\d)?)?   # a date, a time
    |v?\d+(?:\.\d+){1,4}[\w.+-]{0,16}                               # a version, an IP address
    """,
    re.VERBOSE,
)
_REGULAR_EXPRESSION = lazy(r"\[\^|\(\?|\\[wWsSdDbZ][+*?)\]\\]|\.\*|\)\?|\[[a-z]-[a-z]")
_CODE = lazy(
    r"[A-Za-z_]\w*(?:\.\w+)*[(\[{].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\)*|[A-Za-z_]\w*\)*\.|[(\[{\\@*~^+/%=|&!?.,:-].*",
    re.DOTALL,
)
_WORDS = lazy(r"[a-z]{1,12}(?: [a-z]{1,12}){2,23}")
_COUNTED_NAME = lazy(r"[A-Za-z]+(?:[ _.-][A-Za-z]+)*[_-]?\d{1,6}")
_VARIABLE = lazy(
    r"(?:args?|val(?:ue)?s?|[a-z]|var|tmp|text|data|str|bytes|test|user|new|old|self|base|utf|md|sha|int|uint|pw|"
    r"line|name|item|elem|node|tok|pass|part|opt|param|result|res|ret|buf|string)_?\d{1,3}",
    re.IGNORECASE,
)
_DIGIT = lazy(r"[0-9]")
_MARK = lazy(r"[@!#$%^*+~?]")
_CALLED = lazy(r"[A-Za-z_]\w*(?:\.\w+)*[(\[]")
_METAVAR = lazy(r"[A-Z][A-Z_]*")


def has_digit(value: str) -> bool:
    """Whether a text contains a digit of any script."""
    return _DIGIT.search(value) is not None or (not value.isascii() and any(map(str.isdigit, value)))


def is_exempt(value: str) -> bool:
    """Whether a value is clearly not a secret, such as a constant, a type, a path or the name of a secret."""
    if len(value) > 4096:
        return False
    if "%" in value or "{" in value:
        value = _TEMPLATE.sub("", value)
    return bool(
        _NO_SECRET.fullmatch(value)
        or _talks_of_one(value)
        or (_PATH.fullmatch(value) and not any(map(_is_random_segment, _SEGMENT.findall(value))))
        or _REGULAR_EXPRESSION.search(value)
    )


def _is_variable(value: str) -> bool:
    """Whether a value is an identifier that names a secret: `max_tokens_1_day`."""
    return (
        "_" in value
        and value.isidentifier()
        and len(value) <= 80
        and not _SECRET_PARTS.isdisjoint(value.lower().split("_"))
    )


def _is_random_segment(segment: str) -> bool:
    return _changes(segment) / len(segment) > 0.4 and has_digit(segment)


def _talks_of_one(value: str) -> bool:
    """Whether a value is not a secret but mentions one: `client_secret`, `my-secret-token`."""
    return (
        len(value) <= 80
        and _LETTERS.fullmatch(value) is not None
        and not _SECRET_PARTS.isdisjoint(part.lower() for part in _NAME_PART.findall(value))
    )


def is_secret_quoted(value: str, *, strong: bool) -> bool:
    """Whether a quoted value next to a secret name is a secret.

    `strong`: such names rarely have values that are not secret.
    """
    value = PLACEHOLDER.sub("", value)
    if len(value) < 3 or is_exempt(value):
        return False
    if not strong:
        return looks_random(value)
    if " " in value.strip() or "\\n" in value:
        return not is_prose(value)
    if value.isdigit():
        return len(value) >= 4
    return not (_PLAIN_DATA.fullmatch(value) or (value.endswith((":", "=", ",", "(", ")")) and value[:-1].isalpha()))


def is_phrase(value: str) -> bool:
    """Whether a value consists of several words, such as a wallet's recovery phrase, but is not a sentence."""
    return bool(_WORDS.fullmatch(value)) and _SECRET_PARTS.isdisjoint(value.split())


def is_secret_bare(value: str, *, strong: bool) -> bool:
    """Whether an unquoted value next to a secret name is a secret rather than code."""
    value = PLACEHOLDER.sub("", value)
    if _talks_of_one(value.rstrip("0123456789")) or _is_variable(value):
        return False
    if len(value) < (4 if strong else 5) or is_exempt(value) or _CODE.fullmatch(value) or _VARIABLE.fullmatch(value):
        return False
    if not strong:
        return looks_random(value)
    if value.isdigit():
        return len(value) >= 6
    if _PLAIN_DATA.fullmatch(value):
        return False
    return has_digit(value) or (len(value) >= 6 and _MARK.search(value, 0, len(value) - 1) is not None)


def is_secret_word(value: str) -> bool:
    """Whether an unquoted value is a secret, in a place for data such as a line of .env or a command-line option."""
    value = PLACEHOLDER.sub("", value)
    return len(value) >= 4 and not (
        is_exempt(value)
        or _METAVAR.fullmatch(value)
        or _PROSE.fullmatch(value)
        or _PLAIN_DATA.fullmatch(value)
        or _CALLED.match(value)
    )


def is_secret_start(value: str) -> bool:
    """Whether the visible beginning of a cut value may belong to a secret rather than to a plain word."""
    return (
        len(value) >= 3
        and not is_exempt(value)
        and (_changes(value[1:]) > 0 or not value.isalpha())
        and " " not in value
    )


def is_prose(value: str) -> bool:
    """Whether a value reads like a sentence or prompt rather than like a passphrase."""
    return bool(value.rstrip().endswith((":", ".", "?", "!", ",", "=")) or _PROSE.search(value) or value.count(" ") > 7)


def looks_random(value: str) -> bool:
    """Whether a value looks random, not like a word, number, date or name."""
    value = PLACEHOLDER.sub("", value)
    if len(value) < 8 or " " in value.strip() or is_exempt(value) or _PLAIN_DATA.fullmatch(value):
        return len(value) >= 12 and value.isdigit()
    if _COUNTED_NAME.fullmatch(value):
        return False
    digits = sum(c.isdigit() for c in value)
    if not digits:
        return len(value) >= 16 and value.isalnum() and _changes(value) / len(value) > 0.4
    return digits >= 3 or _changes(value) / len(value) >= 0.25


def is_worth_keeping(value: str) -> bool:
    """Whether a value found next to a secret name is distinctive enough to be masked everywhere."""
    return (
        8 <= len(value) <= 512
        and " " not in value
        and has_digit(value)
        and any(map(str.isalpha, value))
        and not _COUNTED_NAME.fullmatch(value)
    )


def is_common(value: str) -> bool:
    """Whether a value is too common a word to be masked everywhere."""
    return value.lower() in _COMMON or bool(_NO_SECRET.fullmatch(value))


_COMMON = words(
    "password passwd secret token admin root user test tests postgres mysql redis guest public private default demo "
    "dummy sample hello world python local localhost value string change login master server client"
)
_HASH_LENGTHS = frozenset({32, 40, 48, 56, 64, 96, 128})
_HEX = lazy(r"(?:[0-9a-f]+|[0-9A-F]+)")


def is_random_word(word: str) -> bool:
    """Whether a long word is random text rather than an identifier, a path, a hash or an image."""
    size = len(word)
    if not 24 <= size <= 200:
        return False
    digits = sum(map(str.isdigit, word))
    if digits < 2 or digits > size * 0.6:
        return False
    if _HEX.fullmatch(word):
        return size > 32 and size not in _HASH_LENGTHS and size <= 100 and _entropy(word) > 3.2
    upper = sum(map(str.isupper, word))
    lower = sum(map(str.islower, word))
    changes = _changes(word) / size
    if upper >= 2 and lower >= 2:
        return changes >= 0.4 and _entropy(word) >= (3.9 if size >= 32 else 3.6)
    return word.isalnum() and digits >= 4 and changes >= 0.2 and _entropy(word) >= 3.6


def _changes(word: str) -> int:
    """Returns how often neighbouring characters differ in kind, in the first 512. The count is high for random text."""
    kinds = [0 if c.isdigit() else 1 if c.islower() else 2 if c.isupper() else 3 for c in word[:512]]
    return sum(a != b for a, b in pairwise(kinds))


def _entropy(word: str) -> float:
    """Returns the entropy of a word in bits per character."""
    size = len(word)
    return -sum(n / size * math.log2(n / size) for n in Counter(word).values())
