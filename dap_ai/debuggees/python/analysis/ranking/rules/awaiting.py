"""Coroutines that are never awaited."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.source.statements import bindings, names_in
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import yields
from dap_ai.system.texts import code


def not_awaited(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find calls of an `async def` whose coroutine is dropped, looped over, or kept but not awaited or passed on."""
    error = view.case.exception
    weight = WEIGHTS.sure if error and "coroutine" in error.message else WEIGHTS.fair
    for statement in scope.statements():
        call = _call(statement)
        if call is None or not _is_coroutine(call, scope, view) or _is_used(scope, bindings(statement)):
            continue
        reason = f"{code(ast.unparse(call))} only creates a coroutine: without `await` none of it runs"
        if weight < WEIGHTS.sure and _is_guessed(call, scope):
            weight, reason = (
                WEIGHTS.faint,
                f"{code(ast.unparse(call))} may only create a coroutine, which nobody awaits",
            )
        edit = swap(scope.source, call, f"await {ast.unparse(call)}")
        edit = edit if isinstance(scope.node, ast.AsyncFunctionDef) else None
        yield SuspectedMistake(scope, call.lineno, weight, reason, "not awaited", edit=edit)


def _call(statement: ast.stmt) -> ast.Call | None:
    match statement:
        case (
            ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) | ast.For(iter=ast.Call() as call)
        ):
            return call
        case _:
            return None


def _is_coroutine(call: ast.Call, scope: FunctionScope, view: RuleContext) -> bool:
    callees = [callee.node for callee in view.resolver.callees(call, scope)]
    return bool(callees) and all(isinstance(node, ast.AsyncFunctionDef) and not yields(node) for node in callees)


def _is_guessed(call: ast.Call, scope: FunctionScope) -> bool:
    """Whether the function was identified only by a method's name."""
    func = call.func
    if not isinstance(func, ast.Attribute) or (isinstance(func.value, ast.Name) and func.value.id in ("self", "cls")):
        return False
    value = scope.place.value(func) if scope.place else None
    return value is None or value.definition is None


def _is_used(scope: FunctionScope, names: Iterable[str]) -> bool:
    """Whether a name is awaited, returned, or passed to a call, as in `gather(*tasks)` or `tasks.append(task)`."""
    for node in ast.walk(scope.node):
        parts = [node.value] if isinstance(node, ast.Await | ast.Return) and node.value else []
        parts += node.args if isinstance(node, ast.Call) else []
        if {*names} & {*names_in(*parts)}:
            return True
    return False


RULES = [not_awaited]
