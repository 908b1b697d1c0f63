"""Finds by arithmetic which operand made a number zero or negative, such as a negative factor."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

Number = Callable[[ast.expr], float | None]
"""Returns an operand's number, or None if it is not a number or unknown."""

_DO: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda x, y: x / y,
    ast.FloorDiv: lambda x, y: x // y,
    ast.Mod: operator.mod,
}


def number(text: str) -> float | None:
    """Parse a number; None if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return None


def blamed(node: ast.expr, of: Number) -> ast.expr:
    """Return the operand that makes the expression zero or negative; the node itself if no single operand does."""
    match node:
        case ast.BinOp(left=left, right=right):
            parts = _deciding(node, left, right, of)
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Call(args=[only], keywords=[]):  # `round(x)`, `abs(x)`, `float(x)`
            parts = [only]
        case _:
            parts = []
    return blamed(parts[0], of) if len(parts) == 1 else node


def _deciding(node: ast.BinOp, left: ast.expr, right: ast.expr, of: Number) -> list[ast.expr]:
    one, two, whole = _value(left, of), _value(right, of), _value(node, of)
    if one is None or two is None or whole is None or whole > 0:
        return []
    sides = [(left, one), (right, two)]
    if isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv):
        return [side for side, held in sides if (held == 0 if whole == 0 else held < 0)]
    if isinstance(node.op, ast.Add) and whole < 0:
        return [side for side, held in sides if held < 0]
    if isinstance(node.op, ast.Sub) and whole < 0:
        return [right] if one >= 0 else [left] if two >= 0 else []
    return []


def _value(node: ast.expr, of: Number) -> float | None:
    """Return the expression's number, computed from known operands, or None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) else None
    if (known := of(node)) is not None:
        return known
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _value(operand, of)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _DO:
            one, two = _value(left, of), _value(right, of)
            if one is None or two is None:
                return None
            try:
                return _DO[type(op)](one, two)
            except ArithmeticError:
                return None
        case _:
            return None
