"""Threads that write the same state."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import bindings, names_in
from dap_ai.debuggees.python.analysis.ranking.rules.thread_functions import run_by_threads
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_within
from dap_ai.system.texts import code


def unlocked(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find read-modify-write of shared state in code run by threads, with the read or the write outside a lock."""
    if isinstance(scope.node, ast.Module) or scope.node.name not in run_by_threads(view.case):
        return  # requires that a second thread ran it: that some code could start one is not evidence
    for statement in scope.statements():
        match statement:
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript()):
                text, why = ast.unparse(statement), "two threads may do so at once"
                weight, reason = WEIGHTS.fair, f"{code(text)} reads, changes and writes without a lock: {why}"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() | ast.Subscript() as value) if (
                _written_back(scope, name, text := ast.unparse(value))
            ):
                why = "another thread may write in between"
                weight, reason = WEIGHTS.sure, f"{code(text)} is read without the lock and written back later: {why}"
            case _:
                continue
        if not _locked(scope, statement):
            yield SuspectedMistake(scope, statement.lineno, weight, reason, "race")


def _locked(scope: FunctionScope, statement: ast.stmt) -> bool:
    around = (s for s in scope.statements() if isinstance(s, ast.With) and is_within(statement.lineno, s.body))
    return any("lock" in ast.unparse(each.items[0]).casefold() for each in around)


def _written_back(scope: FunctionScope, name: str, text: str) -> bool:
    for statement in scope.statements():
        if isinstance(statement, ast.Assign) and any(ast.unparse(t) == text for t in statement.targets):
            is_as_read = isinstance(statement.value, ast.Name) and not _is_counted(scope, name)
            return not is_as_read and name in names_in(statement.value)
    return False


def _is_counted(scope: FunctionScope, name: str) -> bool:
    """Whether the name is rebound to a value computed from itself."""
    made = [s for s in scope.statements() if name in bindings(s)]
    return any(isinstance(s, ast.AugAssign) or (isinstance(s, ast.Assign) and name in names_in(s.value)) for s in made)


RULES = [unlocked]
