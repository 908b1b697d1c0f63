"""Queries on syntax trees that several modules share: names, calls, and the blocks around a statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from dap_ai.agent.source.source_file import FunctionNode, ScopeNode
from dap_ai.agent.source.statements import body_fields, header_nodes, last_line, nodes_in

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
LEAVES = ast.Return | ast.Continue | ast.Break | ast.Raise
LOOPS = ast.For | ast.AsyncFor | ast.While
READS = ast.Name | ast.Attribute | ast.Subscript
"""Expressions that read a variable, attribute or item."""
NO_CODE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Exceptions that `ast.parse` raises for text that is not code."""

Block = tuple[ast.AST, list[ast.stmt], int]
"""A block: its parent node, its statements, and the index of the statement that is or contains the searched one."""


def read_in(*roots: ast.AST | None) -> list[str]:
    """Return the names that the syntax trees read."""
    return _names(roots, ast.Load)


def set_in(*roots: ast.AST | None) -> list[str]:
    """Return the names that the syntax trees assign to, without names of functions and classes."""
    return _names(roots, ast.Store)


def _names(roots: Sequence[ast.AST | None], context: type[ast.expr_context]) -> list[str]:
    found = (n.id for n in nodes_in(*roots) if isinstance(n, ast.Name) and isinstance(n.ctx, context))
    return list(dict.fromkeys(found))


def calls_in(*roots: ast.AST | None) -> list[ast.Call]:
    """Return the calls in the syntax trees."""
    return [node for node in nodes_in(*roots) if isinstance(node, ast.Call)]


def calls_by(*statements: ast.stmt | None) -> list[ast.Call]:
    """Return the calls in the statements' own expressions: for an `if`, calls in its test, not in its body."""
    return [n for s in statements if s for n in header_nodes(s) if isinstance(n, ast.Call)]


def called_name(call: ast.Call) -> str:
    """Return the last name of the called expression: `walk` for `self.walk(x)`; an empty string for `f()(x)`."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def is_call(node: ast.AST | None, *names: str) -> bool:
    """Whether the node is a call of a function or method with one of these names."""
    return isinstance(node, ast.Call) and called_name(node) in names


def yields(*roots: ast.AST) -> bool:
    """Whether the syntax trees contain a `yield` or `yield from`."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes_in(*roots))


def is_none(node: ast.expr | None) -> bool:
    """Whether the expression is the literal `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def parsed(text: str) -> ast.Module | None:
    """Parse statements; None if the text is not Python."""
    try:
        return ast.parse(text)
    except NO_CODE:
        return None


def expression(text: str) -> ast.expr | None:
    """Parse one expression; None if the text is not an expression."""
    try:
        return ast.parse(text, mode="eval").body
    except NO_CODE:
        return None


def renamed(root: ast.expr, other: Callable[[str], ast.expr | None]) -> ast.expr:
    """Return a copy of an expression with each name replaced by `other(name)`, or kept if that is None."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return other(node.id) or node

    return Renamed().visit(ast.parse(ast.unparse(root), mode="eval").body)


def lines_of(node: ast.stmt | ast.expr) -> range:
    """Return the range of lines that a node covers."""
    return range(node.lineno, last_line(node) + 1)


def header_lines(statement: ast.stmt) -> range:
    """Return the lines of a simple statement, or of a compound statement's header."""
    inner = next(body_fields(statement), None)
    return range(statement.lineno, max(inner[0].lineno, statement.lineno + 1)) if inner else lines_of(statement)


def is_within(line: int, block: Sequence[ast.stmt]) -> bool:
    """Whether a line is within a block."""
    return bool(block) and block[0].lineno <= line <= last_line(block[-1])


def parameters(scope: ScopeNode) -> list[ast.arg]:
    """Return a function's parameters in order, including `self`; empty for a module."""
    if isinstance(scope, ast.Module):
        return []
    a = scope.args
    starred = [a.vararg] if a.vararg else []
    return [*a.posonlyargs, *a.args, *starred, *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]


def defaults(function: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Yield (parameter, default) for each parameter that has a default."""
    a = function.args
    plain = [*a.posonlyargs, *a.args]
    yield from zip(plain[len(plain) - len(a.defaults) :], a.defaults, strict=True)
    yield from ((p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)


def without_docstring(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return a body's statements without standalone constants."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def blocks_around(holder: ast.AST, inner: ast.stmt) -> list[Block]:
    """Return the blocks around a statement, outermost first; empty if the statement is not inside `holder`."""
    for block in body_fields(holder):
        for index, statement in enumerate(block):
            if statement is inner:
                return [(holder, block, index)]
            if inner.lineno in lines_of(statement) and (way := blocks_around(statement, inner)):
                return [(holder, block, index), *way]
    return []


def can_follow(scope: ScopeNode, first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the second statement can run after the first, in the same iteration of every loop around both.

    Returns False when in doubt.
    """
    if first is second:
        return not isinstance(first, ast.For)  # both are in one expression
    one, other = blocks_around(scope, first), blocks_around(scope, second)
    common = [a for a, b in zip(one, other, strict=False) if a[1] is b[1]]
    if len(common) < min(len(one), len(other)) and one[len(common)][0] is other[len(common)][0]:
        return False  # two branches of one statement
    return not any(_ends_in(block, first) for _, block, _ in one[len(common) :]) and not isinstance(first, LEAVES)


def can_repeat(loop: LOOPS, inner: ast.stmt) -> bool:
    """Whether the loop can start another iteration after a statement inside it has run."""
    way = blocks_around(loop, inner)
    return bool(way) and way[0][1] is loop.body and not any(_ends_in(block, inner) for _, block, _ in way)


def loops_around(scope: ScopeNode, inner: ast.stmt) -> list[LOOPS]:
    """Return the loops whose body contains a statement, outermost first."""
    return [node for node, block, _ in blocks_around(scope, inner) if isinstance(node, LOOPS) and block is node.body]


def _ends_in(block: list[ast.stmt], inner: ast.stmt) -> bool:
    """Whether the block has a `return`, `raise`, `break` or `continue` at or after a statement that it contains."""
    return any(isinstance(s, LEAVES) and s.lineno >= inner.lineno for s in block)
