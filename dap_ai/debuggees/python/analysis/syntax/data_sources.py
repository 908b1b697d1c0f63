"""Finds the expressions that set an attribute, a dict key or a parameter. Matches functions and classes by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dap_ai.agent.source.indexing import once_per_node
from dap_ai.agent.source.source_file import ScopeNode, SourceFile
from dap_ai.agent.source.statements import header_nodes, own_statements
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, scopes_in
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver, argument_at, argument_for
from dap_ai.protocol.contracts.inspection import Value

MAX_GIVERS = 6
"""Maximum number of sources; with more, each source is weak evidence."""


class DataSource(NamedTuple):
    """An expression that gives a value to an attribute, a key or a parameter."""

    scope: FunctionScope
    statement: ast.stmt
    value: ast.expr


def of_field(resolver: Resolver, attribute: str, holder: Value | None, given: Value | None) -> list[DataSource]:
    """Return the arguments that set a declared field of a dataclass, a NamedTuple or a `namedtuple(...)`.

    `holder`: the object with the field; None matches every class. `given`: the field's value; None if unknown.
    """
    wanted = holder.type.rpartition(".")[2] if holder else ""
    positions = {
        name: fields.index(attribute)
        for source in resolver.files()
        for name, fields in _declared(source)
        if attribute in fields and wanted in ("", name)
    }
    found = (
        DataSource(scope, statement, value)
        for scope, statement, call in _calls(resolver)
        if (name := called_name(call)) in positions
        and (value := argument_at(call, attribute, positions[name])) is not None
    )
    return _few(found, given)


def of_key(resolver: Resolver, key: str, holder: Value | None, given: Value | None) -> list[DataSource]:
    """Return the values of a key in the dict literals whose keys all occur in the dict `holder`."""
    keys = set(holder.keys or []) if holder and holder.kind == "dict" else set[str]()
    found = (
        DataSource(scope, statement, value)
        for scope, statement, node in _nodes(resolver)
        if isinstance(node, ast.Dict)
        for display in [_display(node)]
        if key in display and display.keys() <= keys
        for value in [display[key]]
    )
    return _few(found, given)


def of_parameter(resolver: Resolver, callee: FunctionScope, parameter: str) -> list[DataSource]:
    """Return the arguments for a parameter in the calls of a function, matched by the function's name."""
    found = (
        DataSource(scope, statement, value)
        for scope, statement, call in calls_of(resolver, callee)
        if (value := argument_for(call, callee, parameter)) is not None
    )
    return _few(found, None)


def calls_of(resolver: Resolver, callee: FunctionScope) -> Iterator[tuple[FunctionScope, ast.stmt, ast.Call]]:
    """Yield (scope, statement, call) for each call of a function, matched by name: `__init__` by its class's name."""
    return (found for found in _calls(resolver) if called_name(found[2]) == callee.called_as)


def _few(found: Iterator[DataSource], given: Value | None) -> list[DataSource]:
    """Return the sources that can have given the value; empty if there are more than `MAX_GIVERS`."""
    kept = [giver for giver in found if not _is_another(giver.value, given)]
    return kept if len(kept) <= MAX_GIVERS else []


def _is_another(value: ast.expr, given: Value | None) -> bool:
    return given is not None and isinstance(value, ast.Constant) and repr(value.value) != given.text


def prepare(source: SourceFile) -> None:
    """Cache the calls and dict literals in a file's functions, which every search for data sources reads."""
    for scope in scopes_in(source):
        _origins_in(scope)


def _nodes(resolver: Resolver) -> Iterator[tuple[FunctionScope, ast.stmt, ast.Call | ast.Dict]]:
    places = {(p.source.path, id(p.scope)): p for p in reversed(resolver.places) if p.source}
    for source in resolver.files():
        for node in scopes_in(source):
            scope = FunctionScope(source, node, places.get((source.path, id(node))))
            for statement, inner in _origins_in(node):
                yield scope, statement, inner


@once_per_node
def _origins_in(scope: ScopeNode) -> Sequence[tuple[ast.stmt, ast.Call | ast.Dict]]:
    """Return the calls and dict literals in a function or module, without those in nested functions."""
    return [
        (statement, inner)
        for statement in own_statements(scope)
        for inner in header_nodes(statement)
        if isinstance(inner, ast.Call | ast.Dict)
    ]


def _calls(resolver: Resolver) -> Iterator[tuple[FunctionScope, ast.stmt, ast.Call]]:
    for scope, statement, node in _nodes(resolver):
        if isinstance(node, ast.Call):
            yield scope, statement, node


def _declared(source: SourceFile) -> Iterator[tuple[str, list[str]]]:
    """Yield (name, field names) for each class that declares fields without an `__init__`, and each `namedtuple`."""
    for owner in source.classes:
        has_init = any(isinstance(s, ast.FunctionDef) and s.name == "__init__" for s in owner.body)
        fields = [s.target.id for s in owner.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
        if fields and not has_init:
            yield owner.name, fields
    for statement in source.tree.body if source.tree else []:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[_, fields]) as call) if (
                called_name(call) == "namedtuple"
            ):
                yield name, _names(fields)
            case _:
                pass


def _names(node: ast.expr) -> list[str]:
    """Return the field names in a `namedtuple` argument: `"a b, c"` or `["a", "b", "c"]`."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ".join(texts).replace(",", " ").split()


def _display(node: ast.Dict) -> dict[str, ast.expr]:
    """Map the repr of each constant key in a dict literal to the key's value expression."""
    pairs = zip(node.keys, node.values, strict=True)
    return {repr(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
