"""Finds secrets by the name before them: `password="..."`, `"api_key": ...`, `--token x`, `Authorization: ...`.

The text may be code, data or a log.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from dap_ai.agent.masking.code_secrets import SCHEME, is_secret_of, secret_in_code
from dap_ai.agent.masking.pairs import beside
from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.quoting import from_markup, from_url, unescaped
from dap_ai.agent.masking.secret_names import SecretWord, secret_names
from dap_ai.agent.masking.secret_values import (
    has_digit,
    is_secret_bare,
    is_secret_quoted,
    is_secret_start,
    is_secret_word,
    looks_random,
)
from dap_ai.agent.masking.spans import CUT, SecretSpan

_CODE_TYPE = r"[A-Za-z_][\w.]{0,60}(?:\[[^\]\n]{0,60}\])?(?:\s?\|\s?None)?"
_SEPARATOR = lazy(
    r"""(?P<close>(?:\\{0,7}["'`])?\]?(?:&quot;)?)
    (?: [ \t]{0,20}(?::[ \t]{0,4}"""
    + _CODE_TYPE
    + r"""[ \t]{0,4}(?==[^=]))?
        (?P<op>=>|->|:=|\?=|==|!=|%3[DdAa]|[:=])
        (?:[ \t]{0,20}(?:\\?\r?\n[ \t]{0,80}(?=\\{0,7}["'`]|[bru]["']))?)
      | (?P<verb>[ \t]{1,4}(?:is|was|are|to)[ \t]{0,3}:?[ \t]{1,4})
      | (?P<tuple>,[ ]{0,4}(?=[bru]?\\{0,7}["']))
      | (?P<tag>>)
      | (?P<gap>[ \t]{1,8})
    )""",
    re.VERBOSE,
)
_WRAPPER = lazy(
    r"(?:[A-Za-z_.]{0,40}(?:Secret|Password|Token|Credential|secret|password)[A-Za-z]{0,20}\("
    r"|bytes\(|bytearray\(|memoryview\(|str\(|(?:bytes|bytearray)\.fromhex\(|base64\.\w{0,10}decode\("
    r"|re\.compile\()(?:[a-z_]{1,20}=)?(?=[bru]?[\"'])"
)
_COLLECTION = lazy(
    r"(?:(?:np|numpy|pd|pandas|collections)\.(?:array|asarray|Series|Index|deque)|set|frozenset|list|tuple|deque)\((?=[\[({])"
)
_LITERAL = lazy(r"(?P<prefix>[bBrRuUfF]{0,2})(?P<slashes>\\{0,7})(?P<quote>\"\"\"|'''|[\"'`])")
_REST = {
    '"': lazy(r'(?:[^"\\\n]|\\.)*', re.DOTALL),
    "'": lazy(r"(?:[^'\\\n]|\\.)*", re.DOTALL),
    "`": lazy(r"[^`\n]*"),
}
_BARE = lazy(
    r"[^\s\"'`,;<>&|]{256}|[^\s\"'`,;<>&|]{1,255}(?=[\s\"'`,;>&|]|\Z)"  # most, and many times as fast as the next
    r"|(?:<secret:(?:part:)?[0-9a-f]{4,64}>|[^\s\"'`,;<>&|]){1,256}"
)
_HEADER_REST = lazy(r"[^\n\"'`]{1,4096}")
_LINE = lazy(r"[^\n\"']{1,400}(?<=\S)(?=\s*(?:\n|\Z))")
_GOES_ON = lazy(r" [a-z]")
_ENDS = lazy(r"[ \t]*(?:[;#]|\r?\n|\\n|[\"']|\Z)")
_LINES_BEFORE = lazy(
    r"(?:^|\n|\\n|[\"'])\[[A-Za-z][\w .-]{0,40}\](?:\r?\n|\\n)"
    r"(?:[\w.-]{1,40}[ \t]*[=:][^\n(\\]{0,200}(?:\r?\n|\\n)){0,20}\Z"
)
"""Matches the section header of a settings file, and the settings between this header and the name."""
_YAML_BLOCK = lazy(r"[|>][+-]?[ \t]*\n[ \t]+(?=\S)")
_ENV_LINE = lazy(r"(?:^|[\n;]|\\n)[ \t]*(?:export |set |ENV |ARG |- |\$env:|-e |--env )?[\"']?\Z")
_REST_OF_LINE = lazy(r"[^\s\"'`<>]{1,512}(?=[ \t]*(?:\r?\n|\\n|#|\Z))")
_CONTAINED = lazy(
    r"(?:\"(?:[^\"\\\n]|\\.){0,2000}\"|'(?:[^'\\\n]|\\.){0,2000}')(?P<key>\s{0,4}:)?|[\[\](){}]", re.DOTALL
)
_CUT_BEFORE_A_SPACE = lazy(r"(?:\.\.\.|\u2026)\+?\d*\Z")
"""Matches the first half of a cut mark such as `...+30 chars`."""


def named_secrets(text: str, low: str) -> Iterator[SecretSpan]:
    """Yields the secrets that follow a secret name in a text. `low` is the text in lower case."""
    walked = headed = 0
    for found in secret_names(text, low):
        yield from secret_in_code(text, found)
        yield from beside(text, found)
        separator = _SEPARATOR.match(text, found.end)
        if separator is None:
            continue
        at = separator.end()
        if around := _COLLECTION.match(text, at):
            at = around.end()
        if separator["op"] == ":" and not separator["close"] and "\n" in separator[0]:
            continue  # `class Token:` and its docstring
        opening = text[at : at + 1]
        if separator["op"] and opening in ("[", "{", "(") and opening:
            if at >= walked and (opening != "{" or found.plural):
                walked = yield from _contained(text, at, found)
            continue
        if found.word in ("authorization", "cookie") and separator["op"] == ":" and not separator["close"]:
            if at < headed:  # a header within a header: its line was already checked
                continue
            headed = text.find("\n", at) % (len(text) + 1)
        yield from _value(text, found, separator)


def _value(text: str, found: SecretWord, separator: re.Match[str]) -> Iterator[SecretSpan]:
    """Yields the secret that follows a name and its separator."""
    at, op = separator.end(), separator["op"]
    is_flag = text[found.start : found.start + 1] == "-"
    if separator["tag"] and text[found.start - 1 : found.start] != "<":
        return
    if separator["tuple"] and not (is_flag or _opens_tuple(text, found.start)):
        return
    if separator["gap"] and separator["close"] and not is_flag:
        return
    if wrapper := _WRAPPER.match(text, at):
        at = wrapper.end()
    literal = _LITERAL.match(text, at)
    rule = f"name: {found.word}"
    if literal is not None:
        start, end = _quoted(text, literal)
        if separator["gap"] and not is_flag:
            wanted = (found.strong and is_secret_bare(text[start:end], strong=True)) or looks_random(text[start:end])
            wanted = wanted or (bool(SCHEME.match(text, start, end)) and is_secret_of(found, text[start:end]))
        elif separator["tuple"] and not is_flag:
            wanted = text[end : end + 8].lstrip("\\'\"")[:1] in (")", "]") and is_secret_of(found, text[start:end])
            wanted = wanted and ("(" in text[max(0, found.start - 4) : found.start] or not text[start:end].isalpha())
        else:
            wanted = is_secret_of(found, text[start:end]) or (
                bool(CUT.match(text, end)) and found.sure and is_secret_start(text[start:end])
            )
        if wanted:
            scheme = SCHEME.match(text, start, end)
            start = scheme.end() if scheme else start
            yield SecretSpan(start, end, rule, _meant(text[start:end], literal))
    elif wrapper is None and op not in ("==", "!=", ":="):
        yield from _unquoted(text, found, separator, is_flag=is_flag)


def _meant(content: str, literal: re.Match[str]) -> str:
    """Decodes the escapes in the content of a string literal."""
    prefix = literal["prefix"].lower()
    if "r" in prefix:
        return content
    depth = len(literal["slashes"]).bit_length() + 1  # nested literals have 0, 1, 3 or 7 backslashes
    return unescaped(content, depth, is_bytes="b" in prefix)


def _unquoted(text: str, found: SecretWord, separator: re.Match[str], *, is_flag: bool) -> Iterator[SecretSpan]:
    """Yields an unquoted secret that follows a name. Skips a value that may be code."""
    at, op = separator.end(), separator["op"]
    rule = f"name: {found.word}"
    if found.word in ("authorization", "cookie") and op == ":":
        rest = _HEADER_REST.match(text, at)
        if rest and is_secret_of(found, rest[0].strip()) and not re.match(r"[A-Za-z_.\[]+[,)\]]?\s*(?:= |$)", rest[0]):
            scheme = SCHEME.match(text, at)
            yield SecretSpan(scheme.end() if scheme else at, at + len(rest[0].rstrip().rstrip("\\")), rule)
        return
    if op == ":" and (block := _YAML_BLOCK.match(text, at)):
        at = block.end()
        line = _LINE.match(text, at)
        if line and " " in line[0] and is_secret_of(found, line[0]):
            yield SecretSpan(at, line.end(), rule)
            return
    bare = _BARE.match(text, at)
    if bare is None:
        return
    before = text[max(0, found.start - 24) : found.start]
    asks = before[-1:] in ("?", "&", ";") or (separator["tag"] is not None)
    env = op in ("=", ":") and found.sure and found.strong and _ENV_LINE.search(before or "\n") is not None
    env = env and (found.start <= 24 or bool(_ENV_LINE.search(before)))
    if env and ((op == "=" and separator.end() - separator.start("op") == 1) or op == ":"):
        rest = _REST_OF_LINE.match(text, at)
        if (
            rest
            and not separator["close"].endswith("]")
            and is_secret_word(rest[0])
            and _is_data(text, found, rest[0], op)
        ):
            yield SecretSpan(at, _end(text, at, rest.end()), rule)
            return
    end = _end(text, at, bare.end())
    value = text[at:end]
    if is_flag and (separator["gap"] or op == "="):
        wanted = not value.startswith("-") and is_secret_word(value) and (found.strong or has_digit(value))
        wanted = wanted and not (value.isalpha() and len(value) < 6)
    elif separator["gap"]:
        return
    elif separator["verb"]:
        wanted = len(value) >= 6 and any(map(str.isalpha, value)) and is_secret_bare(value, strong=found.strong)
    elif asks:
        wanted = len(value) >= 6 and is_secret_word(value) and (len(value) >= 12 or has_digit(value) or found.strong)
    else:
        tight = op == "=" and separator.end() - separator.start("op") == 1
        named = text[found.start : found.end].isupper() and (tight or op == "?=")
        wanted = (
            (named and found.strong and found.sure and is_secret_word(value))
            or is_secret_bare(value, strong=found.strong and found.sure)
            or (found.strong and found.sure and _is_setting(text, found, separator, end))
            or bool(found.word.startswith(("dsn", "conn", "database")) and "@" in value and is_secret_of(found, value))
        )
    if wanted:
        read = from_url if before[-1:] in ("?", "&") else from_markup if separator["tag"] else str
        yield SecretSpan(at, end, rule, read(value))


def _is_data(text: str, found: SecretWord, value: str, op: str) -> bool:
    """Whether a line of a name and a value is a setting rather than a statement or annotation."""
    if op == ":":
        return not (value[0].isupper() and value.isalpha()) and not value.endswith((",", "(", "{", "[", ":"))
    name = text[found.start : found.end]
    return name.isupper() or not value.endswith((",", ")", "(", "[", "{", "]")) or value[:-1].isdigit()


def _is_setting(text: str, found: SecretWord, separator: re.Match[str], end: int) -> bool:
    """Whether an unquoted value belongs to a setting.

    The setting may be in a log line (`password=swordfish to`) or below a section header (`[mail]`).
    """
    if not is_secret_word(text[separator.end() : end]):
        return False
    if separator[0] == "=":
        return text[found.start - 1 : found.start] == " " and _GOES_ON.match(text, end) is not None
    before = max(0, found.start - 600)
    has_head = text.find("[", before, found.start) >= 0 and _LINES_BEFORE.search(text, before, found.start) is not None
    return has_head and separator["op"] in ("=", ":") and _ENDS.match(text, end) is not None


def _end(text: str, start: int, end: int) -> int:
    """Returns the end of an unquoted value. Excludes punctuation and brackets that belong to the text around it."""
    value = text[start:end]
    if cut := CUT.search(value) or _CUT_BEFORE_A_SPACE.search(value):
        return start + cut.start()
    while value and value[-1] in ")]}.:!?\\" and not value.endswith(">"):
        if value[-1] in ")]}" and value.count("([{"[")]}".index(value[-1])]) >= value.count(value[-1]):
            break
        value = value[:-1]
    value = value.split("\\n")[0]
    return start + len(value)


def _quoted(text: str, literal: re.Match[str]) -> tuple[int, int]:
    """Returns the (start, end) of a string literal's content. The text may be cut before the closing quote."""
    start, quote, slashes = literal.end(), literal["quote"], literal["slashes"]
    if len(quote) == 3:
        end = text.find(quote, start)
        return start, end if end >= 0 else len(text)
    if slashes:
        closing = text.find(slashes + quote, start)
        while closing > 0 and text[closing - 1] == "\\":
            closing = text.find(slashes + quote, closing + 1)
        line = text.find("\n", start)
        ends = [e for e in (closing, line, len(text)) if e >= 0]
        end = min(ends)
    else:
        rest = _REST[quote].match(text, start)
        end = rest.end() if rest else start
    cut = CUT.search(text, max(start, end - 60), end)
    return start, cut.start() if cut else end


def _opens_tuple(text: str, start: int) -> bool:
    """Whether the name at `start` is the first item of a tuple or list. False for an argument of a call."""
    before = text[max(0, start - 12) : start].rstrip("\"'\\ bru")
    return before[-1:] in ("(", "[") and not (before[-2:-1].isalnum() or before[-2:-1] in ("_", ")", "]"))


def _contained(text: str, at: int, found: SecretWord) -> Generator[SecretSpan, None, int]:
    """Yields the secrets in a list, tuple or dict with a secret name. Returns the end of the collection."""
    depth, end, count = 0, at, 0
    for item in _CONTAINED.finditer(text, at, min(len(text), at + 4000)):
        end = item.end()
        if len(item[0]) == 1:
            depth += 1 if item[0] in "[({" else -1
            if depth <= 0 or (item[0] == "(" and (text[end - 2].isalnum() or text[end - 2] == "_")):  # a call
                break
        elif not item["key"]:
            count += 1
            if count > 1 or found.word != "auth":
                start, stop = item.start() + 1, item.end() - 1
                strong = found.strong or found.word == "auth"
                if is_secret_quoted(text[start:stop], strong=strong and found.sure):
                    yield SecretSpan(start, stop, f"name: {found.word}", unescaped(text[start:stop]))
    return end
