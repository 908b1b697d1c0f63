"""Comparisons and types: floats compared exactly, identity used for equality, text used as a number."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake, expressions, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_call
from dap_ai.system.texts import code


def float_equality(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `==` between floats that differ only by rounding."""
    for statement, node in expressions(scope):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
            continue
        left, right = node.left, node.comparators[0]
        one, other = (_number(side, statement, scope) for side in (left, right))
        if one is not None and other is not None and one != other and math.isclose(one, other, rel_tol=1e-9):
            edit = swap(scope.source, node, f"abs({ast.unparse(left)} - {ast.unparse(right)}) < 1e-9")
            reason = f"floats are compared exactly: {one!r} and {other!r} differ by rounding only"
            yield SuspectedMistake(scope, node.lineno, WEIGHTS.sure, reason, "float equality", edit=edit)


def _number(side: ast.expr, statement: ast.stmt, scope: FunctionScope) -> float | None:
    """Return the number on one side of a comparison at the failing line, or None."""
    if isinstance(side, ast.Constant):
        return side.value if isinstance(side.value, float) else None
    if scope.place is None or statement is not scope.place.statement:
        return None
    value = scope.place.value(side)
    try:
        return float(value.text) if value else None
    except ValueError:
        return None


def identity(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `is` with a literal, `x == x`, and `a or 'b'` where a comparison was intended."""
    for _, node in expressions(scope):
        if isinstance(node, ast.Compare):
            other = node.comparators[0]
            literal = other.value if isinstance(other, ast.Constant) else None
            is_number_or_text = isinstance(literal, str | int | float) and not isinstance(literal, bool)
            if is_number_or_text and isinstance(node.ops[0], ast.Is | ast.IsNot):
                reason = f"`is` compares identity, not value: {code(ast.unparse(node))}"
                yield SuspectedMistake(scope, node.lineno, WEIGHTS.fair, reason, "identity")
            if ast.dump(node.left) == ast.dump(other) and not _is_nan_check(node) and not _calls(node):
                reason = f"{code(ast.unparse(node))} compares a value with itself"
                yield SuspectedMistake(scope, node.lineno, WEIGHTS.fair, reason, "condition")
        parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else [node]
        if isinstance(parts[0], ast.Compare) and any(isinstance(v, ast.Constant) and v.value for v in parts[1:]):
            reason = f"{code(ast.unparse(node))} is always true: only the first part compares"
            yield SuspectedMistake(scope, node.lineno, WEIGHTS.likely, reason, "condition")


def _is_nan_check(node: ast.Compare) -> bool:
    """Whether this is `x != x`, which is true only for nan."""
    return isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.NotEq)


def _calls(node: ast.expr) -> bool:
    """Whether the expression may have a different value each time it is evaluated."""
    return any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for n in ast.walk(node))


def _is_known_non_text(scope: FunctionScope, statement: ast.For | ast.Assign) -> bool:
    """Whether the name's value is known, and is neither text nor a container that may hold text."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    value = scope.place.value(target.id) if scope.place and isinstance(target, ast.Name) else None
    return value is not None and value.kind in ("none", "bool", "int", "float", "complex", "bytes", "function")


def unconverted(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find text from outside (csv, input, split, environ) that is used as a number."""
    error = view.case.exception
    mixed = bool(error and error.type == "TypeError" and "str" in error.message) or any(
        "(`str`)" in s for s in view.diagnosis.sentences
    )
    if not mixed:
        return
    for statement, node in expressions(scope):
        outside = is_call(node, "DictReader", "reader", "input", "split", "getenv") or _is_of_environment(node)
        if outside and isinstance(statement, ast.For | ast.Assign) and not _is_known_non_text(scope, statement):
            weight = WEIGHTS.fair if is_call(node, "DictReader", "reader", "input") else WEIGHTS.faint
            reason = f"{code(ast.unparse(node))} returns text: a number needs `int(...)` or `float(...)`"
            yield SuspectedMistake(scope, node.lineno, weight, reason, "text as number")
        if isinstance(statement, ast.Assign) and node is statement.value and is_call(node, "int", "float"):
            target = statement.targets[0]
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                reason = f"only {code(ast.unparse(target))} is made a number here; the other fields stay text"
                yield SuspectedMistake(scope, statement.lineno, WEIGHTS.likely, reason, "text as number")


def _is_of_environment(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "environ.get")


RULES = [float_equality, identity, unconverted]
