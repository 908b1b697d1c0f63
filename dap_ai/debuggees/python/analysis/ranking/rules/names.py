"""Names that nobody uses, though they were made to be used."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.source import FunctionNode
from dap_ai.debuggees.python.analysis.ranking.findings import Finding, View, expressions, is_call, is_stub, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope


def instead(scope: Scope, view: View) -> Iterator[Finding]:
    """A local that is never read, while what it was made of is used after it."""
    node = scope.node
    if not isinstance(node, FunctionNode) or is_stub(node):
        return
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    shared = {name for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global) for name in n.names}
    for statement in scope.statements():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value) if not name.startswith("_"):
                if name not in read | shared:
                    yield from _instead(scope, statement, name, value)
            case _:
                pass


def _instead(scope: Scope, statement: ast.stmt, name: str, value: ast.expr) -> Iterator[Finding]:
    """The line after, that uses what the unused value was made of."""
    if is_call(value, "len", "id", "type", "hash") or isinstance(value, ast.Compare):
        return  # what tells of a thing does not stand for it, nor does a part of it
    parts = {id(n.value) for n in ast.walk(value) if isinstance(n, ast.Attribute | ast.Subscript) and not _is_slice(n)}
    made_of = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and id(n) not in parts}
    for other, node in expressions(scope):
        if other.lineno <= statement.lineno or not isinstance(node, ast.Name) or node.id not in made_of:
            continue
        if isinstance(node.ctx, ast.Load) and not _is_called(other, node):
            reason = f"uses `{node.id}`, while `{name}`, made from it in line {statement.lineno}, is never used"
            yield Finding(
                scope, other.lineno, WEIGHTS.likely, reason, "wrong variable", edit=swap(scope.source, node, name)
            )
            return


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _is_called(statement: ast.stmt, name: ast.Name) -> bool:
    return any(isinstance(n, ast.Call) and n.func is name for n in ast.walk(statement))


RULES = [instead]
