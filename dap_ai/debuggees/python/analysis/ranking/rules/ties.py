"""Items that Python had to compare but that have no order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.failure.tied_items import Tie, is_of_tuples, tie_of
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.system.texts import code

NO_ORDER = "no order"


def no_order(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find the failing call that compares unordered items; the fix is a `key=` or a `__lt__`."""
    error, place = view.case.exception, view.diagnosis.place
    if error is None or scope.place is not place:
        return
    tie = tie_of(view.diagnosis, error.message)
    if tie is None:
        return
    tuples = is_of_tuples(view.diagnosis, tie)
    why = f"equal first items make it compare the {code(tie.type)}s" if tuples else f"it compares {code(tie.type)}s"
    reason = f"{why}, and these have no order"
    edit = _by_first_item(scope, tie) if tie.sorts and tuples else _less_than(view, tie)
    yield SuspectedMistake(scope, tie.call.lineno, WEIGHTS.sure, reason, NO_ORDER, edit=edit)


def _by_first_item(scope: FunctionScope, tie: Tie) -> SourceEdit | None:
    call = tie.call
    if any(keyword.arg == "key" for keyword in call.keywords):
        return None
    parts = [ast.unparse(argument) for argument in call.args] + ["key=lambda item: item[0]"]
    parts += [ast.unparse(keyword) for keyword in call.keywords]
    return swap(scope.source, call, f"{ast.unparse(call.func)}({', '.join(parts)})")


def _less_than(view: RuleContext, tie: Tie) -> SourceEdit | None:
    """Return an edit that adds `__lt__` at the class's end, comparing its first attribute, or None."""
    for source in view.resolver.files():
        for owner in source.classes:
            if owner.name == tie.type and (attribute := _first_attribute(owner)):
                return _method(source, owner, attribute)
    return None


def _first_attribute(owner: ast.ClassDef) -> str:
    """Return the first declared field, or the first attribute that the constructor sets, or an empty string."""
    for statement in owner.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            return statement.target.id
        if isinstance(statement, FunctionNode) and statement.name == "__init__":
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    return node.attr
    return ""


def _method(source: SourceFile, owner: ast.ClassDef, attribute: str) -> SourceEdit:
    pad, end = " " * owner.body[0].col_offset, last_line(owner)
    lines = ["", f"{pad}def __lt__(self, other):", f"{pad}    return self.{attribute} < other.{attribute}"]
    return SourceEdit(source, end, end, [source.line(end), *lines])


RULES = [no_order]
