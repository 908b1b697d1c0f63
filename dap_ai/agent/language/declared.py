"""Finds the lines of C, C++ and Rust source that define a name, and where a definition ends. Lines are 1-based."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.source.source_file import SourceFile

_MAX_LINES = 3000
"""Maximum lines of a definition."""
_MAX_UPWARDS = 400
"""Maximum lines above a member in which to search for its type."""
_TOKEN = re.compile(
    r"""(?P<skip> //[^\n]* | /\*.*?(?:\*/|\Z) | R"\(.*?(?:\)"|\Z) | "(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)
        | '(?:\\.[^'\n]*|[^'\\\n])' )"""
    r"| (?P<mark> [{}();] )",
    re.VERBOSE | re.DOTALL,
)
"""Matches a comment, a string, a bracket or a semicolon. An unterminated comment or string extends to the end of the
text.
"""
_HEAD = re.compile(
    r"\s*(template\s*<|#\s*\[|\[\[|(pub|static|inline|extern|constexpr|typedef|struct|const|unsafe)\b|[A-Z_]+\()"
)
_HOLDER = re.compile(r"\s*(typedef\s+)?(pub(\(\w+\))?\s+)?(struct|class|union|enum|trait|impl)\b[^;]*$")
_NO_VARIABLE = r"(?!(return|extern|goto|else|case|delete|throw|impl|use|using|namespace)\b)"
_PARTS = re.compile(r"::|->|\.")


def last_part(symbol: str) -> str:
    """Returns the unqualified name: `push` for `shop::Stack::push`."""
    return _PARTS.split(symbol)[-1]


def extent(source: SourceFile, line: int) -> tuple[int, int, bool]:
    """Returns (first, last, has_body) of the definition or declaration at a line. A declaration has no body."""
    if re.match(r"\s*#\s*define\b", source.line(line)):
        last = line
        while source.line(last).endswith("\\") and last < len(source.lines):
            last += 1
        return line, last, True
    first = line
    while (
        first > line - 4 and _HEAD.match(source.line(first - 1)) and not re.search(r"[;{}]\s*$", source.line(first - 1))
    ):
        first -= 1
    last, has_body = _end(source, line)
    return first, last, has_body


def _end(source: SourceFile, line: int) -> tuple[int, bool]:
    """Returns (last line, has_body) of the definition or declaration at a line."""
    text = "\n".join(source.lines[line - 1 : line - 1 + _MAX_LINES])
    braces = parentheses = 0
    for found in _TOKEN.finditer(text):
        mark, at = found["mark"], line + text.count("\n", 0, found.start())
        if mark in ("(", ")"):
            parentheses += 1 if mark == "(" else -1
        elif mark == "{":
            braces += 1
        elif mark == ";" and not braces and parentheses <= 0:
            return at, False
        elif mark == "}":
            braces -= 1
            if braces <= 0:
                return (at, True) if not braces else (line, False)
    return line, False


def holder(source: SourceFile, line: int) -> tuple[int, int] | None:
    """Returns the (first, last) line of the struct, class or enum that contains a line.

    None if no type contains the line.
    """
    for start in range(line, max(0, line - _MAX_UPWARDS), -1):
        if _HOLDER.match(source.line(start)):
            first, last, has_body = extent(source, start)
            if has_body and first <= line <= last:
                return first, last
    return None


def defined_in(source: SourceFile, symbol: str) -> list[int]:
    """Returns the lines on which a file defines a symbol.

    If functions match the symbol's qualified name, returns only these.
    """
    name = last_part(symbol)
    if not re.search(rf"\b{re.escape(name.lstrip('~'))}\b", source.text):
        return []
    functions = [(f.name, f.first) for f in (source.unit.functions if source.unit else ()) if last_part(f.name) == name]
    own = [line for full, line in functions if _matches(full, symbol)]
    return own or [*(line for _, line in functions), *_others(source, name)]


def _matches(full: str, symbol: str) -> bool:
    wanted = _PARTS.sub("::", symbol)
    return "::" in wanted and (full.endswith(wanted) or (wanted.endswith(full) and "::" in full))


def _others(source: SourceFile, name: str) -> Iterator[int]:
    """Yields the lines that define `name` as a type, macro, alias or top-level variable."""
    word = re.escape(name)
    patterns = (
        rf"\s*#\s*define\s+{word}\b",
        rf"\s*using\s+{word}\s*=",
        rf"\s*typedef\b[^;]*\b{word}\s*(\[[^\]]*\]\s*)?;",
        rf"\s*typedef\b[^;]*\(\s*\*\s*{word}\s*\)",
        rf"\s*(pub(\(\w+\))?\s+)?(type|const|static|trait|mod|macro_rules!)\s+(mut\s+)?{word}\b",
        rf"{_NO_VARIABLE}[A-Za-z_][\w\s:<>,*&]*[\s*&]{word}\s*(=|;|\[|\{{)",
    )
    single = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    kind = r"\b(struct|class|union|enum|concept)\s+(class\s+|struct\s+|alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)?"
    braced = re.compile(rf"[^;{{(]*{kind}{word}\s*(<|\(|:(?!:)|\{{|final\b|=|;|$)")
    for number, text in enumerate(source.lines, 1):
        if "typedef" in text and ("{" in text or ";" not in text) and _is_typedef(source, number, name):
            yield number
        elif name in text and braced.match(text):
            if extent(source, number)[2] or source.language == "rust":
                yield number
        elif name in text and single.match(text):
            yield number


def _is_typedef(source: SourceFile, line: int, name: str) -> bool:
    """Whether a `typedef struct { ... } name;` begins on this line."""
    _, last, has_body = extent(source, line)
    return has_body and bool(re.search(rf"\}}[^;]*\b{re.escape(name)}\s*;", source.line(last)))
