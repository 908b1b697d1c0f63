"""Describes the code positions of a value path: where an expression was evaluated, and what its value was."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import cached_property

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import bound, show
from dap_ai.agent.source.statements import bindings, last_line, names_in, nodes_in
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, enclosing_loop
from dap_ai.debuggees.python.analysis.syntax.value_parts import rounds_over
from dap_ai.debuggees.python.analysis.value_path.recorded_values import Calls, RecordedValue, RecordedValues
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.wire.value_path import Step

MAX_CHARS = 80
_QUIET = frozenset({"function", "class", "module"})


@dataclass(frozen=True, eq=False)
class PathSpot:
    """A line of a function or module, within specific recorded calls."""

    scope: FunctionScope
    line: int
    calls: Calls = ()
    caller: PathSpot | None = None
    """The call site, if the path entered the function at its call."""
    call: ast.Call | None = None
    every: bool = False
    """Whether all iterations of the line are meant, because it is in a loop that accumulates or in a comprehension."""

    @cached_property
    def statement(self) -> ast.stmt | None:
        """The statement at the line."""
        return self.scope.source.statement_at(self.line)

    @property
    def function(self) -> str:
        """The function's name; empty at module level."""
        return "" if isinstance(self.scope.node, ast.Module) else self.scope.name

    def at(self, line: int, *, every: bool = False) -> PathSpot:
        """Return the position of another line in the same calls."""
        return replace(self, line=line, every=self.every or every)

    def key(self) -> tuple[object, ...]:
        """Return a key that identifies this position."""
        return (*self.scope.key(), self.line, self.calls)


@dataclass
class Source:
    """Where a value was made, and from which expression."""

    spot: PathSpot
    step: Step
    made_of: ast.expr | None = None
    """The expression evaluated at this position. If None, the path ends or continues with `holders`."""
    value: RecordedValue | None = None
    """The value at this position, used if the value is not known where it is read."""
    note: str = ""
    born: bool = False
    is_part: bool = False
    """Whether the value was made from more than `made_of`, so that the values of the two differ."""
    is_elsewhere: bool = False
    """Whether a function may have rebound the name after this position."""
    holders: list[ast.expr] = field(default_factory=list[ast.expr])
    """Expressions that the value was read from, if it is unknown what set it."""


class PathValues:
    """Values of expressions, from the frames of the stop and from a rerun."""

    def __init__(self, recorded: RecordedValues) -> None:
        self.recorded = recorded

    def of(self, node: ast.expr, spot: PathSpot) -> RecordedValue | None:
        """Return the value of an expression at a code position, or None if unknown."""
        if isinstance(node, ast.Constant):
            return RecordedValue(repr(node.value), "source")
        place = spot.scope.place
        if place is not None and (told := _of_frame(self.live(node, spot))):
            is_there = spot.line == place.frame.line or (told.is_fixed and self._is_fixed(node, spot))
            return told if is_there else told.at_stop()
        if isinstance(node, ast.Name) and node.id in {p.arg for p in spot.scope.parameters}:
            is_bound = any(node.id in bindings(s) for s in spot.scope.statements())
            return None if is_bound else self.recorded.argument(spot.calls, node.id)
        return None

    def set_by(self, statement: ast.stmt, name: str, spot: PathSpot) -> RecordedValue | None:
        """Return the value that a statement in the scope of `spot` gave to a name, or None if unknown."""
        place = spot.scope.place
        is_kept = place is not None and not spot.every and _is_settled(spot, place, name, statement)
        value = place.value(name) if place and is_kept and self._is_as_it_was(place, ast.Name(name)) else None
        at_stop = _of_frame(value)
        if at_stop and at_stop.is_fixed and not is_rebound(spot.scope, name):
            return at_stop
        recorded = self.recorded.set_by(spot.scope, statement, name, spot.calls, every=spot.every)
        return recorded or (at_stop and at_stop.at_stop())

    def truth(self, node: ast.expr, spot: PathSpot) -> bool | None:
        """Whether a condition was true at this code position; None if unknown."""
        value = self.live(node, spot) if self._is_fixed(node, spot) else None
        return {"True": True, "False": False}.get(value.text) if value else None

    def live(self, node: ast.expr, spot: PathSpot) -> Value | None:
        """Return the value that a frame of the stop holds for the expression, or None."""
        place = spot.scope.place
        if place is None or spot.every:
            return None
        names = names_in(node)
        if any(rounds_over(name, spot.scope, spot.line) for name in names) and not place.frame.name.startswith("<"):
            return None  # the comprehension's own variable, not the frame's
        if spot.line != place.frame.line and not all(_is_unchanged(spot, place, name) for name in names):
            return None
        return place.value(node) if self._is_as_it_was(place, node) else None

    def _is_fixed(self, node: ast.expr, spot: PathSpot) -> bool:
        """Whether an expression has the same value at the stop as when the line of `spot` ran."""
        place = spot.scope.place
        return place is not None and (spot.line == place.frame.line or _is_of_fixed(place, node))

    def _is_as_it_was(self, place: FramePlace, node: ast.expr) -> bool:
        """Whether no cleanup code can have changed the expression's value since the failure left the frame."""
        facts = place.facts
        is_kept = facts is None or not facts.unwound or facts.captured or self.recorded.ran_no_more
        return is_kept or _is_of_fixed(place, node)


def is_rebound(scope: FunctionScope, name: str) -> bool:
    """Whether any function in the file declares the name `global` or `nonlocal`."""
    declared = (n for n in nodes_in(*scope.source.functions) if isinstance(n, ast.Global | ast.Nonlocal))
    return any(name in n.names for n in declared)


def _is_of_fixed(place: FramePlace, node: ast.expr) -> bool:
    """Whether an expression uses only local names that hold immutable values (numbers, strings or tuples of these)."""
    if any(isinstance(n, ast.Attribute | ast.Subscript | ast.Call) for n in ast.walk(node)) or place.function is None:
        return False
    values = [_of_frame(place.value(name)) for name in names_in(node) if name in bound(place.facts)]
    return len(values) == len(names_in(node)) and all(told is not None and told.is_fixed for told in values)


def _of_frame(value: Value | None) -> RecordedValue | None:
    return RecordedValue(show(value, MAX_CHARS), "frame") if value and value.kind not in _QUIET else None


def _is_unchanged(spot: PathSpot, place: FramePlace, name: str) -> bool:
    """Whether no later statement binds the name, so that the frame still has its value from the line of `spot`."""
    loop = enclosing_loop(spot.scope.node, spot.line)
    return _binds_nothing(spot, place, name, loop.lineno if loop else spot.line, loop, but=loop)


def _is_settled(spot: PathSpot, place: FramePlace, name: str, made: ast.stmt) -> bool:
    """Whether no later statement of the scope rebinds the name, so that the frame still has the value from `made`."""
    loop = enclosing_loop(spot.scope.node, place.frame.line)
    first = loop.lineno if loop and loop.lineno <= made.lineno else made.lineno
    return _binds_nothing(spot, place, name, first, loop, but=made)


def _binds_nothing(
    spot: PathSpot, place: FramePlace, name: str, first: int, loop: ast.stmt | None, *, but: ast.stmt | None
) -> bool:
    """Whether no statement except `but` binds the name from line `first` to the frame's line and the loop's end."""
    last = max(place.frame.line, last_line(loop) if loop else 0)
    return not any(name in bindings(s) and first <= s.lineno <= last and s is not but for s in spot.scope.statements())
