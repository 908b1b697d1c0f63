"""Finds the items that decide the result of an `all(...)` or `any(...)` call."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_MOST_ITEMS = 3


@dataclass(frozen=True)
class Quantified:
    """An `all(c for x in xs)` or `any(c for x in xs)` call, and the items that make it false or true."""

    condition: ast.expr
    target: ast.expr
    holds: bool
    """Whether the deciding items fulfil the condition: True for `any`, False for `all`."""
    items: ast.expr
    """Expression that evaluates to the first deciding items."""


def quantified(node: ast.expr) -> Quantified | None:
    """Analyses an `all` or `any` call. None for any other expression, or for more than one `for`."""
    match node:
        case ast.Call(func=ast.Name(id="all" | "any" as name), args=[ast.GeneratorExp() | ast.ListComp() as each]):
            pass
        case _:
            return None
    if len(each.generators) != 1 or each.generators[0].is_async:
        return None
    (rounds,) = each.generators
    holds, target = name == "any", ast.unparse(rounds.target)
    decides = [f"({ast.unparse(test)})" for test in rounds.ifs]
    decides.append(f"({ast.unparse(each.elt)})" if holds else f"(not ({ast.unparse(each.elt)}))")
    items = f"[{target} for {target} in {_iterated(rounds.iter)} if {' and '.join(decides)}][:{_MOST_ITEMS}]"
    return Quantified(each.elt, rounds.target, holds, ast.parse(items, mode="eval").body)


def _iterated(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.IfExp | ast.Lambda | ast.NamedExpr) else text
