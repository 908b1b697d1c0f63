"""Names against what the code does: what is computed and never used, the least in what should be the most."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope, bindings
from dap_ai.agent.analyst.findings import Finding, View, expressions, is_call, is_stub, swap
from dap_ai.agent.case.source import FunctionNode

_LEAST = re.compile(
    r"(?<![a-z])(min|minimum|least|lowest|shortest|smallest|cheapest|earliest|fewest|nearest|closest|fastest)(?![a-z])"
)
_GREATEST = re.compile(
    r"(?<![a-z])(max|maximum|greatest|largest|longest|highest|biggest|latest|most|farthest|furthest|top)(?![a-z])"
)
_SIGNS: dict[type[ast.cmpop], str] = {ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Lt: "<"}


def unused(scope: Scope, view: View) -> Iterator[Finding]:
    """A local that is never read: something else was used in its place."""
    node = scope.node
    if not isinstance(node, FunctionNode) or is_stub(node):
        return
    read = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names = {n.id for n in read}
    for statement in scope.statements():
        bound = bindings(statement)
        for name in bound:
            if (
                name in names
                or name.startswith("_")
                or isinstance(statement, ast.AugAssign | FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom)
            ):
                continue
            if isinstance(statement, ast.For):
                yield Finding(
                    scope, statement.lineno, 0.35, f"loop variable `{name}` is never used in the loop", "unused"
                )
                continue
            if any(name in ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global)):
                continue
            yield Finding(scope, statement.lineno, 0.35, f"`{name}` is computed here and never used", "unused")
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
            yield Finding(scope, other.lineno, 0.8, reason, "wrong variable", edit=swap(scope.source, node, name))
            return


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _is_called(statement: ast.stmt, name: ast.Name) -> bool:
    return any(isinstance(n, ast.Call) and n.func is name for n in ast.walk(statement))


def direction(scope: Scope, view: View) -> Iterator[Finding]:
    """`if x > best: best = x` in what should find the least, and the other way round."""
    own = getattr(scope.node, "name", "")
    for statement in scope.statements():
        if not isinstance(statement, ast.If):
            continue
        for test in ast.walk(statement.test):
            if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
                continue
            kept = _kept(statement, test)
            op = test.ops[0]
            if not kept or not isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
                continue
            greatest = isinstance(op, ast.Gt | ast.GtE) == (kept == "right")
            words = f"{own} {ast.unparse(test.comparators[0] if kept == 'right' else test.left)}".lower()
            if _LEAST.search(words) if greatest else _GREATEST.search(words):
                turned = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
                have = _SIGNS[type(op)]
                text = f"{ast.unparse(test.left)} {turned[have]} {ast.unparse(test.comparators[0])}"
                reason = f"`{ast.unparse(test)}` keeps the {'greatest' if greatest else 'least'}, against the name"
                edit = swap(scope.source, test, text)
                yield Finding(scope, test.lineno, 0.85, reason, "inverted comparison", edit=edit)


def _kept(statement: ast.If, test: ast.Compare) -> str:
    """Which side of the test the body overwrites with the other: `right`, `left` or neither."""
    left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
    for inner in statement.body:
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            pair = (ast.unparse(inner.targets[0]), ast.unparse(inner.value))
            if pair in ((right, left), (left, right)):
                return "right" if pair == (right, left) else "left"
    return ""


RULES = [unused, direction]
