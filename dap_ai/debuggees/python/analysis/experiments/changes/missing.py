"""Statements that may have been forgotten: a `return`, the last part, a copy, a further case."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.experiments.changes.kinds import Change, Scopes, line_change
from dap_ai.debuggees.python.analysis.record.check import BUILTINS

_GROWS = ("append", "add", "extend", "update")


def missing_statements(node: ast.stmt, scopes: Scopes, lines: list[str]) -> Iterator[Change]:
    """Each statement that could be added next to this one."""
    match node:
        case ast.While():
            yield from _steps(node, lines)
        case ast.Return(value=ast.Name(id=result)):
            yield from _rest(node, result, scopes, lines)
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Name() as value):
            yield from _none_first(node, target, value, scopes)
        case _:
            return


def _steps(loop: ast.While, lines: list[str]) -> Iterator[Change]:
    """A loop that never moves one of the names of its test."""
    names = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    changed = {n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    last = loop.body[-1]
    for name in sorted(names - changed)[:3]:
        for sign in ("+", "-"):
            yield _after(last, f"{' ' * last.col_offset}{name} {sign}= 1", lines)


def _rest(node: ast.Return, result: str, scopes: Scopes, lines: list[str]) -> Iterator[Change]:
    """Before `return result`: what is still being filled when the loop ends goes into the result too."""
    pad = " " * node.col_offset
    function = scopes.function(node)
    for call in ast.walk(function):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _GROWS):
            continue
        holder = call.func.value
        if isinstance(holder, ast.Name) and holder.id == result and len(call.args) == 1 and call.lineno < node.lineno:
            text = ast.unparse(call)
            names = [n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name) and n.id not in BUILTINS]
            if scopes.loop(call) and names:
                yield _before(node, f"{pad}if {names[0]}:\n{pad}    {text}", lines)
                yield _before(node, f"{pad}{text}", lines)
    for name in _filled(function):
        if name != result:
            yield _before(node, f"{pad}{result}.extend({name})", lines)
            yield _before(node, f"{pad}{result}.append({name})", lines)


def _filled(function: ast.AST) -> list[str]:
    """Names of lists that the function appends to."""
    names = [
        n.func.value.id
        for n in ast.walk(function)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _GROWS
        and isinstance(n.func.value, ast.Name)
    ]
    return list(dict.fromkeys(names))[:3]


def _none_first(node: ast.Assign, target: ast.Attribute, value: ast.Name, scopes: Scopes) -> Iterator[Change]:
    """`self.x = x`, where `x` may be None: an empty list or dict of its own."""
    function = scopes.function(node)
    if isinstance(function, ast.FunctionDef) and value.id in [a.arg for a in function.args.args]:
        for empty in ("[]", "{}"):
            yield _whole(node, f"{ast.unparse(target)} = {empty} if {value.id} is None else {value.id}")


def _before(node: ast.stmt, text: str, lines: list[str]) -> Change:
    return line_change("missing", node.lineno, f"{text}\n{lines[node.lineno - 1]}", lines)


def _after(node: ast.stmt, text: str, lines: list[str]) -> Change:
    last = last_line(node)
    return line_change("missing", last, f"{lines[last - 1]}\n{text}", lines)


def _whole(node: ast.stmt, text: str) -> Change:
    return Change("copy", node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, text)
