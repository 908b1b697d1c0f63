"""Coroutines that nobody awaits."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.source.statements import bindings
from dap_ai.debuggees.python.analysis.ranking.findings import Finding, View, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope


def not_awaited(scope: Scope, view: View) -> Iterator[Finding]:
    """A call of an `async def` whose coroutine is dropped, looped over, or kept and neither awaited nor passed on."""
    error = view.case.exception
    weight = WEIGHTS.sure if error and "coroutine" in error.message else WEIGHTS.fair
    for statement in scope.statements():
        call = _call(statement)
        if call is None or not _is_coroutine(call, scope, view) or _is_used(scope, bindings(statement)):
            continue
        reason = f"`{ast.unparse(call)}` only creates a coroutine: without `await` none of it runs"
        if weight < WEIGHTS.sure and _is_guessed(call, scope):
            weight, reason = WEIGHTS.faint, f"`{ast.unparse(call)}` may only create a coroutine, which nobody awaits"
        edit = swap(scope.source, call, f"await {ast.unparse(call)}")
        edit = edit if isinstance(scope.node, ast.AsyncFunctionDef) else None
        yield Finding(scope, call.lineno, weight, reason, "not awaited", edit=edit)


def _call(statement: ast.stmt) -> ast.Call | None:
    match statement:
        case (
            ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) | ast.For(iter=ast.Call() as call)
        ):
            return call
        case _:
            return None


def _is_coroutine(call: ast.Call, scope: Scope, view: View) -> bool:
    callees = [callee.node for callee in view.resolver.callees(call, scope)]
    return bool(callees) and all(isinstance(node, ast.AsyncFunctionDef) and not _yields(node) for node in callees)


def _is_guessed(call: ast.Call, scope: Scope) -> bool:
    """Whether the function was found by a method's name alone."""
    func = call.func
    if not isinstance(func, ast.Attribute) or (isinstance(func.value, ast.Name) and func.value.id in ("self", "cls")):
        return False
    value = scope.place.value(func) if scope.place else None
    return value is None or value.definition is None


def _yields(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))


def _is_used(scope: Scope, names: Iterable[str]) -> bool:
    """Whether a name is awaited, given back, or handed to a call: `gather(*tasks)`, `tasks.append(task)`."""
    for node in ast.walk(scope.node):
        parts = [node.value] if isinstance(node, ast.Await | ast.Return) and node.value else []
        parts += node.args if isinstance(node, ast.Call) else []
        if any(isinstance(n, ast.Name) and n.id in names for part in parts for n in ast.walk(part)):
            return True
    return False


RULES = [not_awaited]
