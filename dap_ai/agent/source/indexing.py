"""What stands where in a Python file: found in one walk of its tree. Lines are 1-based."""

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
    """What `find` finds in a node's text, kept as long as the node: callers share it, and must not change it.

    It must not hold the node itself, which would live for ever then.
    """
    kept: WeakKeyDictionary[_Node, _Found] = WeakKeyDictionary()

    @wraps(find)
    def found(node: _Node) -> _Found:
        thread_pool.check()  # all analysis comes by here, again and again
        if node not in kept:
            kept[node] = find(node)
        return kept[node]

    return found


@once_per_node
def nodes_below(node: ast.AST) -> Sequence[ast.AST]:
    """All nodes below one, outer ones first; not itself, or it would be kept for ever."""
    return tuple(ast.walk(node))[1:]


class Index:
    """A file's nodes by kind, line and name. It lives as long as the tree, and never changes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.nodes: Sequence[ast.AST] = [tree, *nodes_below(tree)]
        """All of them, outer ones first."""
        self.statements: list[ast.stmt] = [n for n in self.nodes if isinstance(n, ast.stmt)]
        self.functions: list[FunctionNode] = [n for n in self.statements if isinstance(n, FunctionNode)]
        self.classes: list[ast.ClassDef] = [n for n in self.statements if isinstance(n, ast.ClassDef)]

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that holds the line."""
        return self._statement_of.get(line)

    def function_at(self, line: int) -> FunctionNode | None:
        """The innermost function that holds the line; None: the module."""
        return self._function_of.get(line)

    def function_named(self, name: str, within: ast.AST) -> FunctionNode | None:
        """The outermost function of this name below a node."""
        first, last = getattr(within, "lineno", 0), getattr(within, "end_lineno", None) or sys.maxsize
        found = (f for f in self._by_name.get(name, ()) if f is not within and first <= f.lineno <= last)
        return next(found, None)

    @cached_property
    def owners(self) -> dict[ast.AST, ast.ClassDef]:
        """The class that a method stands in."""
        return {node: owner for owner in self.classes for node in owner.body if isinstance(node, FunctionNode)}

    @cached_property
    def top(self) -> dict[str, FunctionNode | ast.ClassDef]:
        """The module's own functions and classes by name; of several the first."""
        found: dict[str, FunctionNode | ast.ClassDef] = {}
        for statement in self.tree.body:
            if isinstance(statement, FunctionNode | ast.ClassDef):
                found.setdefault(statement.name, statement)
        return found

    @cached_property
    def modules(self) -> dict[str, str]:
        """The module that `import` binds to a name, anywhere in the file; of several the first."""
        found: dict[str, str] = {}
        for statement in self.statements:
            for alias in statement.names if isinstance(statement, ast.Import) else ():
                found.setdefault(alias.asname or alias.name, alias.name)
        return found

    @cached_property
    def imported(self) -> dict[str, tuple[ast.ImportFrom, str]]:
        """The statement that binds a name by `from ... import`, and the name it has there; of several the first."""
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
    """Of each line the node that begins last, and of those the one that ends first."""
    found: dict[int, _Statement] = {}
    outer_last = nodes[::-1]  # of nodes with the same lines, the outer one has always been the answer
    for node in sorted(outer_last, key=lambda n: (n.lineno, -(n.end_lineno or n.lineno))):
        found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node))
    return found
