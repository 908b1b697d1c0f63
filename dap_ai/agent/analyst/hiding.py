"""Changes that only take the failure away, and are not worth a try."""

from __future__ import annotations

import ast
import textwrap

from dap_ai.agent.analyst.changes.candidates import Candidate
from dap_ai.agent.analyst.ranking import Analysis

_DOUBLES = ast.Add | ast.Mult | ast.Pow | ast.LShift
"""`a + a` and `a * a` say something."""


def hides(candidate: Candidate, analysis: Analysis) -> bool:
    """Whether it would only take the failing statement or its division by zero away, or compare a value with itself."""
    place, error, edit = analysis.diagnosis.place, analysis.case.exception, candidate.edit
    if _idle(edit.lines) > _idle([edit.source.line(n) for n in range(edit.first, edit.last + 1)]):
        return True
    if edit.source is not place.source or not edit.first <= place.frame.line <= edit.last:
        return False
    if all(line.strip() in ("", "pass") for line in edit.lines):
        return True
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    return error is not None and error.type == "ZeroDivisionError" and _divisions(edit.lines) < _divisions(old)


def _idle(lines: list[str]) -> int:
    """How many operations of these lines have the same thing on both sides."""
    text = textwrap.dedent("\n".join(lines))
    for suffix in ("", "\n    pass"):  # the head of a block
        try:
            nodes = list(ast.walk(ast.parse(text + suffix)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        pairs = [(n.left, n.comparators[0]) for n in nodes if isinstance(n, ast.Compare)]
        pairs += [(n.left, n.right) for n in nodes if isinstance(n, ast.BinOp) and not isinstance(n.op, _DOUBLES)]
        return sum(ast.dump(left) == ast.dump(right) for left, right in pairs)
    return 0


def _divisions(lines: list[str]) -> int:
    text = "\n".join(lines)
    return text.count("/") + text.count("%")
