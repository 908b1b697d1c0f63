"""Variables that are assigned but never used."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import (
    RuleContext,
    SuspectedMistake,
    expressions,
    is_stub,
    swap,
)
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_in, is_call, read_in
from dap_ai.system.texts import code


def instead(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find a local variable that is never read, while a later line uses the variable it was computed from."""
    node = scope.node
    if not isinstance(node, FunctionNode) or is_stub(node):
        return
    read = {*read_in(node)}
    shared = {name for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global) for name in n.names}
    for statement in (s for s in scope.statements() if isinstance(s, ast.Assign)):
        target = statement.targets[0]
        if isinstance(target, ast.Name) and not target.id.startswith("_") and target.id not in read | shared:
            yield from _instead(scope, statement, target.id, statement.value)


def _instead(scope: FunctionScope, statement: ast.stmt, name: str, value: ast.expr) -> Iterator[SuspectedMistake]:
    """Find the later line that uses a variable from which the unused value was computed."""
    if is_call(value, "len", "id", "type", "hash") or isinstance(value, ast.Compare):
        return  # a measure of an object does not replace it, nor does a part of it
    holders = [n for n in ast.walk(value) if isinstance(n, ast.Attribute | ast.Subscript)]
    parts = {id(n.value) for n in holders if not isinstance(getattr(n, "slice", None), ast.Slice)}
    made_of = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and id(n) not in parts}
    for other, node in expressions(scope):
        if other.lineno <= statement.lineno or not isinstance(node, ast.Name) or node.id not in made_of:
            continue
        if isinstance(node.ctx, ast.Load) and all(call.func is not node for call in calls_in(other)):
            reason = f"uses {code(node.id)}, while {code(name)}, made from it in line {statement.lineno}, is never used"
            edit = swap(scope.source, node, name)
            yield SuspectedMistake(scope, other.lineno, WEIGHTS.likely, reason, "wrong variable", edit=edit)
            return


RULES = [instead]
