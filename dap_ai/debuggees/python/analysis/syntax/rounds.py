"""Finds what an iteration of a loop may change, from its source text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import number_of
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, own_statements, root_name
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_by

ENDS = ast.Break | ast.Return | ast.Raise
LOOKING = frozenset(
    {"len", "print", "repr", "str", "int", "float", "bool", "sum", "min", "max", "abs", "isinstance", "id"}
)
"""Names of builtins that do not change their arguments."""
_BLOCKS = ast.While | ast.For | ast.AsyncFor | ast.If | ast.With | ast.Try
PLAIN = ("none", "bool", "int", "float", "str", "bytes", "complex")
"""Kinds of immutable values."""


def within(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block and its inner blocks, without those of nested functions and classes."""
    for statement in block:
        yield statement
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            yield from own_statements(statement)


def may_change(place: FramePlace, statements: Iterable[ast.stmt], name: str) -> list[int]:
    """Return the lines of statements that may change the name's value. Does not search the statements' inner blocks."""
    return [s.lineno for s in statements if _may_change(place, s, name)]


def _may_change(place: FramePlace, statement: ast.stmt, name: str) -> bool:
    if is_set(statement, name):
        return True
    value = place.value(name)
    if value is not None and value.kind in PLAIN:
        return False
    parts = [
        p for c in calls_by(statement) if not _only_looks(c) for p in [c.func, *c.args, *(k.value for k in c.keywords)]
    ]
    return any(root_name(part) == name for part in parts)


def is_set(statement: ast.stmt, name: str) -> bool:
    """Whether the statement assigns to the name, or to an item or attribute of its value."""
    if name in bindings(statement) or isinstance(statement, _BLOCKS):
        return name in bindings(statement)
    targets = [n for n in ast.walk(statement) if isinstance(getattr(n, "ctx", None), ast.Store | ast.Del)]
    return any(root_name(part) == name for part in targets)


def _only_looks(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in LOOKING


def number_at(place: FramePlace, node: ast.expr) -> int | float | None:
    """Return the expression's value in this frame if it is a number, else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_at(place, node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (int, float) else None  # pyright: ignore[reportReturnType] as the types say
    return number_of(place.value(node))
