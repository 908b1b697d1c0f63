"""What a round of a loop changes, as its text says."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.case.stack import Place
from dap_ai.agent.case.values import number_of
from dap_ai.agent.source.source import FunctionNode
from dap_ai.agent.source.statements import bindings, header_expressions, own_statements, root_name

ENDS = ast.Break | ast.Return | ast.Raise
LOOKING = frozenset(
    {"len", "print", "repr", "str", "int", "float", "bool", "sum", "min", "max", "abs", "isinstance", "id"}
)
"""Builtins that change nothing of what they are given."""
_BLOCKS = ast.While | ast.For | ast.AsyncFor | ast.If | ast.With | ast.Try
PLAIN = ("none", "bool", "int", "float", "str", "bytes", "complex")
"""Kinds of values that nobody can change, only replace."""


def within(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks in it, not those of functions defined there."""
    for statement in block:
        yield statement
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            yield from own_statements(statement)


def names_in(tests: Iterable[ast.expr]) -> list[str]:
    """The variables on which they depend."""
    return list(dict.fromkeys(n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name)))


def may_change(place: Place, statements: Iterable[ast.stmt], name: str) -> list[int]:
    """The lines of those that may change what the name stands for. Their blocks are not looked into: see `within`."""
    return [s.lineno for s in statements if _may_change(place, s, name)]


def _may_change(place: Place, statement: ast.stmt, name: str) -> bool:
    if is_set(statement, name):
        return True
    value = place.value(name)
    if value is not None and value.kind in PLAIN:
        return False
    calls = [n for root in header_expressions(statement) for n in ast.walk(root) if isinstance(n, ast.Call)]
    parts = [p for c in calls if not _only_looks(c) for p in [c.func, *c.args, *(k.value for k in c.keywords)]]
    return any(root_name(part) == name for part in parts)


def is_set(statement: ast.stmt, name: str) -> bool:
    """Whether it sets the name, or a part of what the name stands for."""
    targets = [n for n in ast.walk(statement) if isinstance(getattr(n, "ctx", None), ast.Store | ast.Del)]
    parts = [] if isinstance(statement, _BLOCKS) else targets
    return name in bindings(statement) or any(root_name(part) == name for part in parts)


def _only_looks(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in LOOKING


def number_at(place: Place, node: ast.expr) -> int | float | None:
    """What the expression is in this frame, if that is a number."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_at(place, node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (int, float) else None  # pyright: ignore[reportReturnType] as the types say
    return number_of(place.value(node))
