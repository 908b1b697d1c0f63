"""Where an item whose value is None can be skipped: the loop or comprehension that it came through."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.report.edits import Edit
from dap_ai.agent.source.statements import root_name, target_names
from dap_ai.debuggees.python.analysis.ranking.findings import Finding, View, expressions
from dap_ai.debuggees.python.analysis.ranking.rules.nothing import is_none_blamed
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope, called_name, enclosing_loop
from dap_ai.debuggees.python.analysis.syntax.resolving import argument_for

SKIP_NONE = "skip None"
_MAX_CALLS = 3
"""Between the failing line and the loop."""


def skip_none(scope: Scope, view: View) -> Iterator[Finding]:
    """`for row in rows` and `f(row) for row in rows`, where `row.price` is None in one round."""
    own = view.resolver.of_place(view.diagnosis.place)
    if own is None or scope.key() != own.key() or not is_none_blamed(view):
        return
    root = view.diagnosis.roots[0]
    for _ in range(_MAX_CALLS):
        edit = _in_comprehension(own, root) or _in_loop(own, root)
        if edit:
            reason = f"an item whose `{ast.unparse(root)}` is `None` can be skipped here, if that is what it means"
            yield Finding(own, edit.first, WEIGHTS.faint, reason, SKIP_NONE, edit=edit)
            return
        outer = _at_caller(own, root, view)
        if outer is None:
            return
        own, root = outer


def _in_comprehension(scope: Scope, root: ast.expr) -> Edit | None:
    """The filter at the end of the generator that binds the item."""
    place = scope.place
    for statement, node in expressions(scope) if place else ():
        if not place or statement is not place.statement:
            continue
        for generator in getattr(node, "generators", []):
            last = (generator.ifs or [generator.iter])[-1]
            if root_name(root) in set(target_names(generator.target)) and last.end_col_offset is not None:
                number = last.end_lineno or last.lineno
                line = scope.source.line(number).encode()
                parts = line[: last.end_col_offset], f" if {ast.unparse(root)} is not None".encode()
                text = b"".join([*parts, line[last.end_col_offset :]]).decode(errors="replace")
                return Edit(scope.source, number, number, [text])
    return None


def _in_loop(scope: Scope, root: ast.expr) -> Edit | None:
    """`continue` as the first thing of the loop that binds the item."""
    loop = enclosing_loop(scope.node, scope.place.frame.line) if scope.place else None
    if not isinstance(loop, ast.For) or root_name(root) not in set(target_names(loop.target)):
        return None
    first = loop.body[0]
    if first.lineno == loop.lineno or isinstance(root, ast.Name):
        return None
    pad = " " * first.col_offset
    lines = [f"{pad}if {ast.unparse(root)} is None:", f"{pad}    continue", scope.source.line(first.lineno)]
    return Edit(scope.source, first.lineno, first.lineno, lines)


def _at_caller(scope: Scope, root: ast.expr, view: View) -> tuple[Scope, ast.expr] | None:
    """The caller, and the same value as it is called there: `row.price` of `f(r)` is `r.price`."""
    outer, name, own_name = view.resolver.caller(scope.place), root_name(root), getattr(scope.node, "name", "")
    if outer is None or outer.place is None or name is None:
        return None
    for node in (n for each in outer.place.evaluated for n in ast.walk(each)):
        if isinstance(node, ast.Call) and called_name(node) == own_name:
            argument = argument_for(node, scope, name)
            if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
                return outer, _Renamed(name, argument).visit(ast.parse(ast.unparse(root), mode="eval").body)
    return None


class _Renamed(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, argument: ast.expr) -> None:
        self._name, self._argument = name, argument

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression, if it is that name."""
        return self._argument if node.id == self._name else node


RULES = [skip_none]
