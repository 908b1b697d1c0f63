"""A finding: a line that looks like a known mistake, why, and what the fix would be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dap_ai.agent.case.stack import Case
from dap_ai.agent.report.edits import Edit
from dap_ai.agent.source.source import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_nodes
from dap_ai.debuggees.python.analysis.failure.facts import Diagnosis
from dap_ai.debuggees.python.analysis.slice.slicing import Slice
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope, called_name
from dap_ai.debuggees.python.analysis.syntax.paths import loops_around
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver

_UNTOLD = "object"
"""The kind of what the adapter tells no more of."""


@dataclass(frozen=True)
class Claim:
    """What a reason says of a variable: its kind, as `Value.kind` has it."""

    name: str
    kind: str

    def is_refuted(self, scope: Scope) -> bool:
        """Whether the values at the stop show otherwise. Never where an earlier value may have been meant."""
        value = scope.place.value(self.name) if scope.place else None
        if scope.place is None or value is None or not _is_settled(scope, self.name):
            return False
        return value.kind not in (self.kind, _UNTOLD) or (self.kind == "none" and value.text != "None")


def _is_settled(scope: Scope, name: str) -> bool:
    """Whether the variable has had no other value in this frame."""
    made = [statement for statement in scope.statements() if name in bindings(statement)]
    return is_bound_once(scope, name) and not any(loops_around(scope.node, statement) for statement in made)


def is_bound_once(scope: Scope, name: str) -> bool:
    """Whether one statement of the scope, or a parameter, binds the name, and no other."""
    bound = sum(name in bindings(statement) for statement in scope.statements())
    return bound + sum(parameter.arg == name for parameter in scope.parameters) == 1


@dataclass
class Finding:
    """A suspicious line. `weight` 0..1: how sure the rule is by itself."""

    scope: Scope
    line: int
    weight: float
    reason: str
    rule: str
    edit: Edit | None = None
    claims: list[Claim] = field(default_factory=list[Claim])
    """What the values at the stop can refute."""
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
    """The edit that puts other text in a node's place; None for a node that stands nowhere."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    before = source.line(node.lineno).encode()[: node.col_offset]
    after = source.line(node.end_lineno).encode()[node.end_col_offset :]
    new = (before + text.encode() + after).decode(errors="replace")
    return Edit(source, node.lineno, node.end_lineno, new.split("\n"))


def expressions(scope: Scope) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Every expression of the scope with the statement it stands in; nested functions are left out."""
    for statement in scope.statements():
        for node in header_nodes(statement):
            if isinstance(node, ast.expr):
                yield statement, node


def is_call(node: ast.AST | None, *names: str) -> bool:
    """Whether the node calls a function or method of one of these names."""
    return isinstance(node, ast.Call) and called_name(node) in names


def is_stub(node: FunctionNode) -> bool:
    """Whether the function only stands for others: abstract, an overload, or nothing but `pass`, `...` or `raise`."""
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    words = [ast.unparse(decorator) for decorator in node.decorator_list]
    return all(isinstance(s, ast.Pass | ast.Raise) for s in body) or any(
        "abstract" in w or "overload" in w for w in words
    )
