"""Finds the conditions in a function's source that can end it before it calls itself again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import body_fields, last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import COMPREHENSIONS, LEAVES, called_name, calls_in, is_within

_OPAQUE = ast.Try | ast.With | ast.AsyncWith | ast.Match


@dataclass(frozen=True)
class Guard:
    """A condition on the next recursive call. `ends`: the truth value that prevents the call. `line`: 1-based."""

    test: ast.expr
    ends: bool
    line: int


@dataclass
class Guards:
    """The conditions between a function's start and its next recursive call that can prevent the call."""

    tests: list[Guard] = field(default_factory=list[Guard])
    loops: list[ast.expr] = field(default_factory=list[ast.expr])
    """Iterables of loops and comprehensions around the call, and `while` tests. An empty or false one prevents the
    call."""
    opaque: bool = False
    """Whether code that is not analysed may also end the function."""

    @property
    def none(self) -> bool:
        """Whether the next call is always made."""
        return not (self.tests or self.loops or self.opaque)


def guards_of(function: FunctionNode, line: int, names: frozenset[str]) -> Guards:
    """Return the guards of the call at `line` to one of `names`, which are unqualified function names."""
    found = Guards()
    block: list[ast.stmt] = function.body
    while block:
        at = next((s for s in block if s.lineno <= line <= last_line(s)), None)
        if at is None:
            found.opaque = True
            return found
        for before in block[: block.index(at)]:
            _before(before, found, names)
        inner = next((b for b in body_fields(at) if is_within(line, b)), None)
        if inner is None:
            _within(at, found, line, names)
            return found
        _around(at, inner, found)
        block = inner
    return found


def recursive_calls(node: ast.AST, names: frozenset[str]) -> Iterator[ast.Call]:
    """Return the calls inside a node to functions with these unqualified names."""
    return (call for call in calls_in(node) if called_name(call) in names)


def _before(statement: ast.stmt, found: Guards, names: frozenset[str]) -> None:
    """Add the guards of a statement that precedes the call."""
    if not any(isinstance(node, LEAVES) for node in ast.walk(statement)):
        return
    if not isinstance(statement, ast.If):
        found.opaque |= not isinstance(statement, FunctionNode | ast.ClassDef)
        return
    if _leaves(statement.body, names):
        found.tests.append(Guard(statement.test, ends=True, line=statement.lineno))
        nested = statement.orelse
    elif _leaves(statement.orelse, names):
        found.tests.append(Guard(statement.test, ends=False, line=statement.lineno))
        nested = statement.body
    else:
        nested = [*statement.body, *statement.orelse]
    for inner in nested:
        if isinstance(inner, ast.If) and inner in statement.orelse and len(statement.orelse) == 1:
            _before(inner, found, names)  # elif
        else:
            found.opaque |= any(isinstance(node, LEAVES) for node in ast.walk(inner))


def _leaves(block: list[ast.stmt], names: frozenset[str]) -> bool:
    """Whether a block leaves the function or a loop without a call to one of `names`."""
    if not block or not isinstance(block[-1], LEAVES):
        return False
    return not any(True for statement in block for _ in recursive_calls(statement, names))


def _around(statement: ast.stmt, inner: list[ast.stmt], found: Guards) -> None:
    """Add the guard of a statement that contains the call in one of its blocks."""
    if isinstance(statement, ast.If):
        found.tests.append(Guard(statement.test, ends=inner is not statement.body, line=statement.lineno))
    elif isinstance(statement, ast.For | ast.AsyncFor):
        found.loops.append(statement.iter)
    elif isinstance(statement, ast.While):
        found.loops.append(statement.test)
    else:
        found.opaque = True


def _within(statement: ast.stmt, found: Guards, line: int, names: frozenset[str]) -> None:
    """Add the guards in the expressions around the call in its own statement."""
    if isinstance(statement, _OPAQUE):
        found.opaque = True
    calls = [call for call in recursive_calls(statement, names) if call.lineno <= line <= last_line(call)]
    paths = [path for call in calls[:1] if (path := _path_to(statement, call))]
    if not paths:  # called by an attribute, an operator or a library function
        unsure = ast.IfExp | ast.BoolOp | ast.Lambda | COMPREHENSIONS
        found.opaque |= any(isinstance(node, unsure) for node in ast.walk(statement))
        return
    for outer, inner in zip(paths[0], paths[0][1:], strict=False):
        _outside(outer, inner, found)


def _outside(outer: ast.AST, inner: ast.AST, found: Guards) -> None:
    if isinstance(outer, ast.IfExp) and inner is not outer.test:
        found.tests.append(Guard(outer.test, ends=inner is outer.orelse, line=outer.lineno))
    elif isinstance(outer, ast.BoolOp) and inner is not outer.values[0]:
        ends = isinstance(outer.op, ast.Or)
        before = outer.values[: outer.values.index(inner)] if isinstance(inner, ast.expr) else []
        found.tests += [Guard(value, ends=ends, line=value.lineno) for value in before]
    elif isinstance(outer, COMPREHENSIONS):
        found.loops += [generator.iter for generator in outer.generators if generator is not inner]
        tests = [test for generator in outer.generators for test in generator.ifs]
        found.opaque |= bool(tests)
    elif isinstance(outer, ast.Lambda):
        found.opaque = True


def _path_to(root: ast.AST, wanted: ast.AST) -> list[ast.AST]:
    """Return the nodes from the root down to `wanted`, both included; empty if `wanted` is not below the root."""
    if root is wanted:
        return [root]
    for child in ast.iter_child_nodes(root):
        if path := _path_to(child, wanted):
            return [root, *path]
    return []
