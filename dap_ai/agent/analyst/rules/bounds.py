"""Bounds: one too many, one too few."""

# ruff: noqa: ARG001  every rule has the same signature
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
        if "len(" not in ast.unparse(stop):
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
        if (
            len(node.args) > 1
            and _number(node.args[0]) == 1
            and not index_error
            and "- 1]" not in ast.unparse(scope.node)
        ):
            yield Finding(
                scope,
                node.lineno,
                0.45,
                f"`{ast.unparse(node)}` leaves out index 0",
                "bounds",
                edit=swap(scope.source, node.args[0], "0"),
            )


def lengths(scope: Scope, view: View) -> Iterator[Finding]:
    """`i <= len(x)` before `x[i]`, and `x[len(x)]`."""
    for _, node in expressions(scope):
        if (
            isinstance(node, ast.Compare)
            and len(node.ops) == 1
            and isinstance(node.ops[0], ast.LtE)
            and is_call(node.comparators[0], "len")
        ):
            text = f"{ast.unparse(node.left)} < {ast.unparse(node.comparators[0])}"
            left = ast.unparse(node.left)
            is_index = any(isinstance(n, ast.Subscript) and ast.unparse(n.slice) == left for _, n in expressions(scope))
            reason = f"`{ast.unparse(node)}` lets the index reach the length: one past the end"
            reason = reason if is_index else f"`{ast.unparse(node)}`: an index must stay below the length"
            edit = swap(scope.source, node, text)
            yield Finding(scope, node.lineno, 0.6 if is_index else 0.35, reason, "bounds", edit=edit)
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == f"len({ast.unparse(node.value)})":
            text = f"{ast.unparse(node.value)}[-1]"
            yield Finding(
                scope,
                node.lineno,
                0.7,
                f"`{ast.unparse(node)}`: the last index is the length - 1",
                "bounds",
                edit=swap(scope.source, node, text),
            )


def slices(scope: Scope, view: View) -> Iterator[Finding]:
    """`x[:-1]` and `x[1:]` where the whole sequence seems meant; `x[:n - 1]`."""
    for statement, node in expressions(scope):
        if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)) or node.slice.step is not None:
            continue
        lower, upper = node.slice.lower, node.slice.upper
        if upper is not None and _offset(upper) != 0 and not isinstance(upper, ast.UnaryOp):
            yield Finding(
                scope, node.lineno, 0.35, f"a slice's end is exclusive already: `{ast.unparse(node)}`", "bounds"
            )
        elif isinstance(statement, ast.For) and (
            (lower is not None and _number(lower) == 1) or isinstance(upper, ast.UnaryOp)
        ):
            yield Finding(
                scope,
                node.lineno,
                0.3,
                f"the loop leaves out an item of `{ast.unparse(node.value)}`",
                "bounds",
                edit=swap(scope.source, node, ast.unparse(node.value)),
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


RULES = [ranges, lengths, slices]
