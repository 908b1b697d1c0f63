"""Recognises names of secrets, such as `password` or `apiKey`, but not `token_count` or `password_policy`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.spans import PLACEHOLDER, places, words

_KEY = r"[ _-]?keys?"
_WORD = lazy(
    r"p(?:ass(?:w(?:or)?d|phrase|code|wort)|wd|rivate" + _KEY + r"|w\b|ass\b|hpsessid"
    r"|epper\b|in(?:[_-]?code)?\b|sk\b|re[_-]?shared" + _KEY + r")"
    r"|s(?:ecret|ess(?:ion)?[_-]?(?:id|key|token)|torage" + _KEY + r"|igning" + _KEY + r"|sh[_-]?key|id\b"
    r"|alt\b|enha\b|eed[_-]?(?:phrase|words)|hared" + _KEY + r"|ecurity[_-]?(?:answer|code))"
    r"|t(?:oken|otp(?:[_-]?seed)?)"
    r"|a(?:pi" + _KEY + r"|ccess" + _KEY + r"|ccount" + _KEY + r"|uth(?:orization|[_-]?key|\b)"
    r"|pp[_-]key|es[_-]key|ccess[_-]?code)"
    r"|c(?:ookie|redential|reds\b|onn(?:ection)?[_-]?str(?:ing)?|srf|lient[_-]?key"
    r"|vv\b|vc\b|ipher" + _KEY + r"|ontrase[n\xf1]a)"
    r"|d(?:sn\b|atabase[_-]?url|ecryption" + _KEY + r"|eploy" + _KEY + r")"
    r"|m(?:aster" + _KEY + r"|nemonic\b|ot[_-]?de[_-]?passe)"
    r"|b(?:earer|ot[_-]?key|ackup[_-]?(?:codes?|phrase))|j(?:wt(?:[_-]?key|\b)|sessionid)|xsrf"
)
_RARE = ("encryption", "otp", "hmac", "kennwort", "licen", "recovery", "unlock")
"""Beginnings of rare secret words, which are searched for separately. A pattern is slower the more first letters it
allows.
"""
_RARE_WORD = lazy(
    rf"encryption{_KEY}|hmac{_KEY}|kennwort|licen[cs]e[_-]key|otp(?:[_-]?seed|\b)|recovery[_-]?(?:phrase|codes?|key)|unlock[_-]?code"
)
_WEAK = lazy(
    r"token|cookie|session|sess|phpsess|jsess|sid|auth|csrf|xsrf|jwt\Z|bearer|dsn|database|conn|pass$|pw$|totp\Z|account|ssh"
    r"|app|licen|salt|pepper"
)
_STRONG_TOKEN = lazy(
    r"(?:api|access|auth|refresh|deploy|bot|github|gh|gitlab|npm|pypi|slack|personal|vault|oauth|webhook|registry|docker|"
    r"private|reset)[_-]?\Z"
)
PHRASES = lazy(r"passphrase|mnemonic|(?:seed|recovery|backup)[_-]?(?:phrase|words)|security[_-]?answer")
"""Matches names of secrets that consist of several words."""
CODES = lazy(r"otp|pin(?:[_-]?code)?|cvv|cvc|(?:access|security|unlock|recovery|backup)[_-]?codes?")
"""Matches names of secrets that consist of digits."""
_GLUED = lazy(r"passw|passphrase|secret|pwd|apikey|accesskey|privatekey|sess|csrf")
_GLUED_TOKENS = ("access", "auth", "refresh", "csrf", "xsrf", "id", "api", "bot", "bearer", "session", "user", "my")
_PASS_OF = lazy(
    r"(?:db|database|smtp|mail|email|imap|ftp|sftp|ssh|user|admin|root|mysql|pg|redis|http|proxy|"
    r"auth|login|rds|sql|ldap|vpn|wifi|key|keystore|sudo|master|become|bind|app|client|server|service)[_-]?\Z"
)
_PARTS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEY_END = lazy(r"\\{0,7}[\"']\]?\s{0,4}(?:=(?!=)|:\s{0,4}\\{0,7}[\"']|\Z)")
_OBJECT_KEY = lazy(r":\s{1,4}[\"']")
_BENIGN = words(
    "count counts counter len length lengths size sizes type types kind name names field fields file files filename "
    "path paths dir directory url urls uri endpoint id ids env var variable index idx position pos start end expiry "
    "expires expiration expire expired ttl age max min limit limits num number policy policies policied rule rules "
    "regex pattern patterns validator validators validation check checker checked required enabled disabled is valid "
    "manager store storage jar jars generator factory class cls model provider handler helper helpers service util "
    "utils error errors exception exceptions invalid missing label labels prompt prompts placeholder hint message msg "
    "title description help attempts retries timeout time date at created updated changed last reset strength level "
    "format parser map table list stream iterator iter bucket usage used budget per cost prefix suffix algorithm alg "
    "hasher app domain samesite secure httponly version input output mode method flow func function callback cb row "
    "column col line offset range span vocab embedding embeddings mask scope scopes audience"
)
_NEUTRAL = words(
    "value values val text str string raw plain plaintext bytes new old current confirm confirmation again repeat "
    "base key keys access hash hashed encoded encrypted prod production dev development staging live test main default "
    "seed primary secondary backup token secret password passwd header data b64 base64 hex s a b x"
)
_HEADS = words("no num n max min is has use need needs requires count len total")
_COUNTING = words("max min num count total n input output prompt completion")
_IDENTIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


class SecretWord(NamedTuple):
    """A word such as `password` within a name."""

    word: str
    strong: bool
    """Whether names rarely contain this word unless they are names of secrets."""
    sure: bool
    """Whether no later word in the name changes the meaning of this word."""
    plural: bool
    start: int
    """Start of the whole name in the text."""
    end: int


def lowered(text: str) -> str:
    """Returns the text in lower case. Every character keeps its position."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("\u0130", "i").lower()


def secret_names(text: str, low: str) -> Iterator[SecretWord]:
    """Yields the names of secrets in a text, in order. `low` is the text in lower case."""
    matches: Iterable[re.Match[str]] = _WORD.finditer(low)
    rare = [match for word in _RARE if word in low for at in places(low, word) if (match := _RARE_WORD.match(low, at))]
    if rare:
        matches = sorted([*matches, *rare], key=lambda match: match.start())
    for match in matches:
        found = _named(text, low, match.start(), match.end())
        if found is not None:
            yield found


def secret_name(name: str) -> SecretWord | None:
    """Returns the secret word with which a name ends, or None."""
    for found in secret_names(name, lowered(name)):
        if found.end == len(name) or not name[found.end :].strip("\"'] "):
            return found
    return None


def _named(text: str, low: str, start: int, end: int) -> SecretWord | None:
    """Returns the whole name around the word at [start, end). None if the name is not that of a secret."""
    before = text[max(0, start - 64) : start]
    if before[-1:].isalnum() and not _is_part_start(text, low, start, end, before):
        return None
    word = low[start:end]
    plural = word in ("creds", "credential") or word.endswith(("keys", "codes", "words"))
    if low[end : end + 1] == "s":
        plural, end = True, end + 1
    after = text[end : end + 48]
    if after[:1].isalpha() and not (after[0].isupper() and text[end - 1].islower()):
        return None
    if word == "secret" and before[-1:] == "<" and PLACEHOLDER.match(text, start - 1):
        return None
    head = before[len(before.rstrip(_IDENTIFIER)) :]
    suffix = after[: len(after) - len(after.lstrip(_IDENTIFIER))].rstrip("-")
    if word in ("pass", "pw") and not (
        _PASS_OF.search(head.lower()) or (word == "pw" and (not head or head.endswith(("_", "-"))))
    ):
        is_key = text[start - 1 : start] in ("'", '"') and _KEY_END.match(text, end)
        is_key = is_key or (text[start - 2 : start] in ("{ ", ", ") and _OBJECT_KEY.match(text, end))
        if head or not (is_key or text == word):  # `pass` is a statement, but as a JSON key it is a password
            return None
    parts = [p.lower() for p in _PARTS.findall(suffix)] if suffix else []
    if _BENIGN.intersection(parts) or (head and _HEADS.intersection(re.split(r"[_-]+", head.lower())[:1])):
        return None
    if word == "token" and not _COUNTING.isdisjoint(re.split(r"[_-]+", head.lower())):
        return None
    sure = all(p in _NEUTRAL or p.isdigit() or _WORD.fullmatch(p) or _RARE_WORD.fullmatch(p) for p in parts)
    strong = not _WEAK.match(word) or word in ("pass", "pw")
    if word == "token":
        strong = strong or _STRONG_TOKEN.search(head.lower()) is not None
    return SecretWord(word, strong, sure, plural, start - len(head), end + len(suffix))


def _is_part_start(text: str, low: str, start: int, end: int, before: str) -> bool:
    if before[-1].isdigit():
        return True
    if text[start].isupper() and (before[-1].islower() or text[start + 1 : start + 2].islower()):
        return True
    if _GLUED.match(low, start, end):
        return True
    return low.startswith("token", start) and before.lower().endswith(_GLUED_TOKENS)
