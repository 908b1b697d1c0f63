"""Finds the subject of a question: an expression, a line, a function, or the stop itself."""

from __future__ import annotations

import ast
import builtins
import re

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import MISSING, literal_in, variables
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.source.parsed import grammar_of
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, Sources
from dap_ai.protocol.contracts.inspection import Value

STOP_WORDS = frozenset(
    """why what is where does the a an of come from did it here stop stopped how to be in was and or
    not ever this that value fail failed crash error happen happened wrong line bug fix my program
    code for on i do you can are has have""".split()  # noqa: SIM905  as a table
)
_NOUNS = "value|fail|error|crash|line|bug|fix|program|code"
_SUBJECT = re.compile(
    rf"\b(?:is|are|was|were|of|set|sets|changed)\s+({_NOUNS})\b(?!\s*\d)"
    rf"|\b(?:does|did)\s+({_NOUNS})\s+(?:come|become|change|equal|have|get)\b",
    re.IGNORECASE,
)
"""Matches a stop word that is used as a variable name, without an article before it."""
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SPOKEN = re.compile(r"[^\W\d][\w@.-]{2,}")
_PART = re.compile(r"\.[A-Za-z_]\w*")
_NATIVE_NAME = re.compile(r"(?:(?<![\w)\]])[*&]+)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_NATIVE_PART = re.compile(r"(?:->|\.)[A-Za-z_]\w*|\.\d+|\[[^\[\]]*\]")
_OPERAND = re.compile(r"(?<![\w.])\w+|\(")
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?\b|'[^']*'|\"[^\"]*\"")
_OPERATOR = re.compile(r"\s*(?:\*\*|//|<<|>>|[<>=!]=|[-+*/%@&|^<>])\s*")
_MAX_OPERATION_CHARS = 200
_LINE = re.compile(r"\bline (\d+)\b|:(\d+)\b", re.IGNORECASE)


def candidates(question: str, language: str = "python") -> list[str]:
    """Returns up to 8 expressions that a question may name, most explicit first. They may not exist in the program."""
    native = language in NATIVE_LANGUAGES
    found = _CODE.findall(question)
    rest, at = _CODE.sub(" ", question), 0
    if not native:
        found += _operations(rest)
    while match := (_NATIVE_NAME if native else _NAME).search(rest, at):
        text = _native_leading(rest[match.start() :]) if native else leading(rest[match.start() :])
        at = match.start() + len(text)
        if text.casefold() not in STOP_WORDS and (len(text) > 1 or text not in "aI"):
            found.append(text)
    found += [match[1] or match[2] for match in _SUBJECT.finditer(rest)]
    if native:
        found = [text for text in found if text.casefold() not in ("null", "nullptr", "about")]
    texts = list(dict.fromkeys(text for name in found if (text := normal(name, language))))
    named = texts if native else [text for text in texts if literal_in(text) is MISSING]
    return (named or texts)[:8]


def leading(text: str) -> str:
    """Returns the name with attributes, subscripts and calls at the beginning of a text; empty if no name is there."""
    name = _NAME.match(text)
    end = _closed(text, name.end()) if name else 0
    while more := _PART.match(text, end) if end else None:
        end = _closed(text, more.end())
    return text[:end]


def _operations(text: str) -> list[str]:
    """Returns the operations that a text contains, such as `total + n` or `(low + high) // 2`."""
    found: list[str] = []
    at = 0
    while start := _OPERAND.search(text, at):
        rest = text[start.start() : start.start() + _MAX_OPERATION_CHARS]
        end = first = _operand(rest)
        while operator := _OPERATOR.match(rest, end) if end else None:
            size = _operand(rest[operator.end() :])
            if not size or not normal(rest[: operator.end() + size]):
                break
            end = operator.end() + size
        if end > first:
            found.append(rest[:end])
        at = start.start() + end if end > first else start.end()
    return found


def _operand(text: str) -> int:
    """Returns the end position of the name, literal or bracket that begins the text; 0 without such a beginning."""
    literal = _LITERAL.match(text)
    return literal.end() if literal else len(leading(text)) or _closed(text, 0)


def _native_leading(text: str) -> str:
    """Returns the C, C++ or Rust name at the beginning of a text: `*p`, `order->next`, `ns::items[3].x`."""
    name = _NATIVE_NAME.match(text)
    end = name.end() if name else 0
    while more := _NATIVE_PART.match(text, end):
        end = more.end()
    return text[:end]


def _closed(text: str, start: int) -> int:
    """Returns the end position of the bracket pairs that begin at `start`; `start` if no bracket is there."""
    while text[start : start + 1] in ("(", "["):
        ends = (n for n in range(start + 2, len(text) + 1) if text[n - 1] in ")]" and normal(text[:n]))
        end = next(ends, 0)
        if not end:
            break
        start = end
    return start


def normal(text: str, language: str = "python") -> str:
    """Returns an expression in normal spacing.

    Returns an empty string if the text is not an expression or cannot be evaluated safely.
    """
    try:
        if language in NATIVE_LANGUAGES:
            return grammar_of(language).expression(text, language).text
        return ast.unparse(parse_expression(text))
    except SyntaxRefused:
        return ""


def named(place: FramePlace | None, question: str) -> list[ast.expr]:
    """Returns the expressions in a question that have a value in this frame.

    If there are none, returns parts of the frame's statement by that name. Excludes builtins and functions.
    """
    if place is None:
        return []
    asked = candidates(question)
    found = [parse_expression(text) for text in asked if _is_asked(place, text)]
    return found or [node for text in asked if (node := _part(place, text))]


def spoken(place: FramePlace | None, question: str) -> list[ast.expr]:
    """Returns the frame's variables whose value occurs in the question: `name` if its value is 'January'."""
    facts = place.facts if place else None
    words = {repr(word) for word in _SPOKEN.findall(question) if word.casefold() not in STOP_WORDS}
    return [ast.Name(v.name, ast.Load()) for v in variables(facts) if v.value.text in words] if facts else []


def _is_asked(place: FramePlace, text: str) -> bool:
    value = place.shown(text)
    if value is None or is_of_site(value) or value.kind in ("module", "class") or literal_in(text) is not MISSING:
        return False
    own = value.definition.name.rpartition(".")[2] if value.definition else ""
    return own != text and (value.kind != "function" or not hasattr(builtins, text))


def is_of_site(value: Value) -> bool:
    """Whether a value is a builtin that Python's `site` module adds: `help`, `license`, `quit`."""
    return value.type.startswith("_sitebuiltins.")


def _part(place: FramePlace, name: str) -> ast.expr | None:
    """Returns the part of the statement with this last name: `order.price` or `row["price"]` for `price`.

    None if no such part has a value.
    """
    for node in ast.walk(place.statement) if place.statement else ():
        match node:
            case ast.Attribute(attr=part) | ast.Subscript(slice=ast.Constant(value=part)):
                if part == name and place.shown(node):
                    return node
            case _:
                pass
    return None


def line_of(question: str) -> int | None:
    """Returns the 1-based line number that a question names, or None."""
    match = _LINE.search(question)
    return int(match[1] or match[2]) if match else None


def excerpt(sources: Sources, path: str, line: int) -> str:
    """Returns the lines around `line` as a code block; empty if the file has no such line."""
    source = sources.read(path)
    if source is None or not source.line(line):
        return ""
    first, last = max(1, line - 2), min(len(source.lines), line + 2)
    rows = [f"{'>' if n == line else ' '} {n}  {source.line(n)}" for n in range(first, last + 1)]
    return source.block("\n".join(rows))
