"""Names that nobody uses, though they were made to be used."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope, bindings
from dap_ai.agent.analyst.findings import Finding, View, expressions, is_call, is_stub, swap
from dap_ai.agent.analyst.weights import WEIGHTS
from dap_ai.agent.case.source import FunctionNode


def unused(scope: Scope, view: View) -> Iterator[Finding]:
    """A parameter or local that is never read: something else was used in its place."""
    node = scope.node
    if not isinstance(node, FunctionNode) or is_stub(node):
        return
    read = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names = {n.id for n in read}
    for parameter in scope.parameters:
        is_wanted = parameter.arg not in ("self", "cls") and not parameter.arg.startswith("_")
        if is_wanted and parameter.arg not in names and parameter not in (node.args.vararg, node.args.kwarg):
            yield Finding(scope, node.lineno, WEIGHTS.faint, f"parameter `{parameter.arg}` is never used", "unused")
    for statement in scope.statements():
        if isinstance(statement, ast.AugAssign | FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        for name in bindings(statement):
            if name in names or name.startswith("_"):
                continue
            if isinstance(statement, ast.For):
                reason = f"loop variable `{name}` is never used in the loop"
                yield Finding(scope, statement.lineno, WEIGHTS.faint, reason, "unused")
                continue
            if any(name in ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global)):
                continue
            yield Finding(scope, statement.lineno, WEIGHTS.faint, f"`{name}` is computed here and never used", "unused")
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                yield from _instead(scope, statement, name, statement.value)


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


RULES = [unused]
