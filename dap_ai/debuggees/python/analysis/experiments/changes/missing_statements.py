"""Generates statements that may be missing: a counter's step, the last part of a result, a default for None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import last_line, names_in
from dap_ai.debuggees.python.analysis.experiments.changes.change_kinds import (
    Scopes,
    SourceChange,
    in_place,
    line_change,
)
from dap_ai.debuggees.python.analysis.record.failure_check import BUILTINS
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_in, set_in

_GROWS = ("append", "add", "extend", "update")


def missing_statements(node: ast.stmt, scopes: Scopes, lines: list[str]) -> Iterator[SourceChange]:
    """Yield each change that adds code which may be missing at a statement."""
    match node:
        case ast.While():
            yield from _steps(node, lines)
        case ast.Return(value=ast.Name(id=result)):
            yield from _rest(node, result, scopes, lines)
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Name() as value):
            yield from _none_first(node, target, value, scopes)
        case _:
            return


def _steps(loop: ast.While, lines: list[str]) -> Iterator[SourceChange]:
    """Yield statements that change a variable by 1, if a loop's condition reads it and the body never changes it."""
    last = loop.body[-1]
    for name in sorted({*names_in(loop.test)} - {*set_in(*loop.body)})[:3]:
        for sign in ("+", "-"):
            yield _after(last, f"{' ' * last.col_offset}{name} {sign}= 1", lines)


def _rest(node: ast.Return, result: str, scopes: Scopes, lines: list[str]) -> Iterator[SourceChange]:
    """Yield statements before `return result` that add a last part, which a loop has collected, to the result."""
    pad = " " * node.col_offset
    function = scopes.function(node)
    for call in ast.walk(function):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _GROWS):
            continue
        holder = call.func.value
        if isinstance(holder, ast.Name) and holder.id == result and len(call.args) == 1 and call.lineno < node.lineno:
            text = ast.unparse(call)
            names = [name for name in names_in(call.args[0]) if name not in BUILTINS]
            if scopes.loop(call) and names:
                yield _before(node, f"{pad}if {names[0]}:\n{pad}    {text}", lines)
                yield _before(node, f"{pad}{text}", lines)
    for name in _filled(function):
        if name != result:
            yield _before(node, f"{pad}{result}.extend({name})", lines)
            yield _before(node, f"{pad}{result}.append({name})", lines)


def _filled(function: ast.AST) -> list[str]:
    """Return the names of collections that the function adds items to; at most three."""
    grown = (c.func for c in calls_in(function) if isinstance(c.func, ast.Attribute) and c.func.attr in _GROWS)
    return list(dict.fromkeys(each.value.id for each in grown if isinstance(each.value, ast.Name)))[:3]


def _none_first(node: ast.Assign, target: ast.Attribute, value: ast.Name, scopes: Scopes) -> Iterator[SourceChange]:
    """Yield changes of `self.x = x` that store an empty list or dict if the parameter `x` is None."""
    function = scopes.function(node)
    if isinstance(function, ast.FunctionDef) and value.id in [a.arg for a in function.args.args]:
        for empty in ("[]", "{}"):
            yield in_place("copy", node, f"{ast.unparse(target)} = {empty} if {value.id} is None else {value.id}")


def _before(node: ast.stmt, text: str, lines: list[str]) -> SourceChange:
    return line_change("missing", node.lineno, f"{text}\n{lines[node.lineno - 1]}", lines)


def _after(node: ast.stmt, text: str, lines: list[str]) -> SourceChange:
    last = last_line(node)
    return line_change("missing", last, f"{lines[last - 1]}\n{text}", lines)
