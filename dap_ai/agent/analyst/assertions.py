"""Assertions, `assert` or a test's `assertEqual(...)`: the two sides with their values, and which side to doubt."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.stack import sub_expressions
from dap_ai.agent.values import cut
from dap_ai.protocol.inspection import ExceptionFacts


def called(statement: ast.stmt | None) -> ast.Call | None:
    """The call of an assertion that a statement is: `self.assertEqual(a, b)`."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        if name.startswith("assert"):
            return statement.value
    return None


def explain(d: Diagnosis, error: ExceptionFacts) -> None:
    """Tells what the assertion compares, and blames the side that was computed."""
    statement = d.place.statement
    call = called(statement)
    test = statement.test if isinstance(statement, ast.Assert) else None
    sides = call.args[:2] if call else _sides(test)
    told = [d.code(n) for n in sides if d.value(n) and not d.is_literal(n)]
    wanted = [ast.unparse(n) for n in sides if d.is_literal(n)]
    if told:
        d.say(
            "; ".join(told) + (f"; the assertion compares it with `{wanted[0]}`." if wanted and len(sides) > 1 else ".")
        )
    elif error.message:
        d.say(f"The message of the assertion: {cut(error.message, 200)}")
    expected = [n for n in sides if isinstance(n, ast.Constant) or re.match(r"expect|want|correct", ast.unparse(n))]
    d.blame(*[n for n in sides if n not in expected], *expected)
    for node in sub_expressions(sides):
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) and len(d.cited) < 6:
            value = d.value(node)
            if value and value.kind not in ("function", "class", "module"):
                d.cite(node)


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
