"""Checks whether code only reads: it calls only builtins, methods and functions of its file that change nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import bound
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import bindings, nodes_in
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_in
from dap_ai.debuggees.python.analysis.syntax.rounds import LOOKING

_BUILTINS = LOOKING | {"round", "sorted", "list", "tuple", "set", "dict", "range", "enumerate", "zip", "any", "all"}
_OF_CONTAINERS = ("get", "keys", "values", "items", "index", "count", "copy", "union")
_OF_TEXTS = ("startswith", "endswith", "strip", "split", "lower", "upper", "join")
_READING = frozenset([*_OF_CONTAINERS, *_OF_TEXTS])
"""Names of methods that change nothing."""
_PLAIN = ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.If | ast.Expr | ast.Pass
_LITERAL = ast.Dict | ast.List | ast.Set | ast.Tuple | ast.Constant | ast.JoinedStr
_KINDS = frozenset({"dict", "list", "set", "tuple", "str", "bytes", "range"})
_HIDDEN = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda
_MAX_DEPTH = 4


def only_reads(source: SourceFile | None, parts: Iterable[ast.AST], place: FramePlace) -> bool:
    """Whether code parts call only code that changes nothing. `place`: the frame whose function has the parts."""
    local = set(bound(place.facts)) if place.function else set[str]()
    return source is not None and _only_reads(_Scope(source, local, place, 0), parts)


@dataclass(frozen=True)
class _Scope:
    """The scope of a piece of code. `local`: names of the scope's local variables."""

    source: SourceFile
    local: set[str]
    place: FramePlace | None
    depth: int


def _only_reads(scope: _Scope, parts: Iterable[ast.AST]) -> bool:
    parts = list(parts)
    is_hidden = any(isinstance(n, _HIDDEN) for n in nodes_in(*parts))
    return not is_hidden and all(_reads(scope, call) for call in calls_in(*parts))


def _reads(scope: _Scope, call: ast.Call) -> bool:
    source = scope.source
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _READING and _is_known(scope, call.func.value)
    if not isinstance(call.func, ast.Name) or source.tree is None or call.func.id in scope.local:
        return False
    name = call.func.id
    setters = [s for s in source.tree.body if name in bindings(s)]
    if not setters:
        return name in _BUILTINS
    function = setters[0]
    return len(setters) == 1 and isinstance(function, ast.FunctionDef) and _is_reader(source, function, scope.depth)


def _is_reader(source: SourceFile, function: ast.FunctionDef, depth: int) -> bool:
    nodes = nodes_in(*function.body)
    is_plain = all(isinstance(n, _PLAIN) for n in nodes if isinstance(n, ast.stmt))
    if depth >= _MAX_DEPTH or function.decorator_list or not is_plain:
        return False
    stores = [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store | ast.Del)]
    arguments = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    own = arguments | {n.id for n in stores if isinstance(n, ast.Name)}
    sets_names = all(isinstance(n, ast.Name | ast.Tuple) for n in stores)
    return sets_names and _only_reads(_Scope(source, own, None, depth + 1), function.body)


def _is_known(scope: _Scope, node: ast.expr) -> bool:
    """Whether the expression's type is a known builtin: by its value in the frame, or by a literal in the source."""
    value = scope.place.value(node) if scope.place else None
    if value is not None:
        return value.kind in _KINDS and "." not in value.type
    if not isinstance(node, ast.Name):
        return isinstance(node, _LITERAL)
    tree = scope.source.tree
    setters = [s for s in tree.body if node.id in bindings(s)] if tree and node.id not in scope.local else []
    once = setters[0] if len(setters) == 1 else None
    return isinstance(once, ast.Assign | ast.AnnAssign) and isinstance(once.value, _LITERAL)
