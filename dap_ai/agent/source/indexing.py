"""Indexes a Python file's statements, functions, classes and imports in one walk. Lines are 1-based."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from dap_ai.system import thread_pool

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_Statement = TypeVar("_Statement", bound=ast.stmt)
_Node = TypeVar("_Node", bound=ast.AST)
_Found = TypeVar("_Found")


def once_per_node(find: Callable[[_Node], _Found]) -> Callable[[_Node], _Found]:
    """Caches the results of a function of a syntax node, as long as the node exists.

    Callers share a result and must not change it. A result must not refer to its node, which would then never be freed.
    """
    kept: WeakKeyDictionary[_Node, _Found] = WeakKeyDictionary()

    @wraps(find)
    def found(node: _Node) -> _Found:
        thread_pool.check()  # all analysis calls this often
        if node not in kept:
            kept[node] = find(node)
        return kept[node]

    return found


@once_per_node
def nodes_below(node: ast.AST) -> Sequence[ast.AST]:
    """Returns all descendants of a node, outer ones first.

    Excludes the node itself, which the cache would keep alive.
    """
    return tuple(ast.walk(node))[1:]


class Index:
    """An immutable index of a Python file's syntax nodes, by line and name."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.nodes: Sequence[ast.AST] = [tree, *nodes_below(tree)]
        """All nodes of the tree, outer ones first."""
        self.statements: list[ast.stmt] = [n for n in self.nodes if isinstance(n, ast.stmt)]
        self.functions: list[FunctionNode] = [n for n in self.statements if isinstance(n, FunctionNode)]
        self.classes: list[ast.ClassDef] = [n for n in self.statements if isinstance(n, ast.ClassDef)]

    def statement_at(self, line: int) -> ast.stmt | None:
        """Returns the innermost statement that contains the line, or None."""
        return self._statement_of.get(line)

    def function_at(self, line: int) -> FunctionNode | None:
        """Returns the innermost function that contains the line, or None at module level."""
        return self._function_of.get(line)

    def function_named(self, name: str, within: ast.AST) -> FunctionNode | None:
        """Returns the outermost function called `name` below `within`, or None."""
        first, last = getattr(within, "lineno", 0), getattr(within, "end_lineno", None) or sys.maxsize
        found = (f for f in self._by_name.get(name, ()) if f is not within and first <= f.lineno <= last)
        return next(found, None)

    @cached_property
    def owners(self) -> dict[ast.AST, ast.ClassDef]:
        """The class that defines each method."""
        return {node: owner for owner in self.classes for node in owner.body if isinstance(node, FunctionNode)}

    @cached_property
    def top(self) -> dict[str, FunctionNode | ast.ClassDef]:
        """The module's top-level functions and classes by name. The first definition of a name counts."""
        found: dict[str, FunctionNode | ast.ClassDef] = {}
        for statement in self.tree.body:
            if isinstance(statement, FunctionNode | ast.ClassDef):
                found.setdefault(statement.name, statement)
        return found

    @cached_property
    def modules(self) -> dict[str, str]:
        """Full module names by the names that `import` statements bind. The first import of a name counts."""
        found: dict[str, str] = {}
        for statement in self.statements:
            for alias in statement.names if isinstance(statement, ast.Import) else ():
                found.setdefault(alias.asname or alias.name, alias.name)
        return found

    @cached_property
    def imported(self) -> dict[str, tuple[ast.ImportFrom, str]]:
        """Names that `from ... import` binds: (statement, original name) by bound name.

        The first import of a name counts.
        """
        found: dict[str, tuple[ast.ImportFrom, str]] = {}
        for statement in (s for s in self.statements if isinstance(s, ast.ImportFrom)):
            for alias in statement.names:
                found.setdefault(alias.asname or alias.name, (statement, alias.name))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[FunctionNode]]:
        found: dict[str, list[FunctionNode]] = {}
        for function in self.functions:
            found.setdefault(function.name, []).append(function)
        return found

    @cached_property
    def _statement_of(self) -> dict[int, ast.stmt]:
        return _innermost(self.statements)

    @cached_property
    def _function_of(self) -> dict[int, FunctionNode]:
        return _innermost(self.functions)


def _innermost(nodes: Sequence[_Statement]) -> dict[int, _Statement]:
    """Maps each line to the innermost node that contains the line."""
    found: dict[int, _Statement] = {}
    outer_last = nodes[::-1]  # of nodes with the same lines, the outer one wins
    for node in sorted(outer_last, key=lambda n: (n.lineno, -(n.end_lineno or n.lineno))):
        found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node))
    return found
