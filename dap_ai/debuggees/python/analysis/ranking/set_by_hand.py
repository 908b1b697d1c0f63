"""Whether the failure, or the value in question, depends on a value set in the debugger."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.edited_values import edits_read
from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.statements import header_nodes
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.protocol.contracts.question import ValueEdit

_Read = tuple[str, str, list[str]]
"""(function, file, source texts of what a line reads)."""


def set_by_hand(
    analysis: StopAnalysis, asked: FramePlace | None = None, roots: Sequence[ast.expr] = ()
) -> list[ValueEdit]:
    """Return the debugger's edits of values that the failing line and its slice read, or that the `roots` read.

    Compares names only, so an edit counts even if the program may have overwritten the value since.
    """
    if not analysis.case.stop.edits:
        return []
    place = asked or analysis.diagnosis.place
    found = [e for read in _read(analysis, place, roots) for e in edits_read(analysis.case, *read)]
    return list(dict.fromkeys(found))


def _read(analysis: StopAnalysis, place: FramePlace, roots: Sequence[ast.expr]) -> Iterator[_Read]:
    wanted = roots or [*analysis.diagnosis.roots, *place.evaluated]
    yield place.frame.name, place.frame.path, [ast.unparse(node) for node in wanted]
    for step in analysis.slice.steps:
        yield step.scope.name, step.scope.source.path, list(_reads(step.statement))


def _reads(statement: ast.stmt) -> Iterator[str]:
    """Yield the names and attributes that a statement reads, not those it only sets."""
    if isinstance(statement, ast.AugAssign):
        yield ast.unparse(statement.target)
    for node in header_nodes(statement):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield ast.unparse(node)
