"""Finds where a name got its value: in a statement of the scope, from a caller's argument, or in an outer scope."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import mutations
from dap_ai.debuggees.python.analysis.syntax import data_sources
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, enclosing_loop, reaching
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_by, defaults
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver, argument_for
from dap_ai.debuggees.python.analysis.syntax.value_parts import rounds_over
from dap_ai.debuggees.python.analysis.value_path.path_spots import PathSpot, PathValues, Source, is_rebound
from dap_ai.debuggees.python.analysis.value_path.recorded_values import RecordedValue

UNKNOWN_CALLER = "an argument: where it was passed is not known"
ALSO_BOUND = "functions set it, too"
_CONTAINERS = frozenset({"list", "dict", "set", "deque", "defaultdict", "Counter"})
_MAX_LINES = 4

Made = Sequence[tuple[ast.stmt, ast.expr | None]]
"""Statements that bind a name, each with the expression that provides the value."""


class Names:
    """Finds the sources of names."""

    def __init__(self, resolver: Resolver, values: PathValues) -> None:
        self._resolver = resolver
        self._values = values
        self._recorded = values.recorded

    def of(self, name: str, spot: PathSpot, given: RecordedValue | None) -> Source | None:
        """Return where the value of a name at this code position came from.

        Returns None if the name refers to something other than data. `given`: the name's known value.
        """
        if iterable := rounds_over(name, spot.scope, spot.line):
            return Source(spot, "item", iterable, is_part=True)
        own = spot.statement if isinstance(spot.statement, ast.AugAssign) else None
        if made := [(s, v) for s, v in reaching(name, spot.scope, spot.line) if s is not own]:
            return self._set(name, made, spot, given)
        if name in [p.arg for p in spot.scope.parameters]:
            return self._parameter(name, spot)
        return self._outer(name, spot, given)

    def _set(self, name: str, made: Made, spot: PathSpot, given: RecordedValue | None) -> Source:
        if is_rebound(spot.scope, name):
            return replace(self._set_here(name, made, spot, None), is_elsewhere=True, note=ALSO_BOUND)
        return self._set_here(name, made, spot, given)

    def _set_here(self, name: str, made: Made, spot: PathSpot, given: RecordedValue | None) -> Source:
        found = self._one(made, spot, given)
        if found is None:
            return Source(spot, "read", note=f"set in {_lines([s for s, _ in made])}: which of them is not known")
        statement, value = found
        known = self._values.set_by(statement, name, spot)
        if _is_container(value) and (filled := self._filled(name, spot)):
            return filled
        adds_up = isinstance(statement, ast.AugAssign) and enclosing_loop(spot.scope.node, statement.lineno) is not None
        there = spot.at(statement.lineno, every=adds_up)
        if isinstance(statement, ast.For | ast.AsyncFor):
            return Source(there, "item", value, known, is_part=True)
        return Source(there, "set", value, known, is_part=not _is_whole(statement))

    def _one(self, made: Made, spot: PathSpot, given: RecordedValue | None) -> tuple[ast.stmt, ast.expr | None] | None:
        """Return the statement that bound the value: the only one that ran, or the last to run; None if unknown."""
        ran = [(s, v) for s, v in made if self._recorded.ran(spot.scope, s) is not False]
        if len(ran) <= 1:
            return ran[0] if ran else None
        if self._recorded.is_last_call(spot.scope, spot.calls):
            return max(ran, key=lambda pair: self._recorded.last_run(spot.scope, pair[0]))
        literals = [(s, v) for s, v in ran if isinstance(v, ast.Constant)]
        fitting = [value for _, value in literals if given and repr(value.value) == given.text]
        others = [(s, v) for s, v in ran if not isinstance(v, ast.Constant)]
        return others[0] if given and len(others) == 1 and not fitting else None

    def _filled(self, name: str, spot: PathSpot) -> Source | None:
        """Return the source of what was added to a container after its creation, or None if nothing was added."""
        found = [
            (s, values)
            for s in spot.scope.statements()
            for root, text, values in mutations(s)
            if root == name == text.split("[")[0] and self._recorded.ran(spot.scope, s) is not False
        ]
        if len(found) > 1:
            first = min(s.lineno for s, _ in found)
            return Source(spot.at(first), "set", note=f"filled in {_lines([s for s, _ in found])}")
        for statement, values in found:
            inside = enclosing_loop(spot.scope.node, statement.lineno) is not None
            made_of = values[0] if values else None
            known = self._values.set_by(statement, name, spot)
            return Source(spot.at(statement.lineno, every=inside), "set", made_of, known, is_part=True)
        return None

    def _parameter(self, name: str, spot: PathSpot) -> Source:
        known = self._values.of(ast.Name(name, ast.Load()), spot)
        if known is None or not known.is_fixed:  # the function may have changed its argument
            known = self._recorded.argument(spot.calls, name) or (known and known.at_stop())
        found = (spot.caller, spot.call) if spot.caller and spot.call else self._calling(spot)
        if found is None:
            return Source(spot, "read", value=known, note=UNKNOWN_CALLER)
        caller, call = found
        argument = argument_for(call, spot.scope, name)
        return Source(caller, "passed", argument, known) if argument else self._default(name, spot, known)

    def _default(self, name: str, spot: PathSpot, known: RecordedValue | None) -> Source:
        node = spot.scope.node
        known_defaults = {p.arg: d for p, d in defaults(node)} if isinstance(node, FunctionNode) else {}
        if default := known_defaults.get(name):
            return Source(spot.at(default.lineno), "set", default, known, note="the parameter's default")
        return Source(spot, "read", value=known, note=UNKNOWN_CALLER)

    def _calling(self, spot: PathSpot) -> tuple[PathSpot, ast.Call] | None:
        """Return the caller: the frame above, else the only call site, or the only call site with fitting arguments."""
        if spot.scope.place is not None:
            return self._live_caller(spot)
        sites = [(scope, call) for scope, _, call in data_sources.calls_of(self._resolver, spot.scope)]
        if len(sites) != 1:
            sites = [site for site in sites if len(spot.calls) == 1 and self._could_be(site[1], spot)]
        return (self._site(*sites[0], spot), sites[0][1]) if len(sites) == 1 else None

    def _live_caller(self, spot: PathSpot) -> tuple[PathSpot, ast.Call] | None:
        places, place = self._resolver.places, spot.scope.place
        index = places.index(place) + 1 if place in places else len(places)
        while index < len(places) and places[index].frame.name.startswith("<") and places[index].function:
            index += 1  # the frame of a comprehension
        outer = self._resolver.of_place(places[index]) if index < len(places) else None
        if outer is None or outer.place is None:
            return None
        calls = [n for n in calls_by(outer.place.statement) if called_name(n) == spot.scope.called_as]
        there = PathSpot(outer, outer.place.frame.line, self._recorded.live(outer, places))
        return (there, calls[0]) if len(calls) == 1 else None

    def _could_be(self, call: ast.Call, spot: PathSpot) -> bool:
        """Whether the literal arguments of a call match the recorded arguments."""
        for parameter in spot.scope.parameters:
            argument = argument_for(call, spot.scope, parameter.arg)
            given = self._recorded.argument(spot.calls, parameter.arg)
            if isinstance(argument, ast.Constant) and given and repr(argument.value) != given.text:
                return False
        return True

    def _site(self, scope: FunctionScope, call: ast.Call, spot: PathSpot) -> PathSpot:
        parents = tuple(dict.fromkeys(self._recorded.parent(n) for n in spot.calls))
        inside = tuple(n for n in parents if n in self._recorded.of(scope))
        live = self._recorded.live(scope, self._resolver.places) if scope.place else ()
        return PathSpot(scope, call.lineno, inside if len(inside) == 1 else live, every=spot.every)

    def _outer(self, name: str, spot: PathSpot, given: RecordedValue | None) -> Source | None:
        end, around = len(spot.scope.source.lines) + 1, self._resolver.around(spot.scope)
        for scope in (*around[-2::-1], *around[-1:]):  # innermost first, module last
            if made := reaching(name, scope, end):
                there = PathSpot(scope, end, self._recorded.of(scope))
                return self._set(name, made, there, given)
        return None


def _lines(statements: Sequence[ast.stmt]) -> str:
    lines = sorted({s.lineno for s in statements})
    more = ", ..." if len(lines) > _MAX_LINES else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines[:_MAX_LINES]))}{more}"


def _is_whole(statement: ast.stmt) -> bool:
    """Whether a name is bound to the statement's whole value, not to an item or a context manager's result."""
    match statement:
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Name) for target in targets)
        case ast.AnnAssign():
            return True
        case _:
            return False


def _is_container(node: ast.expr | None) -> bool:
    """Whether an expression makes a container that can be filled later."""
    if isinstance(node, ast.Call):
        return called_name(node) in _CONTAINERS
    return isinstance(node, ast.List | ast.Dict | ast.Set)
