"""Threads that write the same state."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import bindings
from dap_ai.debuggees.python.analysis.ranking.findings import Finding, View
from dap_ai.debuggees.python.analysis.ranking.rules.threads import run_by_threads
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope


def unlocked(scope: Scope, view: View) -> Iterator[Finding]:
    """Read-modify-write of shared state in code that threads run, with the read or the write outside a lock."""
    if not _threaded(scope, view):
        return
    for statement in scope.statements():
        match statement:
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript()):
                text, why = ast.unparse(statement), "two threads may do so at once"
                weight, reason = WEIGHTS.fair, f"`{text}` reads, changes and writes without a lock: {why}"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() | ast.Subscript() as value) if (
                _written_back(scope, name, text := ast.unparse(value))
            ):
                why = "another thread may write in between"
                weight, reason = WEIGHTS.sure, f"`{text}` is read without the lock and written back later: {why}"
            case _:
                continue
        if not _locked(scope, statement):
            yield Finding(scope, statement.lineno, weight, reason, "race")


def _threaded(scope: Scope, view: View) -> bool:
    """Whether a second thread is known to have run the function: that some code could start one says nothing."""
    return not isinstance(scope.node, ast.Module) and scope.node.name in run_by_threads(view.case)


def _locked(scope: Scope, statement: ast.stmt) -> bool:
    return any(
        isinstance(w, ast.With)
        and w.lineno < statement.lineno <= (w.end_lineno or 0)
        and "lock" in ast.unparse(w.items[0]).casefold()
        for w in scope.statements()
    )


def _written_back(scope: Scope, name: str, text: str) -> bool:
    for statement in scope.statements():
        if isinstance(statement, ast.Assign) and any(ast.unparse(t) == text for t in statement.targets):
            is_as_read = isinstance(statement.value, ast.Name) and not _is_counted(scope, name)
            return not is_as_read and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.value))
    return False


def _is_counted(scope: Scope, name: str) -> bool:
    """Whether the name gets another value, made of its own."""
    return any(isinstance(s, ast.AugAssign) and name in bindings(s) for s in scope.statements()) or any(
        isinstance(s, ast.Assign) and name in bindings(s) and any(_is_name(n, name) for n in ast.walk(s.value))
        for s in scope.statements()
    )


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


RULES = [unlocked]
