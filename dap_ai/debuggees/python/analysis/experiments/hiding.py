"""Detects changes that only remove the failure, and are not worth trying."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterable
from types import UnionType

from dap_ai.agent.source.statements import nodes_in
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate
from dap_ai.debuggees.python.analysis.syntax.nodes import parsed

_DOUBLES = ast.Add | ast.Mult | ast.Pow | ast.LShift
"""Operators for which equal operands make sense: `a + a`, `a * a`."""


def hides(candidate: Candidate, analysis: StopAnalysis) -> bool:
    """Whether a change only removes the failing statement or operation, or compares a value with itself."""
    place, error, edit = analysis.diagnosis.place, analysis.case.exception, candidate.edit
    if _idle(edit.lines) > _idle([edit.source.line(n) for n in range(edit.first, edit.last + 1)]):
        return True
    if edit.source is not place.source or not edit.first <= place.frame.line <= edit.last:
        return False
    if all(line.strip() in ("", "pass") for line in edit.lines):
        return True
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    if isinstance(analysis.diagnosis.broken, ast.BinOp) and _idle(edit.lines, ()) > _idle(old, ()):
        return True  # the failed operand was replaced by the other one
    if error is not None and error.type == "ZeroDivisionError":
        return _divisions(edit.lines) < _divisions(old)
    return _leaves_out(analysis.diagnosis.broken, old, edit.lines)


def literals(lines: list[str]) -> Counter[str]:
    """Count the constants in the lines, by their repr."""
    return Counter(repr(n.value) for n in _nodes(lines) if isinstance(n, ast.Constant))


def _leaves_out(broken: ast.expr | None, old: list[str], new: list[str]) -> bool:
    """Whether the new lines lack the failed call or operation without a replacement."""
    if not isinstance(broken, ast.BinOp | ast.UnaryOp | ast.Call):
        return False
    before, after = ([n for n in _nodes(lines) if isinstance(n, type(broken))] for lines in (old, new))
    return len(after) < len(before) and len(_alike(broken, after)) < len(_alike(broken, before))


def _alike(broken: ast.expr, nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the nodes of the same kind as the failed expression: calls, or operations with the same operator."""
    return [n for n in nodes if type(getattr(n, "op", None)) is type(getattr(broken, "op", None))]


def _idle(lines: list[str], saying: type | UnionType | tuple[()] = _DOUBLES) -> int:
    """Count the comparisons and operations with equal operands, without operations by an operator in `saying`."""
    nodes = _nodes(lines)
    pairs = [(n.left, n.comparators[0]) for n in nodes if isinstance(n, ast.Compare)]
    pairs += [(n.left, n.right) for n in nodes if isinstance(n, ast.BinOp) and not isinstance(n.op, saying)]
    return sum(ast.dump(left) == ast.dump(right) for left, right in pairs)


def _nodes(lines: list[str]) -> list[ast.AST]:
    """Return the syntax nodes of the lines, which may be a block's header; empty if the lines do not parse."""
    text = textwrap.dedent("\n".join(lines))
    return nodes_in(parsed(text) or parsed(f"{text}\n    pass"))


def _divisions(lines: list[str]) -> int:
    text = "\n".join(lines)
    return text.count("/") + text.count("%")
