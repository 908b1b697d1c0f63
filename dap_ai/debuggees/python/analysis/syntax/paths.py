"""Whether one statement of a function can run after another. Source text only; in doubt it is said that it cannot."""

from __future__ import annotations

import ast

from dap_ai.agent.source.source import ScopeNode
from dap_ai.agent.source.statements import body_fields, last_line
from dap_ai.debuggees.python.analysis.syntax.definitions import LEAVES

Loop = ast.For | ast.AsyncFor | ast.While
_Step = tuple[ast.AST, list[ast.stmt]]
"""A statement, and which of its blocks is gone into."""


def can_follow(scope: ScopeNode, first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the second can run when the first has ended, in the same round of every loop around both."""
    if first is second:
        return not isinstance(first, ast.For)  # the two stand in one expression
    one, other = _way_to(scope, first), _way_to(scope, second)
    common = [a for a, b in zip(one, other, strict=False) if a[1] is b[1]]
    if len(common) < min(len(one), len(other)) and one[len(common)][0] is other[len(common)][0]:
        return False  # two branches of one statement
    return not any(_ends_in(block, first) for _, block in one[len(common) :]) and not isinstance(first, LEAVES)


def can_repeat(loop: Loop, inner: ast.stmt) -> bool:
    """Whether the loop can come to a next round when a statement inside of it has run."""
    way = _way_to(loop, inner)
    return bool(way) and way[0][1] is loop.body and not any(_ends_in(block, inner) for _, block in way)


def loops_around(scope: ScopeNode, inner: ast.stmt) -> list[Loop]:
    """The loops in whose body a statement stands, outermost first."""
    return [node for node, block in _way_to(scope, inner) if isinstance(node, Loop) and block is node.body]


def _way_to(holder: ast.AST, inner: ast.stmt) -> list[_Step]:
    """The blocks around a statement, outermost first."""
    for block in body_fields(holder):
        for statement in block:
            if statement is inner:
                return [(holder, block)]
            if statement.lineno <= inner.lineno <= last_line(statement) and (way := _way_to(statement, inner)):
                return [(holder, block), *way]
    return []


def _ends_in(block: list[ast.stmt], inner: ast.stmt) -> bool:
    """Whether the block leaves off with a `return`, `raise`, `break` or `continue` at or after a statement in it."""
    return any(isinstance(s, LEAVES) and s.lineno >= inner.lineno for s in block)
