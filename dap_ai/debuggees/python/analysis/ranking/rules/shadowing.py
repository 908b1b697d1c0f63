"""Variables that hide a function of the same name."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.indexing import nodes_below
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, last_line, names_in
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_in
from dap_ai.system.texts import code

_DATA = ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.ListComp | ast.BinOp | ast.JoinedStr | ast.Call
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower())


def shadowed(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find names of a builtin or module function that are bound to data and then called."""
    tree = scope.source.tree
    declared = {n.name for n in (tree.body if tree else []) if isinstance(n, FunctionNode | ast.ClassDef)}
    called = {n.func.id for n in nodes_below(scope.node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    uncalled = bool(view.case.exception and "not callable" in view.case.exception.message)
    for statement in scope.statements():
        if isinstance(statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        for name, value in bindings(statement).items():
            if name in called & (_BUILTINS | declared) and not _is_kept(scope, name, value):
                whose = "function" if name in declared else "builtin"
                reason = f"{code(name)} hides the {whose} of that name"
                known = WEIGHTS.fair if isinstance(value, _DATA) else WEIGHTS.faint
                weight = WEIGHTS.sure if uncalled else known
                yield SuspectedMistake(scope, statement.lineno, weight, reason, "shadowed", edit=_renamed(scope, name))


def _is_kept(scope: FunctionScope, name: str, value: ast.expr | None) -> bool:
    """Whether the binding is intended: a lambda, or `open = open` or `name = name()` at module level."""
    if value is None or isinstance(value, ast.Lambda):
        return value is not None
    return isinstance(scope.node, ast.Module) and name in names_in(value)


def _renamed(scope: FunctionScope, name: str) -> SourceEdit | None:
    """Return an edit that renames the function's own variable wherever it is not called, or None."""
    node, source = scope.node, scope.source
    if not isinstance(node, FunctionNode) or name in [p.arg for p in scope.parameters]:
        return None
    called = {id(call.func) for call in calls_in(node)}
    uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and id(n) not in called]
    if name in names_in(*(n for n in ast.walk(node) if isinstance(n, ast.JoinedStr))):
        return None  # before Python 3.12, positions inside an f-string are not positions in the file
    lines = [source.line(n).encode() for n in range(node.lineno, last_line(node) + 1)]
    for use in sorted(uses, key=lambda n: -n.col_offset):
        row = use.lineno - node.lineno
        end = use.col_offset + len(name.encode())
        lines[row] = lines[row][:end] + b"_" + lines[row][end:]
    return SourceEdit(source, node.lineno, last_line(node), [line.decode(errors="replace") for line in lines])


RULES = [shadowed]
