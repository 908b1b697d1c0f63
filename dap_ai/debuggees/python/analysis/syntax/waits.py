"""Checks whether a loop waits, or calls code that may wait. Such a loop is a service, and may run forever."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_nodes
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS, called_name, calls_by
from dap_ai.debuggees.python.analysis.syntax.rounds import LOOKING, within

_WAITING = frozenset({
    "sleep", "wait", "wait_for", "acquire", "input", "readline", "select", "poll", "pause", "sigwait", "accept", "recv",
    "recv_into", "recvfrom", "recv_bytes", "recv_multipart", "get_message", "handle_request", "serve_forever",
    "run_forever",
})  # fmt: skip
_WAITING_BARE = frozenset({"get", "join"})
"""Methods that wait for a queue or thread. With an argument, they are usually a dict's or a string's methods."""
_AT_ONCE = LOOKING | {
    *("round", "sorted", "list", "tuple", "set", "dict", "frozenset", "range", "enumerate", "zip", "any", "all", "map"),
    *("filter", "reversed", "type", "hash", "iter", "chr", "ord", "divmod", "pow", "getattr", "setattr", "hasattr"),
}
_OF_CONTAINERS = frozenset({
    "append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "add", "discard", "update", "clear", "get",
    "keys", "values", "items", "index", "count", "copy", "union", "setdefault", "sort", "reverse", "startswith",
    "endswith", "strip", "split", "lower", "upper", "join", "replace", "format",
})  # fmt: skip
_KINDS = frozenset({"dict", "list", "set", "tuple", "str", "bytes", "int", "float", "bool"})
_MAX_DEPTH = 4


def waiting_call(block: Iterable[ast.stmt]) -> ast.Call | None:
    """Return the first call in a block that is known to wait, or None."""
    return next((call for call in calls_by(*within(block)) if waits(call)), None)


def waits(call: ast.Call) -> bool:
    """Whether the call's name is that of a function that waits for time, input, another thread or a process."""
    name = called_name(call)
    if name in _WAITING_BARE:
        return isinstance(call.func, ast.Attribute) and all(
            isinstance(getattr(arg, "value", None), bool) for arg in call.args
        )
    return name in _WAITING


def goes_on_alone(place: FramePlace, loop: LOOPS) -> bool:
    """Whether an iteration makes no call that may wait, raise an exception to end the loop, or run unknown code."""
    return place.source is not None and _is_alone(place.source, place, loop.body, 0)


def setter_within(place: FramePlace, name: str) -> ast.stmt | None:
    """Return the statement in a nested function that sets this `nonlocal` variable, perhaps in a thread, or None."""
    scope = place.scope
    for function in (n for n in ast.walk(scope) if isinstance(n, FunctionNode) and n is not scope) if scope else ():
        statements = list(within(function.body))
        if any(isinstance(s, ast.Nonlocal) and name in s.names for s in statements):
            return next((s for s in statements if name in bindings(s)), None)
    return None


def _is_alone(source: SourceFile, place: FramePlace | None, block: Iterable[ast.stmt], depth: int) -> bool:
    statements = list(within(block))
    nodes = [node for s in statements for node in header_nodes(s)]
    if any(isinstance(n, ast.Await | ast.Yield | ast.YieldFrom) for n in nodes):
        return False
    if any(isinstance(s, ast.AsyncFor | ast.AsyncWith | ast.With) for s in statements):
        return False  # a lock, a connection
    if depth and any(isinstance(s, ast.Raise) for s in statements):
        return False
    return all(_comes_back(source, place, n, depth) for n in nodes if isinstance(n, ast.Call))


def _comes_back(source: SourceFile, place: FramePlace | None, call: ast.Call, depth: int) -> bool:
    name, func = called_name(call), call.func
    if waits(call) or depth >= _MAX_DEPTH:
        return False
    if isinstance(func, ast.Attribute):
        value = place.value(func.value) if place else None
        if value.kind in _KINDS if value else name in _OF_CONTAINERS:
            return True
    own = [f for f in source.functions if f.name == name]
    if own:
        return all(isinstance(f, ast.FunctionDef) and _is_alone(source, None, f.body, depth + 1) for f in own)
    return isinstance(func, ast.Name) and name in _AT_ONCE
