"""Whether a loop waits, or hands control to code that may: then it is a service, and no mistake that it has no end."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.case.stack import Place
from dap_ai.agent.source.source import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_expressions
from dap_ai.debuggees.python.analysis.syntax.definitions import called_name
from dap_ai.debuggees.python.analysis.syntax.rounds import LOOKING, within

_Loop = ast.While | ast.For | ast.AsyncFor

_WAITING = frozenset(
    {
        *("sleep", "wait", "wait_for", "acquire", "input", "readline", "select", "poll", "pause", "sigwait"),
        *("accept", "recv", "recv_into", "recvfrom", "recv_bytes", "recv_multipart", "get_message", "handle_request"),
        *("serve_forever", "run_forever"),
    }
)
_WAITING_BARE = frozenset({"get", "join"})
"""Of a queue and a thread; with an argument, more often of a dict and a text."""
_AT_ONCE = LOOKING | {
    *("round", "sorted", "list", "tuple", "set", "dict", "frozenset", "range", "enumerate", "zip", "any", "all", "map"),
    *("filter", "reversed", "type", "hash", "iter", "chr", "ord", "divmod", "pow", "getattr", "setattr", "hasattr"),
}
_OF_CONTAINERS = frozenset(
    {
        *("append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "add", "discard", "update", "clear"),
        *("get", "keys", "values", "items", "index", "count", "copy", "union", "setdefault", "sort", "reverse"),
        *("startswith", "endswith", "strip", "split", "lower", "upper", "join", "replace", "format"),
    }
)
_KINDS = frozenset({"dict", "list", "set", "tuple", "str", "bytes", "int", "float", "bool"})
_MAX_DEPTH = 4


def waiting_call(block: Iterable[ast.stmt]) -> ast.Call | None:
    """The first call in it that is known to wait."""
    return next((call for call in _calls(within(block)) if waits(call)), None)


def waits(call: ast.Call) -> bool:
    """Whether its name is that of a function that waits: for time, input, another thread or process."""
    name = called_name(call)
    if name in _WAITING_BARE:
        return isinstance(call.func, ast.Attribute) and all(_is_flag(arg) for arg in call.args)
    return name in _WAITING


def goes_on_alone(place: Place, loop: _Loop) -> bool:
    """Whether a round calls nothing that may wait, ends the loop by an exception of its own, or hands control over."""
    return place.source is not None and _is_alone(place.source, place, loop.body, 0)


def setter_within(place: Place, name: str) -> ast.stmt | None:
    """The statement by which a function within the frame's own sets this variable of it, in another thread perhaps."""
    scope = place.scope
    for function in (n for n in ast.walk(scope) if isinstance(n, FunctionNode) and n is not scope) if scope else ():
        statements = list(within(function.body))
        if any(isinstance(s, ast.Nonlocal) and name in s.names for s in statements):
            return next((s for s in statements if name in bindings(s)), None)
    return None


def _calls(statements: Iterable[ast.stmt]) -> Iterator[ast.Call]:
    for statement in statements:
        for root in header_expressions(statement):
            yield from (node for node in ast.walk(root) if isinstance(node, ast.Call))


def _is_flag(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and isinstance(argument.value, bool)


def _is_alone(source: SourceFile, place: Place | None, block: Iterable[ast.stmt], depth: int) -> bool:
    statements = list(within(block))
    nodes = [node for s in statements for root in header_expressions(s) for node in ast.walk(root)]
    if any(isinstance(n, ast.Await | ast.Yield | ast.YieldFrom) for n in nodes):
        return False
    if any(isinstance(s, ast.AsyncFor | ast.AsyncWith | ast.With) for s in statements):
        return False  # a lock, a connection
    if depth and any(isinstance(s, ast.Raise) for s in statements):
        return False
    return all(_comes_back(source, place, n, depth) for n in nodes if isinstance(n, ast.Call))


def _comes_back(source: SourceFile, place: Place | None, call: ast.Call, depth: int) -> bool:
    name, func = called_name(call), call.func
    if waits(call) or depth >= _MAX_DEPTH:
        return False
    if isinstance(func, ast.Attribute):
        value = place.value(func.value) if place else None
        if value is not None and value.kind in _KINDS:
            return True
        if value is None and name in _OF_CONTAINERS:
            return True
    own = [f for f in source.functions if f.name == name]
    if own:
        return all(isinstance(f, ast.FunctionDef) and _is_alone(source, None, f.body, depth + 1) for f in own)
    return isinstance(func, ast.Name) and name in _AT_ONCE
