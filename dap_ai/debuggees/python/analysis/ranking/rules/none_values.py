"""Finds where a None that broke the failing line originates."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import header_nodes
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.system.texts import code

GIVES_NONE = "gives None"


def gives_none(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find lines behind the failing value that produce None: `x if ok else None`, `Item(None)`, `{"price": None}`."""
    if not is_none_blamed(view):
        return
    for step in view.slice.steps:
        if step.scope.key() != scope.key() or step.role == "decides":
            continue
        for value in _given(step.statement):
            weight, reason = _none_in(value)
            if weight and value.lineno <= step.line <= (value.end_lineno or 0):
                yield SuspectedMistake(scope, step.line, weight, reason, GIVES_NONE)


def is_none_blamed(view: RuleContext) -> bool:
    """Whether a None broke the failing line."""
    values = [view.diagnosis.value(root) for root in view.diagnosis.roots[:1]]
    return any(value is not None and value.kind == "none" for value in values)


def _given(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the values that the statement assigns, returns, yields, passes, or stores in a dict."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return) and statement.value:
        yield statement.value
    for node in header_nodes(statement):
        match node:
            case ast.Call(args=args, keywords=keywords):
                yield from args
                yield from (keyword.value for keyword in keywords)
            case ast.Dict(values=values):
                yield from values
            case ast.Yield(value=value) if value:
                yield value
            case _:
                pass


def _none_in(value: ast.expr) -> tuple[float, str]:
    """Return the weight and the reason if an expression may produce None by itself; otherwise (0, "")."""
    match value:
        case ast.IfExp(test=test, orelse=ast.Constant(value=None)):
            return WEIGHTS.likely, f"returns `None` where {code(ast.unparse(test))} does not hold"
        case ast.IfExp(test=test, body=ast.Constant(value=None)):
            return WEIGHTS.likely, f"returns `None` where {code(ast.unparse(test))} holds"
        case ast.BoolOp(op=ast.Or(), values=[*others, ast.Constant(value=None)]):
            return WEIGHTS.likely, f"returns `None` where {code(ast.unparse(others[0]))} is empty"
        case ast.Constant(value=None):
            return WEIGHTS.fair, "returns `None`"
        case _:
            return 0.0, ""


RULES = [gives_none]
