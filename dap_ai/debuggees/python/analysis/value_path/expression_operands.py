"""Operands of an expression: its outermost names, attributes, items and calls of user functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

_LEAVES = ast.Name | ast.Attribute | ast.Subscript

IsOwn = Callable[[ast.Call], bool]
Truth = Callable[[ast.expr], bool | None]


def operands(node: ast.expr, is_own: IsOwn, truth: Truth) -> list[tuple[ast.expr, bool]]:
    """Return (operand, whether a comprehension evaluates it per item) pairs. `is_own`: whether a call is user code."""
    found: dict[str, tuple[ast.expr, bool]] = {}
    for leaf, every in _operands(node, is_own, truth, every=False):
        found.setdefault(ast.unparse(leaf), (leaf, every))
    return list(found.values())


def _operands(node: ast.expr, is_own: IsOwn, truth: Truth, *, every: bool) -> Iterator[tuple[ast.expr, bool]]:
    match node:
        case ast.Call() if is_own(node):
            yield node, every
        case ast.Call(func=func, args=args, keywords=keywords):
            inner = [*args, *(k.value for k in keywords)]
            if isinstance(func, ast.Attribute):
                inner.insert(0, func.value)
            for part in inner:
                yield from _operands(part, is_own, truth, every=every)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield node, every
        case ast.IfExp(test=test, body=body, orelse=orelse):
            held = truth(test)
            for part in [body] if held else [orelse] if held is False else [body, orelse]:
                yield from _operands(part, is_own, truth, every=every)
        case (
            ast.ListComp(elt=made, generators=generators)
            | ast.SetComp(elt=made, generators=generators)
            | ast.GeneratorExp(elt=made, generators=generators)
            | ast.DictComp(value=made, generators=generators)
        ):
            yield from _operands(made, is_own, truth, every=True)
            for generator in generators:
                yield from _operands(generator.iter, is_own, truth, every=every)
        case ast.Lambda() | ast.Constant():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _operands(child, is_own, truth, every=every)


def literal_of(node: ast.expr) -> bool:
    """Whether the expression is a literal: a constant, or a list, tuple, set or dict display of constants."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return literal_of(operand)
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return all(literal_of(e) for e in elts)
        case ast.Dict(keys=keys, values=values):
            return all(k is not None and literal_of(k) for k in keys) and all(literal_of(v) for v in values)
        case _:
            return False


def is_plain(node: ast.expr) -> bool:
    """Whether the expression is a single operand."""
    return isinstance(node, _LEAVES | ast.Call)


def sides(node: ast.expr) -> list[ast.expr]:
    """Return the operands that a condition tests; for any other expression, the expression itself."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return [part for part in (left, *others) if not literal_of(part)] or [node]
        case ast.BoolOp(values=parts):
            return [side for part in parts for side in sides(part)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return sides(operand)
        case _:
            return [node]
