"""Finds the statements that bind a name, change its value, or decide whether a line is reached, from source alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.source_file import FunctionNode, ScopeNode, SourceFile
from dap_ai.agent.source.statements import (
    bindings,
    first_line,
    last_line,
    own_statements,
    root_name,
)
from dap_ai.debuggees.python.analysis.syntax.nodes import LEAVES, blocks_around, parameters

_DECLARATIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


@dataclass(frozen=True, eq=False)
class FunctionScope:
    """A function or module of the user, with the stack frame that is running it, or None."""

    source: SourceFile
    node: ScopeNode
    place: FramePlace | None = field(default=None)

    @property
    def name(self) -> str:
        """The scope's name: `Account.withdraw`, `main`, or the module's name."""
        if isinstance(self.node, ast.Module):
            return Path(self.source.path).stem
        owner = self.source.owners.get(self.node)
        return f"{owner.name}.{self.node.name}" if owner else self.node.name

    @property
    def called_as(self) -> str:
        """The name that calls use: the class's name for `__init__`, and an empty string for a module."""
        own = getattr(self.node, "name", "")
        return self.owner.name if own == "__init__" and self.owner else own

    @property
    def owner(self) -> ast.ClassDef | None:
        """The class that the function is a method of, or None."""
        return self.source.owners.get(self.node)

    @property
    def parameters(self) -> list[ast.arg]:
        """The function's parameters in order, including `self`; empty for a module."""
        return parameters(self.node)

    @property
    def first_line(self) -> int:
        """First line of the code object, 1-based: the first decorator's line; 0 for a module."""
        return 0 if isinstance(self.node, ast.Module) else first_line(self.node)

    def statements(self) -> Sequence[ast.stmt]:
        """Return the function's or module's own statements in order."""
        return own_statements(self.node)

    def key(self) -> tuple[str, int]:
        """Return (path, line) to identify the scope; the line is 0 for a module."""
        return self.source.path, 0 if isinstance(self.node, ast.Module) else self.node.lineno


def scopes_in(source: SourceFile) -> list[ScopeNode]:
    """Return a file's module and functions; empty if the file could not be parsed."""
    return [*([source.tree] if source.tree else []), *source.functions]


def aliases(scope: FunctionScope, name: str) -> set[str]:
    """Return the name, and all names that the scope binds to its value or to a part of its value."""
    found = {name}
    for statement in scope.statements():
        for bound, value in bindings(statement).items():
            holder = value.func if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else value
            if holder and root_name(holder) in found:
                found.add(bound)
    return found


def control_tests(scope: ScopeNode, line: int) -> list[tuple[ast.stmt, ast.expr]]:
    """Return the `if`, `while` and `for` around a line within the scope, innermost first, each with its condition."""
    around: list[tuple[ast.stmt, ast.expr]] = []
    for statement in own_statements(scope):
        if statement.lineno < line <= last_line(statement):
            if isinstance(statement, ast.If | ast.While):
                around.append((statement, statement.test))
            elif isinstance(statement, ast.For):
                around.append((statement, statement.iter))
    return around[::-1]


def guards(scope: ast.AST, statement: ast.stmt) -> list[ast.If]:
    """Return the `if`s earlier in a statement's blocks that end in `return`, `continue`, `break` or `raise`."""
    way = takewhile(
        lambda each: each[0] is scope or not isinstance(each[0], FunctionNode), blocks_around(scope, statement)
    )
    before = (s for _, block, index in way for s in block[:index])
    return [s for s in before if isinstance(s, ast.If) and isinstance(s.body[-1], LEAVES)]


def enclosing_loop(scope: ScopeNode, line: int) -> ast.For | ast.While | None:
    """Return the innermost loop around a line within the scope, or None."""
    return next((s for s, _ in control_tests(scope, line) if isinstance(s, ast.For | ast.While)), None)


def reaching(name: str, scope: FunctionScope, line: int) -> list[tuple[ast.stmt, ast.expr | None]]:
    """Return (statement, value) for each binding of a name that may reach a line.

    The nearest binding comes first. Bindings that follow the line in its loop come last.
    """
    made = (s for s in scope.statements() if not isinstance(s, _DECLARATIONS))
    bound = [(s, b[name]) for s in made if name in (b := bindings(s))]
    before = [pair for pair in bound if pair[0].lineno < line][::-1]
    loop = enclosing_loop(scope.node, line)
    around = [p for p in bound if loop and loop.lineno <= p[0].lineno <= (loop.end_lineno or 0)]
    later = [p for p in around if p[0].lineno >= line]
    kept: list[tuple[ast.stmt, ast.expr | None]] = []
    for pair in before:
        kept.append(pair)
        if _kills(pair[0], scope, line):
            break
    return kept + later


def is_always_bound(name: str, scope: FunctionScope, line: int) -> bool:
    """Whether a statement of the scope binds the name on every path to the line."""
    return any(_kills(statement, scope, line) for statement, _ in reaching(name, scope, line))


def _kills(statement: ast.stmt, scope: FunctionScope, line: int) -> bool:
    if isinstance(statement, ast.AugAssign | ast.For | ast.With | ast.Try):
        return False
    outside = [test for test, _ in control_tests(scope.node, line)]
    return all(test in outside for test, _ in control_tests(scope.node, statement.lineno))
