"""Ranges that end one too late, or one too early."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope
from dap_ai.agent.analyst.findings import Finding, View, expressions, is_call, swap


def ranges(scope: Scope, view: View) -> Iterator[Finding]:
    """`range(len(x) + 1)`, `range(1, len(x))`, `range(len(x) - 1)` and windows that end one off."""
    index_error = bool(view.case.exception and view.case.exception.type == "IndexError")
    for _, node in expressions(scope):
        if not (isinstance(node, ast.Call) and is_call(node, "range") and node.args):
            continue
        stop = node.args[0] if len(node.args) == 1 else node.args[1]
        added = _offset(stop)
        starts_late = len(node.args) > 1 and _number(node.args[0]) == 1
        if "len(" not in ast.unparse(stop) or (starts_late and added == -1):  # both ends: it is meant
            continue
        if added > 0 and index_error:
            fix = swap(scope.source, stop, _moved(stop, -1))
            yield Finding(
                scope,
                node.lineno,
                0.85,
                f"`{ast.unparse(node)}` goes one past what the sequence holds: off by one",
                "bounds",
                edit=fix,
            )
        elif added > 1:
            yield Finding(
                scope,
                node.lineno,
                0.5,
                f"`{ast.unparse(node)}` may go one too far",
                "bounds",
                edit=swap(scope.source, stop, _moved(stop, -1)),
            )
        elif added == -1 and not index_error and "+ 1]" not in ast.unparse(scope.node):
            yield Finding(
                scope,
                node.lineno,
                0.5,
                f"`{ast.unparse(node)}` leaves out the last index",
                "bounds",
                edit=swap(scope.source, stop, _moved(stop, 1)),
            )
        elif added == 0 and index_error and _ahead(scope, node):
            yield Finding(
                scope,
                node.lineno,
                0.6,
                f"the loop over `{ast.unparse(node)}` reads one index ahead",
                "bounds",
                edit=swap(scope.source, stop, f"{ast.unparse(stop)} - 1"),
            )
        if starts_late and not index_error and "- 1]" not in ast.unparse(scope.node):
            yield Finding(
                scope,
                node.lineno,
                0.45,
                f"`{ast.unparse(node)}` leaves out index 0",
                "bounds",
                edit=swap(scope.source, node.args[0], "0"),
            )


def _offset(node: ast.expr) -> int:
    """The constant that is added to an expression at its end."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        number = _number(node.right)
        if number is not None:
            return number if isinstance(node.op, ast.Add) else -number
    return 0


def _moved(node: ast.expr, by: int) -> str:
    if not isinstance(node, ast.BinOp):
        return ast.unparse(node)
    offset = _offset(node) + by
    text = ast.unparse(node.left)
    return text if offset == 0 else f"{text} {'+' if offset > 0 else '-'} {abs(offset)}"


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _ahead(scope: Scope, call: ast.Call) -> bool:
    for node in ast.walk(scope.node):
        if isinstance(node, ast.For) and node.iter is call and isinstance(node.target, ast.Name):
            return any(
                isinstance(s, ast.Subscript) and ast.unparse(s.slice) == f"{node.target.id} + 1" for s in ast.walk(node)
            )
    return False


RULES = [ranges]
