"""Assertions, `assert` or a test's `assertEqual(...)`: the two sides with their values, and which side to doubt."""

from __future__ import annotations

import ast
import builtins
import re

from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.case.stack import sub_expressions
from dap_ai.agent.case.values import cut
from dap_ai.protocol.contracts.inspection import ExceptionFacts

_DERIVED = re.compile(r"\s+\+\s+(?:where|and) ")
"""How such a line begins; debugpy's description has blanks in place of line ends."""


def called(statement: ast.stmt | None) -> ast.Call | None:
    """The call of an assertion that a statement is: `self.assertEqual(a, b)`."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        if name.startswith("assert"):
            return statement.value
    return None


def equated(statement: ast.stmt | None) -> ast.expr | None:
    """The left side, where a statement demands that two are equal; None: it demands something else, or nothing."""
    match statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()])):
            return left
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="assertEqual"), args=[left, *_])):
            return left
        case _:
            return None


def has_failed(statement: ast.stmt | None, error: ExceptionFacts) -> bool:
    """Whether an assertion was not met. What was raised on the way to its sides is another failure."""
    own = getattr(builtins, error.type, None) if error.type != "AssertionError" else None
    return own is None and (isinstance(statement, ast.Assert) or called(statement) is not None)


def explain(d: Diagnosis, error: ExceptionFacts) -> None:
    """Tells what the assertion compares, and blames the side that was computed."""
    statement = d.place.statement
    call = called(statement)
    test = statement.test if isinstance(statement, ast.Assert) else None
    sides = call.args[:2] if call else _sides(test)
    told = [d.code(n) for n in sides if d.value(n) and not d.is_literal(n)]
    told = told or _reported(test, error.message)
    wanted = [ast.unparse(n) for n in sides if d.is_literal(n)]
    if told:
        is_equality = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq)
        against = ", not" if is_equality and len(told) == 1 else "; the assertion compares it with"
        d.say("; ".join(told) + (f"{against} `{wanted[0]}`." if wanted and len(sides) > 1 else "."))
    elif error.message:
        d.say(f"The message of the assertion: {cut(told_by_pytest(error.message), 200)}")
    expected = [n for n in sides if isinstance(n, ast.Constant) or re.match(r"expect|want|correct", ast.unparse(n))]
    d.blame(*[n for n in sides if n not in expected], *expected)
    for node in sub_expressions(sides):
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) and len(d.cited) < 6:
            value = d.value(node)
            if value and value.kind not in ("function", "class", "module"):
                d.cite(node)


def _reported(test: ast.expr | None, message: str) -> list[str]:
    """What pytest's message says the sides of a comparison were: `assert -420.0 == 25.5`, behind one of the test's."""
    shown = re.search(r"(?:^|\s)(assert (?!.*\sassert ).*)", told_by_pytest(message))
    try:
        first = ast.parse(shown[1]).body if shown else []
    except (SyntaxError, ValueError):
        return []  # a side is not shown as an expression, or not whole
    seen = first[0].test if first and isinstance(first[0], ast.Assert) else None
    if not (isinstance(test, ast.Compare) and isinstance(seen, ast.Compare)):
        return []
    if [type(op) for op in test.ops] != [type(op) for op in seen.ops]:
        return []
    if not all(map(_is_repr, [seen.left, *seen.comparators])):
        return []
    pairs = zip([test.left, *test.comparators], [seen.left, *seen.comparators], strict=True)
    return [f"`{ast.unparse(n)}` is `{cut(ast.unparse(v), 60)}`" for n, v in pairs if ast.dump(n) != ast.dump(v)]


def _is_repr(node: ast.expr) -> bool:
    """Whether it reads as one value's: lines of a difference that follow it look like sums (`'tea' - tea + coffee`)."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called]
    return not names and not any(isinstance(n, ast.BinOp | ast.Compare | ast.BoolOp) for n in ast.walk(node))


def told_by_pytest(message: str) -> str:
    """The message without the lines in which pytest tells how it came to the sides."""
    return _DERIVED.split(message, maxsplit=1)[0]


def _sides(test: ast.expr | None) -> list[ast.expr]:
    match test:
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case ast.BoolOp(values=values):
            return [side for value in values for side in _sides(value)]
        case None:
            return []
        case _:
            return [test]
