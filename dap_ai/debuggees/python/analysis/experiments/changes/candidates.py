"""Every small change of the lines that ran, as edits of whole lines, the likeliest first."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dap_ai.agent.report.edits import Edit
from dap_ai.agent.source.source import SourceFile
from dap_ai.debuggees.python.analysis.experiments.changes.expressions import expression_changes
from dap_ai.debuggees.python.analysis.experiments.changes.kinds import PRIOR, Change, Scopes
from dap_ai.debuggees.python.analysis.experiments.changes.missing import missing_statements
from dap_ai.debuggees.python.analysis.experiments.changes.own_text import own_lines, scope_of, shape_before, shape_of
from dap_ai.debuggees.python.analysis.experiments.changes.statements import statement_changes
from dap_ai.system import threads

_FURTHER = 0.97
_GUARD = 0.35
"""How likely it is that the condition of a `raise` is wrong itself, beside what led there."""


@dataclass
class Candidate:
    """An edit that may be the fix."""

    edit: Edit
    kind: str
    prior: float
    """0..1: how likely its kind is the one that is meant."""
    suspicion: float
    """0..1: of its line."""
    line: int
    """The line that it says is wrong."""
    reason: str = ""
    """From the rule that proposes it; empty for a generated one."""


def candidates(source: SourceFile, suspicion: Mapping[int, float]) -> list[Candidate]:
    """The small changes in the lines that `suspicion` gives a score to; some change nothing."""
    if source.tree is None:
        return []
    return [
        Candidate(edit, change.kind, PRIOR[change.kind] * factor, suspicion[line], line)
        for line, change, factor in _changes(source, source.tree, suspicion)
        if (edit := _edit(source, change))
    ]


def spread(found: Iterable[Candidate]) -> list[Candidate]:
    """The likeliest first, but each further change of a line a little later, so that no line takes all the time."""
    count: Counter[tuple[str, int]] = Counter()
    scored: list[tuple[float, Candidate]] = []
    for each in sorted(found, key=lambda c: -c.prior * c.suspicion):
        spot = (each.edit.source.path, each.line)
        scored.append((each.prior * each.suspicion * _FURTHER ** count[spot], each))
        count[spot] += 1
    return [each for _, each in sorted(scored, key=lambda pair: -pair[0])]


def distinct(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """Those of them that parse, and make another program than the file and each one before; in the user's own text."""
    seen: dict[tuple[str, int, int], set[str]] = {}
    for candidate in found:
        threads.check()
        edit = candidate.edit
        scope = scope_of(edit)
        shapes = seen.get(scope) or {"", shape_before(edit)}
        seen[scope] = shapes
        shape = shape_of(edit, edit.lines)
        if shape not in shapes:
            shapes.add(shape)
            edit.lines = own_lines(edit, shape)
            yield candidate


def _changes(source: SourceFile, tree: ast.Module, lines: Mapping[int, float]) -> Iterator[tuple[int, Change, float]]:
    scopes = Scopes(tree)
    for node in source.index.nodes:
        line = getattr(node, "lineno", 0)
        if line not in lines or _in_demand(node, scopes):
            continue
        factor = _GUARD if _guards_raise(node, scopes) else 1.0
        if isinstance(node, ast.expr):
            for kind, new in expression_changes(node, scopes):
                yield line, _in_place(kind, node, new), factor
        elif isinstance(node, ast.stmt):
            for made in statement_changes(node, scopes, source.lines):
                yield line, made, factor
            for made in missing_statements(node, scopes, source.lines):
                yield line, made, factor


def _in_demand(node: ast.AST, scopes: Scopes) -> bool:
    while node in scopes.parents:
        if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
            return True
        node = scopes.parents[node]
    return False


def _guards_raise(node: ast.AST, scopes: Scopes) -> bool:
    """Whether the node is in the test of an `if` that only raises."""
    while node in scopes.parents:
        parent = scopes.parents[node]
        if isinstance(parent, ast.If) and node is parent.test:
            return isinstance(parent.body[-1], ast.Raise)
        if isinstance(parent, ast.stmt):
            return False
        node = parent
    return False


def _in_place(kind: str, node: ast.expr, new: str) -> Change:
    end, column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return Change(kind, node.lineno, node.col_offset, end, column, new)


def _edit(source: SourceFile, change: Change) -> Edit | None:
    before = source.line(change.first).encode()[: change.column].decode(errors="replace")
    after = source.line(change.last).encode()[change.end_column :].decode(errors="replace")
    new = f"{before}{change.text}{after}".split("\n")
    return None if new == source.lines[change.first - 1 : change.last] else Edit(source, change.first, change.last, new)
