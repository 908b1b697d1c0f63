"""Functions that return None where a value is expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, last_line, own_statements
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import (
    Claim,
    RuleContext,
    SourceEdit,
    SuspectedMistake,
    expressions,
    is_stub,
)
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, control_tests
from dap_ai.debuggees.python.analysis.syntax.nodes import is_call, is_none, yields
from dap_ai.system.texts import code

IMPLICIT_NONE = "implicit None"
_IN_PLACE = frozenset(
    ["sort", "reverse", "append", "extend", "insert", "update", "clear", "add", "discard", "shuffle", "setdefault_"]
)

_CONTAINERS = frozenset(["list", "dict", "set", "sorted", "bytearray", "deque", "Counter", "defaultdict"])
_GIVES_CONTAINER = frozenset(["copy", "split", "rsplit", "splitlines", "readlines"])


def implicit_none(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find functions in which some paths return no value, or no path does although a caller uses the result."""
    node = scope.node
    if not isinstance(node, FunctionNode) or node.name.startswith("__"):
        return
    if scope.place is not None:
        return  # not returned yet
    if yields(node) or is_stub(node) or not _falls_through(node.body):
        return
    suspicious = _none_matters(view) and scope.key() in view.slice.scopes
    results = [s for s in own_statements(node) if isinstance(s, ast.Return) and s.value and not is_none(s.value)]
    if results:
        weight = WEIGHTS.sure if suspicious else WEIGHTS.faint
        for result in results:
            tests = [test for test, _ in control_tests(node, result.lineno) if isinstance(test, ast.If)]
            if tests:
                reason = f"{code(scope.name)} returns `None` when this test never holds: its end has no `return`"
                yield SuspectedMistake(scope, tests[0].lineno, weight, reason, IMPLICIT_NONE)
        reason = f"{code(scope.name)} returns `None` when no `return` is reached"
        yield SuspectedMistake(scope, node.lineno, min(weight, WEIGHTS.likely), reason, IMPLICIT_NONE)
    elif _result_used(scope, view):
        made, end = _made(node), last_line(node)
        rows = [scope.source.line(end), f"{' ' * (node.col_offset + 4)}return {made}"]
        edit = SourceEdit(scope.source, end, end, rows) if made else None
        reason = f"{code(scope.name)} has no `return`, but its result is used"
        weight = WEIGHTS.sure if suspicious else WEIGHTS.possible
        yield SuspectedMistake(scope, node.body[-1].lineno, weight, reason, "missing return", edit=edit)


def _is_known(method: ast.Attribute) -> bool:
    """Whether a method's receiver may be a container.

    False if the receiver is the result of an unknown call, as in `self.made().update()`.
    """
    match method.value:
        case ast.Call(func=ast.Name(id=name)):
            return name in _CONTAINERS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _GIVES_CONTAINER
        case _:
            return True


def in_place(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `x = y.sort()`: in-place methods return None."""
    for statement, node in expressions(scope):
        value = statement.iter if isinstance(statement, ast.For) else getattr(statement, "value", None)
        if node is not value or not isinstance(statement, ast.Assign | ast.Return | ast.For):
            continue
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as func, args=args) if method in _IN_PLACE and len(args) <= 2:
                claims = [Claim(n, "none") for n in bindings(statement) if isinstance(statement, ast.Assign)]
                reason = f"{code(f'.{method}()')} of a builtin type changes its object in place and returns `None`"
                weight = WEIGHTS.likely if _none_matters(view) else WEIGHTS.possible
                if _is_known(func) and not view.resolver.callees(node, scope):
                    yield SuspectedMistake(scope, node.lineno, weight, reason, "in-place None", claims=claims)
            case _:
                pass


def _none_matters(view: RuleContext) -> bool:
    error = view.case.exception
    return bool(error and "NoneType" in error.message) or any("`None`" in s for s in view.diagnosis.sentences)


def _falls_through(body: list[ast.stmt]) -> bool:
    match body[-1]:
        case ast.Return() | ast.Raise():
            return False
        case ast.If(body=one, orelse=other):
            return not other or _falls_through(one) or _falls_through(other)
        case ast.With(body=inner):
            return _falls_through(inner)
        case ast.While(test=ast.Constant(value=True)):
            return False
        case ast.Try(body=inner, handlers=handlers, orelse=other, finalbody=final):
            if final and not _falls_through(final):
                return False
            return _falls_through(other or inner) or any(_falls_through(h.body) for h in handlers)
        case ast.Match(cases=cases):
            return any(_falls_through(c.body) for c in cases)
        case _:
            return True


def _result_used(scope: FunctionScope, view: RuleContext) -> bool:
    name, awaited = getattr(scope.node, "name", ""), isinstance(scope.node, ast.AsyncFunctionDef)
    return any(
        is_call(node, name) and _keeps(statement, node, awaited=awaited) and _is_to(node, scope, other, view)
        for other, _ in view.scopes.values()
        for statement, node in expressions(other)
    )


def _is_to(call: ast.expr, callee: FunctionScope, caller: FunctionScope, view: RuleContext) -> bool:
    """Whether the call runs this function and not another of the same name."""
    found = view.resolver.callees(call, caller) if isinstance(call, ast.Call) else []
    return [scope.key() for scope in found] == [callee.key()]


def _keeps(statement: ast.stmt, call: ast.expr, *, awaited: bool) -> bool:
    """Whether the statement uses the call's result; for a coroutine, its awaited result."""
    if not awaited:
        return not (isinstance(statement, ast.Expr) and statement.value is call)
    kept = isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.Await)
    return kept and any(node is call for node in ast.walk(statement))


def _made(node: FunctionNode) -> str:
    """Return the name of the variable in which the function seems to build its result, or an empty string."""
    first = next((s for s in node.body if isinstance(s, ast.Assign) and _is_empty(s.value)), None)
    return next(iter(bindings(first)), "") if first else ""


def _is_empty(node: ast.expr) -> bool:
    return (
        (isinstance(node, ast.Constant) and node.value in (0, 1, "", 0.0))
        or (isinstance(node, ast.List | ast.Dict | ast.Tuple) and not ast.unparse(node).strip("[](){}"))
        or (isinstance(node, ast.Call) and ast.unparse(node) in ("set()", "dict()", "list()"))
    )


RULES = [implicit_none, in_place]
