"""Iterators that are used again after they are exhausted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, header_expressions, header_nodes, own_statements
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import (
    Claim,
    RuleContext,
    SuspectedMistake,
    is_bound_once,
    swap,
)
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import (
    COMPREHENSIONS,
    called_name,
    can_follow,
    can_repeat,
    is_call,
    loops_around,
    yields,
)
from dap_ai.debuggees.python.analysis.syntax.resolving import argument_for
from dap_ai.system.texts import code

_MAKERS = frozenset({"map", "filter", "zip", "iter", "reversed", "enumerate"})
_READERS = frozenset({"reader", "DictReader"})
_WHOLE = frozenset({"sum", "list", "tuple", "set", "frozenset", "dict", "sorted", "min", "max", "Counter", "fsum"})
_IN_PART = frozenset({"any", "all"})
_WALKS = ast.ListComp | ast.SetComp | ast.DictComp
_LEAVES = ast.Break | ast.Return

Use = tuple[ast.stmt, ast.expr, bool]
"""(statement that consumes an iterator, expression in it, whether it reads to the end)."""


def exhausted(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find iterators that are used again, later or in a loop's next iteration, after they were read to the end."""
    for statement in scope.statements():
        for name, value in _made(statement).items():
            if not _is_lazy(value, scope, view) or not is_bound_once(scope, name):
                continue
            uses = list(_walks(scope, name, view))
            reason = _twice(scope, name, uses) or _each_round(scope, statement, name, uses)
            if reason:
                edit = swap(scope.source, value, f"list({ast.unparse(value)})")
                claims = [Claim(name, "iterator")]
                # A caller of `next` may want to check whether anything is left.
                weight = WEIGHTS.fair if _is_stepped(scope, name) else WEIGHTS.sure
                yield SuspectedMistake(
                    scope, statement.lineno, weight, reason, "exhausted iterator", edit=edit, claims=claims
                )


def _is_stepped(scope: FunctionScope, name: str) -> bool:
    calls = (node for statement in scope.statements() for node in header_nodes(statement) if is_call(node, "next"))
    return any(isinstance(call, ast.Call) and call.args and _source(call.args[0]) == name for call in calls)


def _made(statement: ast.stmt) -> dict[str, ast.expr]:
    """Return {name: value} for an assignment to a plain name, else {}. Unpacking does not bind the iterator itself."""
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return {name: value}
        case _:
            return {}


def _is_lazy(value: ast.expr, scope: FunctionScope, view: RuleContext) -> bool:
    match value:
        case ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id=name)) if name in _MAKERS | _READERS:
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="csv"), attr=name)) if name in _READERS:
            return True
        case ast.Call():
            callees = view.resolver.callees(value, scope)
            return bool(callees) and all(_gives_iterator(callee.node) for callee in callees)
        case _:
            return False


def _gives_iterator(node: ast.AST) -> bool:
    """Whether a function without decorators is a generator function or returns only generators."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    if any(yields(*header_expressions(statement)) for statement in own_statements(node)):
        return True
    results = [s.value for s in own_statements(node) if isinstance(s, ast.Return)]
    return bool(results) and all(isinstance(result, ast.GeneratorExp) for result in results)


def _walks(scope: FunctionScope, name: str, view: RuleContext) -> Iterator[Use]:
    """Yield the uses that certainly consume the iterator.

    Skips uses that may leave items: `next(name)`, `zip(name, ...)` and unknown calls.
    """
    for statement in scope.statements():
        if isinstance(statement, FunctionNode | ast.ClassDef):
            continue
        if isinstance(statement, ast.For) and _source(statement.iter) == name:
            whole = not any(isinstance(s, _LEAVES) for s in own_statements(statement))
            yield statement, statement.iter, whole
        for node in header_nodes(statement):
            if isinstance(node, COMPREHENSIONS):
                walked = node.generators if isinstance(node, _WALKS) else node.generators[1:]
                yield from ((statement, g.iter, True) for g in walked if _source(g.iter) == name)
            elif isinstance(node, ast.Call):
                yield from ((statement, a, whole) for a, whole in _consumed(node, scope, view) if _source(a) == name)


def _source(node: ast.expr) -> str:
    """Return the name of the iterator that an expression consumes, or an empty string.

    For example, `enumerate(f(x) for x in xs)` consumes `xs`.
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return _source(inner)
        case ast.Call(func=ast.Name(id="map" | "filter"), args=[_, inner]):
            return _source(inner)
        case ast.GeneratorExp(generators=[first, *_]):
            return _source(first.iter)
        case _:
            return ""


def _consumed(call: ast.Call, scope: FunctionScope, view: RuleContext) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each argument that the call consumes, and whether the call reads it to the end."""
    name = called_name(call)
    first = call.args[0] if len(call.args) == 1 else None
    if first and isinstance(call.func, ast.Name) and name in _WHOLE | _IN_PART:
        yield first, name in _WHOLE
    elif first and isinstance(call.func, ast.Attribute) and name in ("join", "extend"):
        yield first, True
    else:
        for callee in view.resolver.callees(call, scope):
            for parameter in _walked_over(callee):
                argument = argument_for(call, callee, parameter)
                if isinstance(argument, ast.Name):
                    yield argument, True


def _walked_over(callee: FunctionScope) -> Iterator[str]:
    """Yield the parameters that every call of the function reads to the end before it rebinds them."""
    if not isinstance(callee.node, ast.FunctionDef) or _gives_iterator(callee.node):
        return
    names = {p.arg for p in callee.parameters}
    for statement in callee.node.body:
        yield from (name for node in _walked_in(statement) if (name := _source(node)) in names)
        names -= set(bindings(statement))
        if isinstance(statement, ast.Return | ast.Raise):
            return


def _walked_in(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions that a statement iterates to the end by itself, not through a user function."""
    if isinstance(statement, ast.For) and not any(isinstance(s, _LEAVES) for s in own_statements(statement)):
        yield statement.iter
    for node in header_nodes(statement):
        if isinstance(node, _WALKS):
            yield node.generators[0].iter
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WHOLE:
            yield from node.args[:1] if len(node.args) == 1 else ()


def _twice(scope: FunctionScope, name: str, uses: list[Use]) -> str:
    for first, node, whole in uses:
        for second, other, _ in uses if whole else ():
            later = (other.lineno, other.col_offset) > (node.end_lineno or 0, node.end_col_offset or 0)
            if later and can_follow(scope.node, first, second):
                where = "" if other.lineno == node.lineno else f"in line {other.lineno} "
                empties = f"line {node.lineno} empties it, the next use {where}finds nothing left"
                return f"{code(name)} is an iterator: {empties}"
    return ""


def _each_round(scope: FunctionScope, made: ast.stmt, name: str, uses: list[Use]) -> str:
    for statement, node, whole in uses:
        around = [loop for loop in loops_around(scope.node, statement) if loop not in loops_around(scope.node, made)]
        repeats = any(can_repeat(loop, statement) for loop in around) or _is_in_rounds(statement, node)
        if whole and repeats:
            told = f"the first iteration empties it in line {node.lineno}, the next finds nothing"
            return f"{code(name)} is an iterator: {told}"
    return ""


def _is_in_rounds(statement: ast.stmt, use: ast.expr) -> bool:
    """Whether the use is inside a comprehension that evaluates it in each iteration."""
    around = (n for n in header_nodes(statement) if isinstance(n, COMPREHENSIONS))
    return any(_holds(n, use) and n is not use and not _holds(n.generators[0].iter, use) for n in around)


def _holds(node: ast.expr, part: ast.expr) -> bool:
    return any(each is part for each in ast.walk(node))


RULES = [exhausted]
