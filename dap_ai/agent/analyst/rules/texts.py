"""Text that was meant to become a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope
from dap_ai.agent.analyst.findings import Finding, View, is_call, swap
from dap_ai.agent.case.values import MISSING, literal

_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d+)?\s*")


def stays_text(scope: Scope, view: View) -> Iterator[Finding]:
    """`self.size = config["size"]`, where the failing operation got `'12'` from it. The fix: `int(...)` there."""
    for root in view.diagnosis.roots[:2]:
        found = literal(view.diagnosis.value(root))
        match = _NUMBER.fullmatch(found) if found is not MISSING and isinstance(found, str) else None
        if match is None:
            continue
        kind, name = "float" if match[1] else "int", ast.unparse(root).rpartition(".")[2]
        for step in view.slice.steps:
            value = _kept(step.statement) if step.scope.key() == scope.key() else None
            if value is None or step.role not in ("assigned", "written") or step.name.rpartition(".")[2] != name:
                continue
            reason = f"`{step.name}` stays the text `{found!r}`: nothing makes it a number"
            edit = swap(scope.source, value, f"{kind}({ast.unparse(value)})")
            yield Finding(scope, step.line, 0.75, reason, "stays text", edit=edit)


def _kept(statement: ast.stmt) -> ast.expr | None:
    """What an assignment keeps as it came."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    is_kept = isinstance(value, ast.Subscript | ast.Attribute | ast.Name) or is_call(
        value, "get", "strip", "input", "getenv"
    )
    return value if is_kept else None


RULES = [stays_text]
