"""Comparisons and types: floats compared exactly, identity for equality, text where a number is meant."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from dap_ai.debuggees.python.analysis.ranking.findings import Finding, View, expressions, is_call, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope


def float_equality(scope: Scope, view: View) -> Iterator[Finding]:
    """`==` between floats that differ by rounding only."""
    for statement, node in expressions(scope):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                one, other = (_number(side, statement, scope, view) for side in (left, right))
            case _:
                continue
        if one is not None and other is not None and one != other and math.isclose(one, other, rel_tol=1e-9):
            edit = swap(scope.source, node, f"abs({ast.unparse(left)} - {ast.unparse(right)}) < 1e-9")
            reason = f"floats are compared exactly: {one!r} and {other!r} differ by rounding only"
            yield Finding(scope, node.lineno, WEIGHTS.sure, reason, "float equality", edit=edit)


def _number(side: ast.expr, statement: ast.stmt, scope: Scope, view: View) -> float | None:
    """The value of one side of a comparison at the failing line."""
    if isinstance(side, ast.Constant):
        return side.value if isinstance(side.value, float) else None
    if scope.place is None or statement is not scope.place.statement:
        return None
    value = scope.place.value(side)
    try:
        return float(value.text) if value else None
    except ValueError:
        return None


def identity(scope: Scope, view: View) -> Iterator[Finding]:
    """`is` with a literal, `x == x`, and `a or 'b'` where a comparison was meant."""
    for _, node in expressions(scope):
        if isinstance(node, ast.Compare):
            other = node.comparators[0]
            if (
                isinstance(node.ops[0], ast.Is | ast.IsNot)
                and isinstance(other, ast.Constant)
                and isinstance(other.value, str | int | float)
                and not isinstance(other.value, bool)
            ):
                reason = f"`is` compares identity, not value: `{ast.unparse(node)}`"
                yield Finding(scope, node.lineno, WEIGHTS.fair, reason, "identity")
            if ast.dump(node.left) == ast.dump(other) and not _is_nan_check(node) and not _calls(node):
                reason = f"`{ast.unparse(node)}` compares a value with itself"
                yield Finding(scope, node.lineno, WEIGHTS.fair, reason, "condition")
        match node:
            case ast.BoolOp(op=ast.Or(), values=[ast.Compare(), *rest]):
                always = any(isinstance(v, ast.Constant) and v.value for v in rest)
            case _:
                always = False
        if always:
            reason = f"`{ast.unparse(node)}` is always true: only the first part compares"
            yield Finding(scope, node.lineno, WEIGHTS.likely, reason, "condition")


def _is_nan_check(node: ast.Compare) -> bool:
    """`x != x`, which holds for nan alone."""
    return isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.NotEq)


def _calls(node: ast.expr) -> bool:
    """Whether it may differ from one time to the next."""
    return any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for n in ast.walk(node))


def _gave_no_text(scope: Scope, statement: ast.For | ast.Assign) -> bool:
    """Whether what the name has got is known, and is neither text nor something that may hold some."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    value = scope.place.value(target.id) if scope.place and isinstance(target, ast.Name) else None
    return value is not None and value.kind in ("none", "bool", "int", "float", "complex", "bytes", "function")


def unconverted(scope: Scope, view: View) -> Iterator[Finding]:
    """Text from outside (csv, input, split, environ) that is used as a number."""
    error = view.case.exception
    mixed = bool(error and error.type == "TypeError" and "str" in error.message) or any(
        "(`str`)" in s for s in view.diagnosis.sentences
    )
    if not mixed:
        return
    for statement, node in expressions(scope):
        outside = is_call(node, "DictReader", "reader", "input", "split", "getenv") or _is_of_environment(node)
        if outside and isinstance(statement, ast.For | ast.Assign) and not _gave_no_text(scope, statement):
            weight = WEIGHTS.fair if is_call(node, "DictReader", "reader", "input") else WEIGHTS.faint
            reason = f"`{ast.unparse(node)}` returns text: a number needs `int(...)` or `float(...)`"
            yield Finding(scope, node.lineno, weight, reason, "text as number")
        if isinstance(statement, ast.Assign) and node is statement.value and is_call(node, "int", "float"):
            target = statement.targets[0]
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                reason = f"only `{ast.unparse(target)}` is made a number here; the other fields stay text"
                yield Finding(scope, statement.lineno, WEIGHTS.likely, reason, "text as number")


def _is_of_environment(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "environ.get")


RULES = [float_equality, identity, unconverted]
