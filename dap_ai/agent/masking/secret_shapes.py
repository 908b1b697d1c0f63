"""Recognises secrets by their shape: tokens with a known prefix, keys, URLs with a password, random words."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.placeholders import material
from dap_ai.agent.masking.public import PLAIN_BEFORE, PLAIN_START, is_public
from dap_ai.agent.masking.quoting import from_url
from dap_ai.agent.masking.secret_values import is_exempt, is_random_word, is_secret_word, looks_random
from dap_ai.agent.masking.spans import PLACEHOLDER, SecretSpan, places

_MIN_LONG = 16
_LONG_WORD = lazy(rf"[A-Za-z0-9_+/=.~-]{{{_MIN_LONG},}}")
_PART = lazy(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = lazy(r"[0-9a-fA-F]+")
_HAS_DIGIT = lazy(r"[0-9]")
_UUID = lazy(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_SHAPE = lazy(lambda: "(?<![A-Za-z0-9])(?:" + "|".join(f"({'|'.join(s.patterns)})" for s in _shapes()) + ")")
_CUT_SHAPE = lazy(
    lambda: (
        "(?<![A-Za-z0-9])(?:"
        + "|".join(cut for shape in _shapes() for cut in shape.cut)
        + r")[\w.+/=-]{1,200}?(?=\.{0,3}\Z)"
    )
)
_URL = lazy(r"://([^\s:/?#@\"'<>\\]{0,128}):([^\s\"'<>/]{1,256})@(?=[\w.\[%{$-])")
_URL_SLASHED = lazy(r"://([^\s:/?#@\"'<>\\]{0,128}):(?!\d{1,5}/)([^\s\"'<>@?#]{1,256})@(?=[\w.\[%-]+[:/])")
_URL_USER = lazy(r"://([^\s:/?#@\"'<>\\]{16,256})@(?=\w)")
_USER_AND = (
    r"[\w$.#-]{1,64}(?:\[[\w$.-]{1,64}\])?/(?:\"(?P<quoted>[^\"\n]{1,128})\"|(?P<bare>[^\s\"'/<>\\]{2,128}))"
    r"@(?=[/\w(\[\"'$@{%-])"
)
"""Matches `user/password@`, as in Oracle's tools and drivers."""
_JDBC = lazy(rf"\bjdbc:\w{{2,20}}(?::\w{{2,20}}){{0,2}}:{_USER_AND}")
_CONNECT = lazy(rf"\bconn(?:ect)?(?:[ \t]{{1,4}}|\(\s{{0,40}}[\"']){_USER_AND}")
_SQLPLUS = lazy(rf"\b\w{{4,7}}\b[^\n]{{0,200}}?[\s'\"=]{_USER_AND}")
_BRACES = lazy(r"(?:pwd|password)=\{(?=[^}\n]{0,100}[;@#$%^&*])(?P<bare>[^{}\[\]()\"'\n]{3,100})\}")
_LOGINS = {
    "jdbc:": _JDBC,
    "conn": _CONNECT,
    "pwd={": _BRACES,
    "password={": _BRACES,
    **dict.fromkeys(("sqlplus", "sqlldr", "sqlcl", "expdp", "impdp", "rman"), _SQLPLUS),
}
"""Login patterns by the word they begin with. This word is searched for first."""
_PARAMETER = (
    r"(?:amp;)?(?:key|sig|signature|code|auth|hmac|sid|pass|pw|x-amz-signature|x-amz-credential|x-goog-signature|"
    r"x-amz-security-token|x-goog-credential|subscription-key|st|se_sig|otp)=([^&\s\"'<>#;\\]{6,})"
)
_QUERIES = {mark: lazy(re.escape(mark) + _PARAMETER) for mark in "?&"}
"""Pattern of a secret query parameter for each first character. Searching for a fixed character is several times faster
than searching for a set.
"""
_SCHEMES = ("bearer", "basic", "digest", "negotiate", "token")
_SCHEME = lazy(r"\b(bearer|basic|digest|negotiate|token)[ \t]+(?:username=)?([\w.~+/=-]{8,})")
_COMMAND = lazy(
    r"\bsshpass[\s,'\"]{1,4}-p[\s,'\"]{0,4}(?P<a>[^\s'\",]{3,})"
    r"|\bcurl\b[^\n]{0,200}?[\s'\"](?:-u|--user|--proxy-user)[\s=,'\"]{0,4}[^\s:'\"]{1,64}:(?P<b>[^\s'\"]{3,})"
    r"|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?[\s'\"]-p(?P<c>[^\s'\",]{4,})"
    r"|\b(?:docker|podman|helm|oc|az|cf)[\s,'\"]{1,4}(?:registry[\s,'\"]{1,4})?login\b[^\n]{0,200}?[\s'\"]-p[\s,'\"]{1,4}(?P<d>[^\s'\",]{3,})"
    r"|\bredis-cli\b[^\n]{0,200}?[\s'\"](?:-a|--pass)[\s,'\"=]{1,4}(?P<f>[^\s'\",]{3,})"
    r"|\bopenssl\b[^\n]{0,200}?\bpass(?:in|out)?[\s,'\"]{1,4}pass:(?P<g>[^\s'\",]{3,})"
    r"|\blogin\s{1,8}\S{1,64}\s{1,8}password\s{1,8}(?P<e>\S{3,})"
)
_COMMANDS = ("sshpass", "curl", "mysql", "mariadb", "login", "redis-cli", "openssl")
_PORT = lazy(r":(?:\*|\d{4,5}):")
_PGPASS = lazy(
    r"(?:\*|localhost|(?=[^:\n]*[g-z.])[\w.-]{2,100}):(?:\*|\d{4,5}):(?:\*|[A-Za-z_][\w-]{0,60}):(?:\*|[A-Za-z_][\w.-]{0,60}):"
    r"(?P<password>(?:[^\s:\\]|\\.){3,200})\r?(?:\n|\Z)"
)
_BEGIN = lazy(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:")
_KEY_END = lazy(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC:")
_GAP = r"(?:\\+[nr]|[\s\"'])*"
_KEY_LINES = lazy(rf"{_GAP}(?:(?:Proc-Type|DEK-Info|Comment|Version): [^\n\\]{{0,100}}{_GAP}){{0,4}}"
                        rf"(?P<key>[A-Za-z0-9+/=]{{6,}}(?:(?:\\+[nr]|[\s\"'])+[A-Za-z0-9+/=]{{6,}})*)?")  # fmt: skip
_MATERIAL = lazy(r"[A-Za-z0-9+/]{16,}")
_MAX_KEY_CHARS = 16_384


class _Shape(NamedTuple):
    """Shape of the tokens that one issuer creates. secret_shapes.toml describes the fields."""

    issuer: str
    patterns: list[str]
    cut: list[str]


@cache
def _shapes() -> list[_Shape]:
    from pathlib import Path  # noqa: PLC0415  slow to import, and most processes mask nothing

    from dap_ai.settings import toml_files  # noqa: PLC0415  the same

    path = Path(__file__).with_suffix(".toml")
    shapes = toml_files.parse(path.read_bytes(), path)["shape"]
    return [_Shape(shape["issuer"], shape["patterns"], shape.get("cut", [])) for shape in shapes]


def shaped_secrets(text: str, low: str) -> Iterator[SecretSpan]:
    """Yields the secrets in a text that are recognisable without a name. `low` is the text in lower case."""
    for start, word in _long_words(text):
        is_rest = word[0] in "nrt" and text[start - 1 : start] == "\\"  # of a line end
        yield from _word(text, start + is_rest, word[is_rest:])
    if "..." in text or "\u2026" in text:
        yield from _cut(text)
    if ":" in text:
        yield from _lines_of_pgpass(text)
    if "-----" in text or "PuTTY" in text:
        yield from _private_keys(text)
    if "://" in text:
        yield from _urls(text)
    for mark, query in _QUERIES.items():
        if mark in text:
            yield from _spans(query, text, low, "query parameter")
    schemes = [scheme for scheme in _SCHEMES if scheme in low]
    if schemes:
        yield from _authorizations(text, low, schemes)
    if "@" in text or "={" in text:
        yield from _logins(text, low)
    if any(word in low for word in _COMMANDS):
        for match in _COMMAND.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            if is_secret_word(text[start:end]):
                yield SecretSpan(start, end, "command line")


def _long_words(text: str) -> Iterator[tuple[int, str]]:
    """Yields (start, word) of the long words in a text that may be secrets.

    Searches only long pieces between white space, which are a small part of most source.
    """
    pieces = [piece for piece in text.split() if len(piece) >= _MIN_LONG]
    at = 0
    for word in _LONG_WORD.findall("\n".join(pieces)) if pieces else ():
        if not _HAS_DIGIT.search(word) and (word.islower() or word.isupper() or not ("_" in word or "eyJ" in word)):
            continue  # an identifier: random words of only letters mix upper and lower case
        at = text.index(word, at)  # never inside a longer word, which would have been found before
        yield at, word
        at += len(word)


def _lines_of_pgpass(text: str) -> Iterator[SecretSpan]:
    for port in _PORT.finditer(text):
        match = _PGPASS.match(text, text.rfind("\n", 0, port.start()) + 1)
        if match and is_secret_word(match["password"]):
            yield SecretSpan(*match.span("password"), "line of .pgpass")


def _word(text: str, start: int, word: str) -> Iterator[SecretSpan]:
    has_digit = _HAS_DIGIT.search(word) is not None
    for shape in _SHAPE.finditer(word) if has_digit or "_" in word or "eyJ" in word else ():
        end = shape.end()
        while word[end - 1] in ".-" and end - 1 > shape.start():
            end -= 1
        yield SecretSpan(start + shape.start(), start + end, f"shape: {_shapes()[(shape.lastindex or 1) - 1].issuer}")
    if not has_digit or len(word) < 24:
        return
    for part in _PART.finditer(word):
        body = part[0]
        if "/" in body and (body.startswith("/") or text[start - 1 : start] in ("/", "~", ":") or body.count("/") > 4):
            pieces = [(m.start(), m[0]) for m in re.finditer(r"[^/]{24,}", body)]
        else:
            pieces = [(0, body)]
        for offset, piece in pieces:
            at = start + part.start() + offset
            core = piece.rstrip("=")
            if piece is not body and _HEX.fullmatch(core):  # hashes are common in paths
                continue
            if not is_random_word(core) or _UUID.search(piece) or PLAIN_START.match(piece):
                continue
            if PLAIN_BEFORE.search(text, max(0, at - 80), at) or is_public(text, at, piece):
                continue
            yield SecretSpan(at, at + len(piece), "random")


def _cut(text: str) -> Iterator[SecretSpan]:
    """Yields the visible beginnings of tokens that were cut."""
    for match in re.finditer(r"\.\.\.|\u2026", text):
        before = text[max(0, match.start() - 200) : match.start()]
        before = before.rstrip("'\"")
        token = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+/=.-")) :]
        shape = _CUT_SHAPE.search(token) if token else None
        if shape and len(shape[0]) >= 6:
            end = match.start() - (min(200, match.start()) - len(before))
            yield SecretSpan(end - len(token) + shape.start(), end, "shape: cut", part=True)


def _private_keys(text: str) -> Iterator[SecretSpan]:
    """Yields the content of private keys, between their markers. A cut key ends where its base64 ends."""
    at, ends = 0, True
    while begin := _BEGIN.search(text, at):
        at = begin.end()
        limit = min(len(text), at + _MAX_KEY_CHARS)
        following = _BEGIN.search(text, at, limit)
        limit = following.start() if following else limit
        end = _KEY_END.search(text, at, limit) if ends else None
        ends = ends and (end is not None or following is not None or limit < len(text))
        if end is not None:
            body = text[at : end.start()]
            if _MATERIAL.search(body) or (PLACEHOLDER.search(body) and _MATERIAL.search(PLACEHOLDER.sub("", body))):
                yield from _trimmed(text, at, end.start(), part=False)
            at = end.end()
            continue
        lines = _KEY_LINES.match(text, at, limit)
        if lines and lines["key"] and _MATERIAL.search(lines["key"]):
            yield SecretSpan(lines.start("key"), lines.end("key"), "private key", material(lines["key"]), part=True)
            at = lines.end()
    seen = 0
    for end in _KEY_END.finditer(text):
        if _BEGIN.search(text, seen, end.start()) is None:
            yield from _lines_before(text, max(seen, end.start() - _MAX_KEY_CHARS), end.start())
        seen = end.end()


def _trimmed(text: str, start: int, end: int, *, part: bool) -> Iterator[SecretSpan]:
    """Yields the content of a key without surrounding white space and quotes. `part`: the beginning was cut."""
    gap = re.compile(_GAP).match(text, start, end)
    start = gap.end() if gap else start
    while end > start and (text[end - 1] in " \t\r\n\"'" or (text[end - 1] in "nr" and text[end - 2] == "\\")):
        end -= 2 if text[end - 1] in "nr" and text[end - 2] == "\\" else 1
    while end > start and text[end - 1] == "\\":
        end -= 1
    if end > start:
        yield SecretSpan(start, end, "private key", material(text[start:end]), part)


def _lines_before(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """Yields the content of a private key whose beginning was cut."""
    window = text[start:end]
    pieces = [(m.start(), m[0]) for m in re.finditer(r"[^\s\"'\\]+(?<!\\)", window)]
    first = None
    for offset, piece in reversed(pieces):
        core = piece[1:] if offset and window[offset - 1] == "\\" and piece[0] in "nr" else piece
        if core and not re.fullmatch(r"[A-Za-z0-9+/=]{4,}", core):
            break
        if len(core) >= 16:
            first = offset + len(piece) - len(core)
    if first is not None:
        yield from _trimmed(text, start + first, end, part=True)


def _urls(text: str) -> Iterator[SecretSpan]:
    for match in _URL.finditer(text):
        if _is_password(match[2]):
            yield SecretSpan(*match.span(2), "URL", from_url(match[2]))
    for match in _URL_SLASHED.finditer(text):
        if "/" in match[2] and _is_password(match[2]):
            yield SecretSpan(*match.span(2), "URL", from_url(match[2]))
    for match in _URL_USER.finditer(text):
        if looks_random(match[1]):
            yield SecretSpan(*match.span(1), "URL")


def _logins(text: str, low: str) -> Iterator[SecretSpan]:
    for word, pattern in _LOGINS.items():
        for match in filter(None, (pattern.match(low, at) for at in places(low, word))):
            start, end = match.span(match.lastgroup or 0)
            if _is_password(text[start:end]):
                yield SecretSpan(start, end, "login")


def _is_password(value: str) -> bool:
    bare = PLACEHOLDER.sub("", value)
    return bool(bare) and (not is_exempt(bare) or bare.startswith("/")) and bare.lower() not in ("pass", "pw", "port")


def _spans(pattern: re.Pattern[str], text: str, low: str, rule: str) -> Iterator[SecretSpan]:
    for match in pattern.finditer(low):
        if looks_random(text[match.start(1) : match.end(1)]):
            yield SecretSpan(*match.span(1), rule, from_url(text[slice(*match.span(1))]))


def _authorizations(text: str, low: str, schemes: Iterable[str]) -> Iterator[SecretSpan]:
    found = (_SCHEME.match(low, at) for scheme in schemes for at in places(low, scheme))
    for match in filter(None, found):
        start, end = match.span(2)
        while end > start and text[end - 1] == ".":
            end -= 1
        value = text[start:end]
        if match[1] == "basic":
            wanted = _is_basic(value)
        elif match[1] == "bearer":
            wanted = looks_random(value) or (len(value) >= 20 and not is_exempt(value) and "." not in value)
        else:
            wanted = len(value) >= 16 and looks_random(value)
        if wanted:
            yield SecretSpan(start, end, f"header: {match[1]}")


def _is_basic(value: str) -> bool:
    """Whether a value is the base64 of `user:password`, or the beginning of it."""
    try:
        plain = binascii.a2b_base64(value[: len(value) // 4 * 4].replace("-", "+").replace("_", "/"))
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and min(plain) >= 32
