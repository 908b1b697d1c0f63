"""A finding: a line that looks like a known mistake, why, and what the fix would be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dap_ai.agent.analyst.definitions import Scope
from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.analyst.facts import Cited, Diagnosis
from dap_ai.agent.analyst.resolving import Resolver
from dap_ai.agent.analyst.slicing import Slice
from dap_ai.agent.source import SourceFile, header_expressions
from dap_ai.agent.stack import Case


@dataclass
class Finding:
    """A suspicious line. `weight` 0..1: how sure the rule is by itself."""

    scope: Scope
    line: int
    weight: float
    reason: str
    rule: str
    cited: list[Cited] = field(default_factory=list[Cited])
    edit: Edit | None = None
    seen: bool = False
    """The failure run again shows that it has happened."""


@dataclass
class View:
    """What a rule may look at."""

    case: Case
    diagnosis: Diagnosis
    slice: Slice
    resolver: Resolver
    scopes: dict[tuple[str, int], tuple[Scope, int]]
    """Every function in reach, with its distance."""


Rule = Callable[[Scope, View], Iterator[Finding]]


def swap(source: SourceFile, node: ast.expr | ast.stmt, text: str) -> Edit | None:
    """The edit that puts other text in a node's place; None for a node of several lines."""
    if node.lineno != node.end_lineno or node.end_col_offset is None:
        return None
    line = source.line(node.lineno).encode()
    new = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
    return Edit(source, node.lineno, node.lineno, [new.decode(errors="replace")])


def expressions(scope: Scope) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Every expression of the scope with the statement it stands in; nested functions are left out."""
    for statement in scope.statements():
        for root in header_expressions(statement):
            for node in ast.walk(root):
                if isinstance(node, ast.expr):
                    yield statement, node


def is_call(node: ast.AST | None, *names: str) -> bool:
    """Whether the node calls a function or method of one of these names."""
    if not isinstance(node, ast.Call):
        return False
    return (getattr(node.func, "id", None) or getattr(node.func, "attr", "")) in names
