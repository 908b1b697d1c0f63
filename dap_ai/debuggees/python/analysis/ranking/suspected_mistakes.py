"""Findings: lines that look like a known mistake, with the reason and a possible fix."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit, spliced
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_nodes
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.slice.slicing import BackwardSlice
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import loops_around, without_docstring
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver

_UNTOLD = "object"
"""Kind of values that the adapter does not describe."""


@dataclass(frozen=True)
class Claim:
    """A finding's claim that a variable has a certain kind of value, as in `Value.kind`."""

    name: str
    kind: str

    def is_refuted(self, scope: FunctionScope) -> bool:
        """Whether the values at the stop refute the claim; always False if the claim may concern an earlier value."""
        value = scope.place.value(self.name) if scope.place else None
        if scope.place is None or value is None or not _is_settled(scope, self.name):
            return False
        return value.kind not in (self.kind, _UNTOLD) or (self.kind == "none" and value.text != "None")


def _is_settled(scope: FunctionScope, name: str) -> bool:
    """Whether the variable has had only one value in this frame."""
    made = [statement for statement in scope.statements() if name in bindings(statement)]
    return is_bound_once(scope, name) and not any(loops_around(scope.node, statement) for statement in made)


def is_bound_once(scope: FunctionScope, name: str) -> bool:
    """Whether exactly one statement of the scope, or parameter, binds the name."""
    bound = sum(name in bindings(statement) for statement in scope.statements())
    return bound + sum(parameter.arg == name for parameter in scope.parameters) == 1


@dataclass
class SuspectedMistake:
    """A suspicious line that a rule found. `weight`: the rule's own confidence, 0..1."""

    scope: FunctionScope
    line: int
    weight: float
    reason: str
    rule: str
    edit: SourceEdit | None = None
    claims: list[Claim] = field(default_factory=list[Claim])
    """Claims that the values at the stop can refute."""
    seen: bool = False
    """Whether the rerun shows that the mistake happened."""


@dataclass
class RuleContext:
    """The information available to a rule."""

    case: StopSnapshot
    diagnosis: Diagnosis
    slice: BackwardSlice
    resolver: Resolver
    scopes: dict[tuple[str, int], tuple[FunctionScope, int]]
    """Every function in reach, with its distance in calls."""


Rule = Callable[[FunctionScope, RuleContext], Iterator[SuspectedMistake]]


def swap(source: SourceFile, node: ast.expr | ast.stmt, text: str) -> SourceEdit | None:
    """Return an edit that replaces a node's text; None for a node without a position."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    return spliced(source, (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)


def expressions(scope: FunctionScope) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Yield every expression of the scope with its statement, skipping nested functions."""
    for statement in scope.statements():
        for node in header_nodes(statement):
            if isinstance(node, ast.expr):
                yield statement, node


def is_stub(node: FunctionNode) -> bool:
    """Whether the function has no implementation: abstract, an overload, or only `pass`, `...` or `raise`."""
    words = [ast.unparse(decorator) for decorator in node.decorator_list]
    is_empty = all(isinstance(s, ast.Pass | ast.Raise) for s in without_docstring(node.body))
    return is_empty or any("abstract" in w or "overload" in w for w in words)
