"""Finds where an attribute or item was set (a statement or a literal), or else what it was read from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import bindings, mutations, own_statements
from dap_ai.debuggees.python.analysis.syntax import data_sources
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, scopes_in
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from dap_ai.debuggees.python.analysis.value_path.expression_operands import literal_of
from dap_ai.debuggees.python.analysis.value_path.name_sources import Names
from dap_ai.debuggees.python.analysis.value_path.path_spots import PathSpot, PathValues, Source
from dap_ai.debuggees.python.analysis.value_path.recorded_values import RecordedValue

_Writer = tuple[FunctionScope, ast.stmt, list[ast.expr]]


class ItemSources:
    """Finds the sources of attributes and items."""

    def __init__(self, resolver: Resolver, values: PathValues, names: Names) -> None:
        self._resolver = resolver
        self._values = values
        self._recorded = values.recorded
        self._names = names

    def attribute(self, node: ast.Attribute, spot: PathSpot, given: RecordedValue | None) -> Source | None:
        """Return the source of an attribute; None for a module's attribute."""
        holder, value = self._values.live(node.value, spot), self._values.live(node, spot)
        if holder is not None and holder.kind == "module":
            return None
        known = self._values.of(node, spot) or given
        fields = data_sources.of_field(self._resolver, node.attr, holder, value)
        writers = [w for w in self._resolver.writers(node.attr) if self._recorded.ran(w[0], w[1]) is not False]
        if len(fields) == 1 and not writers:
            scope, _, argument = fields[0]
            return Source(PathSpot(scope, argument.lineno, self._recorded.of(scope)[:1]), "passed", argument, known)
        if len(writers) == 1 and not fields and isinstance(writers[0][1], ast.Assign) and len(writers[0][2]) == 1:
            return self._written(writers[0], known)
        count = len(writers) + len(fields)
        is_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        note = f"set in one of {count} lines: which of them is not known" if count > 1 else ""
        return Source(spot, "read", note=note, holders=[] if is_self or count else [node.value])

    def _written(self, writer: _Writer, known: RecordedValue | None) -> Source:
        """Return the source for the only statement that writes the attribute, in the call that received this value."""
        scope, statement, (value,) = writer
        calls = self._recorded.of(scope)
        if len(calls) > 1 and isinstance(value, ast.Name) and known:
            told = ((n, self._recorded.argument((n,), value.id)) for n in calls)
            calls = tuple(n for n, argument in told if argument and argument.text == known.text)
        return Source(PathSpot(scope, statement.lineno, calls if len(calls) == 1 else ()), "set", value, known)

    def item(self, node: ast.Subscript, spot: PathSpot) -> Source:
        """Return the source of an item such as `d[key]`."""
        known, root = self._values.of(node, spot), node.value
        if isinstance(root, ast.Name):
            stored = list(self._stored(root.id, node, spot))
            if len(stored) == 1:
                statement, value = stored[0]
                if known and literal_of(value) and ast.unparse(value) != known.text:
                    return Source(spot, "read", note="set elsewhere, too")
                is_part = isinstance(statement, ast.AugAssign)
                return Source(spot.at(statement.lineno), "set", value, is_part=is_part)
            source = self._names.of(root.id, spot, None) if not stored else None
            if source and source.step == "set" and (entry := self._entry(source, node.slice, spot)) is not None:
                return Source(source.spot.at(entry.lineno), "set", entry, known)
        index = [] if isinstance(node.slice, ast.Constant | ast.Slice) else [node.slice]
        return Source(spot, "read", holders=[root, *index])

    def gotten(self, call: ast.Call, spot: PathSpot) -> Source | None:
        """Return the source of `d.get(key)` if `d` is set to a literal in the source; None for any other call."""
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[key, *_]):
                source = self._names.of(name, spot, None)
            case _:
                return None
        entry = self._entry(source, key, spot) if source and source.step == "set" else None
        return Source(source.spot.at(entry.lineno), "set", entry) if source and entry is not None else None

    def _stored(self, name: str, node: ast.Subscript, spot: PathSpot) -> Iterator[tuple[ast.stmt, ast.expr]]:
        """Yield the statements that set exactly this item, as in `d[key] = value`, each with the value."""
        text = ast.unparse(ast.Subscript(node.value, node.slice, ast.Load()))
        for statement in spot.scope.statements():
            if not isinstance(statement, ast.Assign | ast.AugAssign) or statement.lineno == spot.line:
                continue
            if any(root == name and place == text for root, place, _ in mutations(statement)):
                yield statement, statement.value

    def _entry(self, source: Source, index: ast.expr, spot: PathSpot) -> ast.expr | None:
        """Return the entry of a dict, list or tuple literal at an index; None if unknown or if it is changed later."""
        key = self._values.of(index, spot)
        if key is None or key.rounds != 1 or _is_changed(source):
            return None
        match source.made_of:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                found = [v for k, v in pairs if isinstance(k, ast.Constant) and repr(k.value) == key.text]
                return found[-1] if found and None not in keys else None
            case ast.List(elts=elts) | ast.Tuple(elts=elts) if key.text.lstrip("-").isdigit():
                plain = not any(isinstance(e, ast.Starred) for e in elts)
                number = int(key.text)
                return elts[number] if plain and -len(elts) <= number < len(elts) else None
            case _:
                return None


def _is_changed(source: Source) -> bool:
    """Whether any statement in the source's file changes the container in place."""
    statement, file = source.spot.statement, source.spot.scope.source
    names = set(bindings(statement)) if statement else set[str]()
    statements = (s for node in scopes_in(file) for s in own_statements(node))
    return any(root in names for s in statements for root, _, _ in mutations(s))
