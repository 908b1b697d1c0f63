"""What the failing check compares, where the stop does not hold it: what the called function returned in the run."""

from __future__ import annotations

import ast

from dap_ai.agent.analyst.evidence.ranking import Evidence
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.case.values import cut, show

_MAX_VALUE = 60


def compare(analysis: Analysis) -> None:
    """Puts `` `f(x)` is `[]`, not `[1]` `` before what else is said, where the run again knows what `f(x)` returned."""
    diagnosis, evidence = analysis.diagnosis, analysis.evidence
    sides = _sides(diagnosis.place.statement)
    if evidence is None or sides is None or all(diagnosis.value(side) for side in sides if not _literal(side)):
        return
    texts = [_text(analysis, evidence, side) for side in sides]
    computed = next((n for n, side in enumerate(sides) if isinstance(side, ast.Call) and texts[n]), None)
    if computed is None or not all(texts) or texts[0] == texts[1]:
        return
    code, is_, not_ = ast.unparse(sides[computed]), texts[computed], texts[1 - computed]
    diagnosis.sentences.insert(0, f"`{code}` is `{cut(is_, _MAX_VALUE)}`, not `{cut(not_, _MAX_VALUE)}`.")


def _sides(statement: ast.stmt | None) -> tuple[ast.expr, ast.expr] | None:
    match statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return left, right
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="assertEqual"), args=[left, right, *_])):
            return left, right
        case _:
            return None


def _text(analysis: Analysis, evidence: Evidence, side: ast.expr) -> str:
    """The value as text: of a literal, as the stop holds it, or as the run shows it; empty if it is not known."""
    if _literal(side):
        return ast.unparse(side)
    if value := analysis.diagnosis.value(side):
        return show(value, _MAX_VALUE)
    if not isinstance(side, ast.Call):
        return ""
    name = getattr(side.func, "id", "") or getattr(side.func, "attr", "")
    runs = [run for run in evidence.record.calls(evidence.failure) if run.name == name]
    return runs[0].traced.result if len(runs) == 1 and not _suspends(runs[0].scope) else ""


def _suspends(scope: ast.AST) -> bool:
    """Whether a call of it gives a generator or a coroutine, not what it returns."""
    return isinstance(scope, ast.AsyncFunctionDef) or any(
        isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(scope)
    )


def _literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True
