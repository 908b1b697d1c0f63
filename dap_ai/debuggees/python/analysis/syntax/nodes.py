"""What several modules ask of a syntax tree: its names, its calls, the blocks around a statement. Source text only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from dap_ai.agent.source.source_file import FunctionNode, ScopeNode
from dap_ai.agent.source.statements import body_fields, header_nodes, last_line, nodes_in

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
LEAVES = ast.Return | ast.Continue | ast.Break | ast.Raise
LOOPS = ast.For | ast.AsyncFor | ast.While
READS = ast.Name | ast.Attribute | ast.Subscript
"""What reads a place."""
NO_CODE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises of text that is none."""

Block = tuple[ast.AST, list[ast.stmt], int]
"""A block of statements: what holds it, itself, and the index in it of what is looked for, or holds that."""


def read_in(*roots: ast.AST | None) -> list[str]:
    """The names that they read."""
    return _names(roots, ast.Load)


def set_in(*roots: ast.AST | None) -> list[str]:
    """The names that they set, functions and classes left out."""
    return _names(roots, ast.Store)


def _names(roots: Sequence[ast.AST | None], context: type[ast.expr_context]) -> list[str]:
    found = (n.id for n in nodes_in(*roots) if isinstance(n, ast.Name) and isinstance(n.ctx, context))
    return list(dict.fromkeys(found))


def calls_in(*roots: ast.AST | None) -> list[ast.Call]:
    """The calls in these trees."""
    return [node for node in nodes_in(*roots) if isinstance(node, ast.Call)]


def calls_by(*statements: ast.stmt | None) -> list[ast.Call]:
    """The calls that these statements make themselves: of an `if`, those of its test, not those of its body."""
    return [n for s in statements if s for n in header_nodes(s) if isinstance(n, ast.Call)]


def called_name(call: ast.Call) -> str:
    """The last name of what is called: `walk` of `self.walk(x)`; empty: it has none."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def is_call(node: ast.AST | None, *names: str) -> bool:
    """Whether the node calls a function or method of one of these names."""
    return isinstance(node, ast.Call) and called_name(node) in names


def yields(*roots: ast.AST) -> bool:
    """Whether there is a `yield` in them."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes_in(*roots))


def is_none(node: ast.expr | None) -> bool:
    """Whether it is the literal `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def parsed(text: str) -> ast.Module | None:
    """The tree of whole statements; None: the text is none."""
    try:
        return ast.parse(text)
    except NO_CODE:
        return None


def expression(text: str) -> ast.expr | None:
    """The tree of one expression; None: the text is none."""
    try:
        return ast.parse(text, mode="eval").body
    except NO_CODE:
        return None


def renamed(root: ast.expr, other: Callable[[str], ast.expr | None]) -> ast.expr:
    """A copy of an expression with another one in the place of each name; None: the name stays."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return other(node.id) or node

    return Renamed().visit(ast.parse(ast.unparse(root), mode="eval").body)


def lines_of(node: ast.stmt | ast.expr) -> range:
    """All lines of a node."""
    return range(node.lineno, last_line(node) + 1)


def header_lines(statement: ast.stmt) -> range:
    """The lines of a simple statement, of a compound one's header."""
    inner = next(body_fields(statement), None)
    return range(statement.lineno, max(inner[0].lineno, statement.lineno + 1)) if inner else lines_of(statement)


def is_within(line: int, block: Sequence[ast.stmt]) -> bool:
    """Whether a line is one of a block's."""
    return bool(block) and block[0].lineno <= line <= last_line(block[-1])


def parameters(scope: ScopeNode) -> list[ast.arg]:
    """A function's parameters in order, `self` included; none of a module."""
    if isinstance(scope, ast.Module):
        return []
    a = scope.args
    starred = [a.vararg] if a.vararg else []
    return [*a.posonlyargs, *a.args, *starred, *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]


def defaults(function: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    a = function.args
    plain = [*a.posonlyargs, *a.args]
    yield from zip(plain[len(plain) - len(a.defaults) :], a.defaults, strict=True)
    yield from ((p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)


def without_docstring(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a body but for constants that stand alone."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def blocks_around(holder: ast.AST, inner: ast.stmt) -> list[Block]:
    """The blocks around a statement, outermost first; none where it does not stand below the holder."""
    for block in body_fields(holder):
        for index, statement in enumerate(block):
            if statement is inner:
                return [(holder, block, index)]
            if inner.lineno in lines_of(statement) and (way := blocks_around(statement, inner)):
                return [(holder, block, index), *way]
    return []


def can_follow(scope: ScopeNode, first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the second can run when the first has ended, in the same round of every loop around both.

    In doubt it is said that it cannot.
    """
    if first is second:
        return not isinstance(first, ast.For)  # the two stand in one expression
    one, other = blocks_around(scope, first), blocks_around(scope, second)
    common = [a for a, b in zip(one, other, strict=False) if a[1] is b[1]]
    if len(common) < min(len(one), len(other)) and one[len(common)][0] is other[len(common)][0]:
        return False  # two branches of one statement
    return not any(_ends_in(block, first) for _, block, _ in one[len(common) :]) and not isinstance(first, LEAVES)


def can_repeat(loop: LOOPS, inner: ast.stmt) -> bool:
    """Whether the loop can come to a next round when a statement inside of it has run."""
    way = blocks_around(loop, inner)
    return bool(way) and way[0][1] is loop.body and not any(_ends_in(block, inner) for _, block, _ in way)


def loops_around(scope: ScopeNode, inner: ast.stmt) -> list[LOOPS]:
    """The loops in whose body a statement stands, outermost first."""
    return [node for node, block, _ in blocks_around(scope, inner) if isinstance(node, LOOPS) and block is node.body]


def _ends_in(block: list[ast.stmt], inner: ast.stmt) -> bool:
    """Whether the block leaves off with a `return`, `raise`, `break` or `continue` at or after a statement in it."""
    return any(isinstance(s, LEAVES) and s.lineno >= inner.lineno for s in block)
