"""Generates all small changes to lines that ran, as edits of whole lines, most likely first."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from dap_ai.agent.report.source_edits import SourceEdit, spliced
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.experiments.changes.change_kinds import PRIOR, Scopes, SourceChange, in_place
from dap_ai.debuggees.python.analysis.experiments.changes.expression_changes import expression_changes
from dap_ai.debuggees.python.analysis.experiments.changes.missing_statements import missing_statements
from dap_ai.debuggees.python.analysis.experiments.changes.own_text import own_lines, scope_of, shape_before, shape_of
from dap_ai.debuggees.python.analysis.experiments.changes.statement_changes import statement_changes
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate
from dap_ai.system import thread_pool

_FURTHER = 0.97
_GUARD = 0.35
"""Factor for a change to the condition of a `raise`: the code before that condition is more likely wrong."""


def candidates(source: SourceFile, suspicion: Mapping[int, float]) -> list[Candidate]:
    """Return the small changes to the lines that `suspicion` scores. Some changes may have no effect."""
    if source.tree is None:
        return []
    return [
        Candidate(edit, change.kind, PRIOR[change.kind] * factor, suspicion[line], line)
        for line, change, factor in _changes(source, source.tree, suspicion)
        if (edit := _edit(source, change))
    ]


def spread(found: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, most likely first. Later changes to a line are delayed, so that no line takes all time."""
    count: Counter[tuple[str, int]] = Counter()
    scored: list[tuple[float, Candidate]] = []
    for each in sorted(found, key=lambda c: -c.prior * c.suspicion):
        spot = (each.edit.source.path, each.line)
        scored.append((each.prior * each.suspicion * _FURTHER ** count[spot], each))
        count[spot] += 1
    return [each for _, each in sorted(scored, key=lambda pair: -pair[0])]


def distinct(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates that parse and differ from the file and from earlier candidates, in the user's style."""
    seen: dict[tuple[str, int, int], set[str]] = {}
    for candidate in found:
        thread_pool.check()
        edit = candidate.edit
        scope = scope_of(edit)
        shapes = seen.get(scope) or {"", shape_before(edit)}
        seen[scope] = shapes
        shape = shape_of(edit, edit.lines)
        if shape not in shapes:
            shapes.add(shape)
            edit.lines = own_lines(edit, shape)
            yield candidate


def _changes(
    source: SourceFile, tree: ast.Module, lines: Mapping[int, float]
) -> Iterator[tuple[int, SourceChange, float]]:
    scopes = Scopes(tree)
    for node in source.index.nodes:
        line = getattr(node, "lineno", 0)
        if line not in lines or _in_demand(node, scopes):
            continue
        factor = _GUARD if _guards_raise(node, scopes) else 1.0
        if isinstance(node, ast.expr):
            for kind, new in expression_changes(node, scopes):
                yield line, in_place(kind, node, new), factor
        elif isinstance(node, ast.stmt):
            for change in (statement_changes, missing_statements):
                yield from ((line, made, factor) for made in change(node, scopes, source.lines))


def _in_demand(node: ast.AST, scopes: Scopes) -> bool:
    return any(isinstance(each, ast.Assert | ast.Raise | ast.JoinedStr) for each in (node, *scopes.above(node)))


def _guards_raise(node: ast.AST, scopes: Scopes) -> bool:
    """Whether the node is in the condition of an `if` that ends in a `raise`."""
    for inner, outer in pairwise((node, *scopes.above(node))):
        if isinstance(outer, ast.If) and inner is outer.test:
            return isinstance(outer.body[-1], ast.Raise)
        if isinstance(outer, ast.stmt):
            return False
    return False


def _edit(source: SourceFile, change: SourceChange) -> SourceEdit | None:
    edit = spliced(source, (change.first, change.column), (change.last, change.end_column), change.text)
    return None if edit.lines == source.lines[change.first - 1 : change.last] else edit
