"""`all(...)` and `any(...)`: which items decide."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_MOST_ITEMS = 3


@dataclass(frozen=True)
class Quantified:
    """`all(c for x in xs)` that is false, or `any(c for x in xs)` that is true."""

    condition: ast.expr
    target: ast.expr
    holds: bool
    """Whether the condition holds for the items that decide."""
    items: ast.expr
    """Their first ones, as an expression."""


def quantified(node: ast.expr) -> Quantified | None:
    """What decides about such a call; None: it is none, or goes over more than one thing."""
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
