"""Where an expression of the path was evaluated, and what is known of its value there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cached_property

from dap_ai.agent.analyst.definitions import Scope, bindings, enclosing_loop
from dap_ai.agent.analyst.parts import rounds_over
from dap_ai.agent.analyst.value_path.recorded import Calls, Recorded, Told
from dap_ai.agent.case.values import show
from dap_ai.protocol.contracts.inspection import Value

MAX_CHARS = 80
_QUIET = frozenset({"function", "class", "module"})


@dataclass(frozen=True, eq=False)
class Spot:
    """A line of a function or module, in the calls that are meant."""

    scope: Scope
    line: int
    calls: Calls = ()
    caller: Spot | None = None
    """Where it was called, if the path has come from there."""
    call: ast.Call | None = None
    every: bool = False
    """All rounds of the line are meant: it is within a loop that adds up, or a comprehension."""

    @cached_property
    def statement(self) -> ast.stmt | None:
        """The statement of the line."""
        return self.scope.source.statement_at(self.line)

    @property
    def function(self) -> str:
        """Its name; empty at module level."""
        return "" if isinstance(self.scope.node, ast.Module) else self.scope.name

    def at(self, line: int, *, every: bool = False) -> Spot:
        """Another line of the same calls."""
        return replace(self, line=line, every=self.every or every)

    def key(self) -> tuple[object, ...]:
        """What tells two spots apart."""
        return (*self.scope.key(), self.line, self.calls)


class Values:
    """What is known of expressions, from the frames of the stop and from a run again."""

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded

    def of(self, node: ast.expr, spot: Spot) -> Told | None:
        """The value of an expression at a spot; None: not known."""
        if isinstance(node, ast.Constant):
            return Told(repr(node.value), "source")
        value = self._live(node, spot)
        if value is not None and value.kind not in _QUIET:
            return Told(show(value, MAX_CHARS), "frame")
        if isinstance(node, ast.Name) and node.id in {p.arg for p in spot.scope.parameters}:
            bound = any(node.id in bindings(s) for s in spot.scope.statements())
            return None if bound else self.recorded.argument(spot.calls, node.id)
        return None

    def set_by(self, statement: ast.stmt, name: str, spot: Spot) -> Told | None:
        """What a statement of the spot's scope has made of a name."""
        if not spot.every and _is_settled(spot, name, statement):
            value = self._place_value(ast.Name(name, ast.Load()), spot)
            if value is not None and value.kind not in _QUIET:
                return Told(show(value, MAX_CHARS), "frame")
        return self.recorded.set_by(spot.scope, statement, name, spot.calls, every=spot.every)

    def truth(self, node: ast.expr, spot: Spot) -> bool | None:
        """Whether a condition held there; None: not known."""
        value = self._live(node, spot)
        return {"True": True, "False": False}.get(value.text) if value else None

    def live(self, node: ast.expr, spot: Spot) -> Value | None:
        """The value that a frame of the stop holds for it."""
        return self._live(node, spot)

    def _live(self, node: ast.expr, spot: Spot) -> Value | None:
        place = spot.scope.place
        if place is None or spot.every:
            return None
        names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        if any(rounds_over(name, spot.scope, spot.line) for name in names) and not place.frame.name.startswith("<"):
            return None  # the comprehension's own name, not the frame's
        if spot.line != place.frame.line and not all(_is_unchanged(spot, name) for name in names):
            return None
        return self._place_value(node, spot)

    def _place_value(self, node: ast.expr, spot: Spot) -> Value | None:
        return spot.scope.place.value(node) if spot.scope.place else None


def _is_unchanged(spot: Spot, name: str) -> bool:
    """Whether the frame's name still holds what it held when the line ran: nothing that came later binds it."""
    place = spot.scope.place
    if place is None:
        return False
    loop = enclosing_loop(spot.scope.node, spot.line)
    first = loop.lineno if loop else spot.line
    last = max(place.frame.line, (loop.end_lineno or 0) if loop else 0)
    return not any(name in bindings(s) and first <= s.lineno <= last and s is not loop for s in spot.scope.statements())


def _is_settled(spot: Spot, name: str, made: ast.stmt) -> bool:
    """Whether the frame's name holds what this statement made of it: no other one of the scope has come after it."""
    place = spot.scope.place
    if place is None:
        return False
    loop = enclosing_loop(spot.scope.node, place.frame.line)
    last = max(place.frame.line, (loop.end_lineno or 0) if loop else 0)
    others = [s for s in spot.scope.statements() if name in bindings(s) and s is not made]
    first = made.lineno
    if loop and loop.lineno <= made.lineno:
        first = loop.lineno
    return not any(first <= s.lineno <= last for s in others)
