"""Discarded results that report whether a call succeeded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.value_texts import literal_in
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import own_statements
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import yields
from dap_ai.system.texts import code

DROPPED = "dropped result"
"""Rule name. A result may be discarded safely, so the finding counts only if a rerun shows a failure."""


def dropped(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find statements that discard the result of a function that may return `False`, `None` or a negative number."""
    for statement in scope.statements():
        if callee := dropped_callee(scope, statement.lineno, view):
            told = " or ".join(code(each) for each in failures(callee)[:2])
            reason = f"{code(callee.name)} can return {told}, and the result is discarded here"
            yield SuspectedMistake(scope, statement.lineno, WEIGHTS.unseen, reason, DROPPED)


def dropped_callee(scope: FunctionScope, line: int, view: RuleContext) -> FunctionScope | None:
    """Return the function whose result a line discards, if that result can signal failure, or None."""
    statement = scope.source.statement_at(line)
    value = statement.value if isinstance(statement, ast.Expr) else None
    call = value.value if isinstance(value, ast.Await) else value
    callees = view.resolver.callees(call, scope) if isinstance(call, ast.Call) else []
    return next((callee for callee in callees if failures(callee)), None)


def failures(callee: FunctionScope) -> list[str]:
    """Return the reprs of results that signal failure, if the function has other results for success; else []."""
    node = callee.node
    if not isinstance(node, FunctionNode) or yields(node):
        return []
    results = [literal_in(s.value) for s in own_statements(node) if isinstance(s, ast.Return) and s.value]
    failed = [each for each in results if _is_failure(each)]
    worked = [each for each in results if not _is_failure(each)]
    return list(dict.fromkeys(map(repr, failed))) if worked else []


def _is_failure(result: object) -> bool:
    return result is None or result is False or (type(result) is int and result < 0)


RULES = [dropped]
