"""Finds the expressions that pass values on: results, arguments, comprehensions. Reads source text only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import nodes_in, target_names
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import COMPREHENSIONS, set_in


def rounds_over(name: str, scope: FunctionScope, line: int) -> ast.expr | None:
    """Return the iterable that a comprehension at the line assigns to the name item by item, or None."""
    nodes = (n for n in nodes_in(scope.source.statement_at(line)) if isinstance(n, ast.comprehension))
    return next((n.iter for n in nodes if name in target_names(n.target)), None)


def one_for(values: list[ast.expr]) -> ast.expr:
    """Return a tuple expression of the values, or the value itself if there is only one."""
    return values[0] if len(values) == 1 else ast.Tuple(list(values), ast.Load())


def given_to(call: ast.Call) -> list[ast.expr]:
    """Return the call's positional arguments and, for a method call, the object before the dot."""
    return [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args


def results(statement: ast.stmt) -> list[ast.expr]:
    """Return the values of a `return` or `yield` statement; empty for other statements."""
    if isinstance(statement, ast.Return):
        return [statement.value or ast.Constant(None)]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield | ast.YieldFrom):
        return [statement.value.value or ast.Constant(None)]
    return []


def inside_of(expression: ast.expr) -> Iterator[ast.Name | ast.Call]:
    """Yield the calls in the expression's comprehensions and lambdas, and the outer names that they use."""
    for node in ast.walk(expression):
        if isinstance(node, COMPREHENSIONS | ast.Lambda):
            bound = {*set_in(node), *(n.arg for n in ast.walk(node) if isinstance(n, ast.arg))}
            for part in ast.walk(node):
                if isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id not in bound):
                    yield part
