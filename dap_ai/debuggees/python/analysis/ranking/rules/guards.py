"""Finds the loop or comprehension where an item with a None value can be skipped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.report.source_edits import SourceEdit, spliced
from dap_ai.agent.source.statements import root_name, target_names
from dap_ai.debuggees.python.analysis.ranking.rules.none_values import is_none_blamed
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake, expressions
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, enclosing_loop
from dap_ai.debuggees.python.analysis.syntax.nodes import READS, called_name, calls_in, renamed
from dap_ai.debuggees.python.analysis.syntax.resolving import argument_for
from dap_ai.system.texts import code

SKIP_NONE = "skip None"
_MAX_CALLS = 3
"""Maximum number of calls between the failing line and the loop."""


def skip_none(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find the loop or comprehension over `row` in which the failing value, such as `row.price`, was None."""
    own = view.resolver.of_place(view.diagnosis.place)
    if own is None or scope.key() != own.key() or not is_none_blamed(view):
        return
    root = view.diagnosis.roots[0]
    for _ in range(_MAX_CALLS):
        edit = _in_comprehension(own, root) or _in_loop(own, root)
        if edit:
            reason = f"an item whose {code(ast.unparse(root))} is `None` can be skipped here, if that is what it means"
            yield SuspectedMistake(own, edit.first, WEIGHTS.faint, reason, SKIP_NONE, edit=edit)
            return
        outer = _at_caller(own, root, view)
        if outer is None:
            return
        own, root = outer


def _in_comprehension(scope: FunctionScope, root: ast.expr) -> SourceEdit | None:
    """Return an edit that adds a filter to the generator that binds the item, or None."""
    place = scope.place
    for statement, node in expressions(scope) if place else ():
        if not place or statement is not place.statement:
            continue
        for generator in getattr(node, "generators", []):
            last = (generator.ifs or [generator.iter])[-1]
            if root_name(root) in set(target_names(generator.target)) and last.end_col_offset is not None:
                end = (last.end_lineno or last.lineno, last.end_col_offset)
                return spliced(scope.source, end, end, f" if {ast.unparse(root)} is not None")
    return None


def _in_loop(scope: FunctionScope, root: ast.expr) -> SourceEdit | None:
    """Return an edit that adds `continue` for None at the start of the loop that binds the item, or None."""
    loop = enclosing_loop(scope.node, scope.place.frame.line) if scope.place else None
    if not isinstance(loop, ast.For) or root_name(root) not in set(target_names(loop.target)):
        return None
    first = loop.body[0]
    if first.lineno == loop.lineno or isinstance(root, ast.Name):
        return None
    pad = " " * first.col_offset
    lines = [f"{pad}if {ast.unparse(root)} is None:", f"{pad}    continue", scope.source.line(first.lineno)]
    return SourceEdit(scope.source, first.lineno, first.lineno, lines)


def _at_caller(scope: FunctionScope, root: ast.expr, view: RuleContext) -> tuple[FunctionScope, ast.expr] | None:
    """Return the caller and its expression for the same value, or None.

    For the call `f(r)`, `row.price` in `f` is `r.price` in the caller.
    """
    outer, name, own_name = view.resolver.caller(scope.place), root_name(root), getattr(scope.node, "name", "")
    if outer is None or outer.place is None or name is None:
        return None
    for call in calls_in(*outer.place.evaluated):
        if called_name(call) == own_name:
            argument = argument_for(call, scope, name)
            if isinstance(argument, READS):
                return outer, renamed(root, {name: argument}.get)
    return None


RULES = [skip_none]
