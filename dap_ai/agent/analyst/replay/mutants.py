"""Small changes of a source text: what a person mistypes. Stdlib only; pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.analyst.replay.changes import PRIOR, Mutant, Scopes
from dap_ai.agent.analyst.replay.expressions import expression_changes
from dap_ai.agent.analyst.replay.statements import statement_changes

__all__ = ["PRIOR", "Mutant", "apply", "mutants"]


def mutants(text: str, tree: ast.Module, lines: set[int]) -> Iterator[tuple[int, Mutant]]:
    """(line, change) of every small change in these lines."""
    scopes = Scopes(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if line not in lines or _in_assertion(node, scopes):
            continue
        if isinstance(node, ast.expr):
            for kind, new in expression_changes(node, scopes):
                made = _swap(kind, node, new)
                if made:
                    yield line, made
        elif isinstance(node, ast.stmt):
            for made in statement_changes(node, scopes, text.split("\n")):
                yield line, made


def _in_assertion(node: ast.AST, scopes: Scopes) -> bool:
    while node in scopes.parents:
        if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
            return True
        node = scopes.parents[node]
    return False


def _swap(kind: str, node: ast.expr | ast.stmt, new: str) -> Mutant | None:
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    return Mutant(kind, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, new)


def apply(text: str, mutant: Mutant) -> str:
    """The text with the change."""
    lines = text.split("\n")
    before = lines[mutant.first - 1].encode()[: mutant.column].decode()
    after = lines[mutant.last - 1].encode()[mutant.end_column :].decode()
    lines[mutant.first - 1 : mutant.last] = [before + mutant.text + after]
    return "\n".join(lines)
