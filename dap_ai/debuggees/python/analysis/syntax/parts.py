"""Parts of statements that values come through: results, arguments, comprehensions. Source text only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import target_names
from dap_ai.debuggees.python.analysis.syntax.definitions import COMPREHENSIONS, Scope


def rounds_over(name: str, scope: Scope, line: int) -> ast.expr | None:
    """What the comprehension of a line goes through that binds the name."""
    statement = scope.source.statement_at(line)
    for node in ast.walk(statement) if statement else ():
        if isinstance(node, ast.comprehension) and name in target_names(node.target):
            return node.iter
    return None


def one_for(values: list[ast.expr]) -> ast.expr:
    """One expression that stands for several."""
    return values[0] if len(values) == 1 else ast.Tuple(list(values), ast.Load())


def given_to(call: ast.Call) -> list[ast.expr]:
    """The arguments, and what the called method belongs to."""
    return [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args


def results(statement: ast.stmt) -> list[ast.expr]:
    """What a `return` or `yield` gives."""
    if isinstance(statement, ast.Return):
        return [statement.value or ast.Constant(None)]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield | ast.YieldFrom):
        return [statement.value.value or ast.Constant(None)]
    return []


def inside_of(expression: ast.expr) -> Iterator[ast.Name | ast.Call]:
    """What comprehensions and lambdas call, and the names they use that come from outside of them."""
    for node in ast.walk(expression):
        if isinstance(node, COMPREHENSIONS | ast.Lambda):
            bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            bound |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
            for part in ast.walk(node):
                if isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id not in bound):
                    yield part
