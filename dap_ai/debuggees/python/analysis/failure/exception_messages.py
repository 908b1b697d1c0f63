"""Parses exception messages: their lines, and the sides of an assertion in messages of pytest and unittest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from dap_ai.agent.case.value_texts import cut
from dap_ai.debuggees.python.analysis.failure.assertion_demands import Demand, ValueDifference, demand_of, method_call
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_in, expression, parsed

_MOST_READ_CHARS, _MOST_BEGINNINGS = 4000, 20
_A_BLOCK, _MOST_LINES, _MOST_LINE_CHARS = 2, 12, 160
_BETWEEN = {
    "==": " != ", "in": " not found in ", "not in": " unexpectedly found in ", "is": " is not ",
    "<": " not less than ", "<=": " not less than or equal to ",
    ">": " not greater than ", ">=": " not greater than or equal to ", "true": " is not true", "false": " is not false",
}  # fmt: skip
"""Relation -> text between the sides in a unittest message."""
_DERIVED = re.compile(r"\s+\+\s+(?:where|and) ")
"""Matches the start of a pytest line on a side's origin. debugpy's text has blanks instead of line breaks."""
_BEHIND = re.compile(r"\s{2,}|\s+(?:[-+?:]|within)(?=\s)|\n")
"""Matches the start of the text after the sides: a line-by-line difference, or the test's own message."""
_APPROX = re.compile(r"(\S+) ± \S+")
_END = r"(?=\s{2,}|\n|$)"
_AT_INDEX = re.compile(rf"At index (\d+) diff: (.*?) != (.*?){_END}")
_ITEMS = re.compile(rf"Differing items:\s+\{{(.*?): (.*?)\}} != \{{\1: (.*?)\}}{_END}")
_ATTRIBUTE = re.compile(rf"Drill down into differing attribute (\w+):\s+\1: (.*?) != (.*?){_END}")
_MORE = re.compile(rf"(Left|Right) contains (?:one|\d+) more items?(?:, first extra item)?:\s+(.*?){_END}")
_EXTRA = re.compile(rf"Extra items in the (left|right) set:\s+(.*?){_END}")
"""Matches pytest's report of extra set items; the patterns above match its other reports of a difference."""


def reported(demand: Demand, statement: ast.stmt | None, message: str) -> list[str]:
    """Return the sides' values in a pytest or unittest message, with `...` where cut; empty if it shows no values."""
    message = message[:_MOST_READ_CHARS]
    if method_call(statement):
        found = _by_unittest(demand.relation, message)
    else:
        shown = re.search(r"(?:^|\s)(assert (?!.*\sassert ).*)", without_pytest_lines(message))
        texts = _beginnings(_APPROX.sub(r"approx(\1)", shown[1])) if shown else ()
        found = next((sides for text in texts if (sides := _by_pytest(demand, text))), list[str]())
    known = [*found, *(ast.unparse(side) for side in demand.sides[len(found) :])] if found else []
    pairs = list(zip(demand.sides, known, strict=True)) if known else []
    return known if any(ast.unparse(side) != text for side, text in pairs) else []


def without_pytest_lines(message: str) -> str:
    """Return the message without pytest's lines on the origin of the sides."""
    return _DERIVED.split(message, maxsplit=1)[0]


def first_line(message: str) -> str:
    """Return a message's first line, with the number of lines that follow."""
    first, *more = message.strip().splitlines() or [""]
    return f"{first} (and {len(more)} more line{'s' if more[1:] else ''})" if more else first


def as_written(message: str) -> str:
    """Return a multi-line message as a Markdown code block with long lines cut; empty for a single line."""
    lines = without_pytest_lines(message).strip().splitlines()
    if len(lines) < _A_BLOCK:
        return ""
    shown = [cut(line, _MOST_LINE_CHARS) for line in lines[:_MOST_LINES]]
    left = len(lines) - len(shown)
    return "\n".join(f"    {line}".rstrip() for line in [*shown, *([f"... {left} more lines"] if left else [])])


def _beginnings(text: str) -> Iterator[str]:
    """Yield the text up to each point where an addition may start, then the whole text."""
    yield from (text[: each.start()] for each in islice(_BEHIND.finditer(text), _MOST_BEGINNINGS))
    yield text


def _by_pytest(demand: Demand, text: str) -> list[str]:
    tree = parsed(text)  # None: a side is not shown as an expression, or is cut
    seen = demand_of(tree.body[0] if tree and tree.body else None)
    is_same = seen.relation and (seen.relation, len(seen.sides)) == (demand.relation, len(demand.sides))
    return [ast.unparse(side) for side in seen.sides] if is_same and all(map(_is_repr, seen.sides)) else []


def _by_unittest(relation: str, message: str) -> list[str]:
    text = re.sub(r"^\w+ differ: ", "", message)
    for between in re.finditer(re.escape(_BETWEEN[relation]), text) if relation in _BETWEEN else ():
        left, rest = _whole(text[: between.start()]), text[between.end() :]
        if relation in ("true", "false"):
            return [left] if left else []
        right = next((whole for text in _beginnings(rest) if (whole := _whole(text))), "")
        if left and right:
            return [left, right]
    return []


def _whole(text: str) -> str:
    node = expression(text.strip())
    return ast.unparse(node) if node and _is_repr(node) else ""


def _is_repr(node: ast.expr) -> bool:
    """Whether the node is a single value.

    A value with the difference lines that follow parses as a sum, such as `'tea' - tea + coffee`.
    """
    called = {id(part) for call in calls_in(node) for part in ast.walk(call.func)}  # `datetime.datetime(...)`
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called]
    return not names and not any(isinstance(n, ast.BinOp | ast.Compare | ast.BoolOp) for n in ast.walk(node))


def difference_in(message: str) -> ValueDifference | None:
    """Return the first difference between two values in pytest's message, or None."""
    message = message[:_MOST_READ_CHARS]
    if found := _AT_INDEX.search(message) or _ITEMS.search(message):
        return ValueDifference(f"[{found[1]}]", found[2], found[3])
    if found := _ATTRIBUTE.search(message):
        return ValueDifference(f".{found[1]}", found[2], found[3])
    if found := _MORE.search(message) or _EXTRA.search(message):
        return ValueDifference("", found[2], "") if found[1].lower() == "left" else ValueDifference("", "", found[2])
    return None
