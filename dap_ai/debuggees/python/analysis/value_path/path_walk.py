"""Builds a value path one step back at a time, following the most informative operand at each step.

Each link is a data dependency, known from the source and from a recorded run. The followed operand is not necessarily
to blame; the path shows the other operands beside it.

This is a path, not a slice: a reader follows one chain of values, so each step chooses one operand and names the rest
beside it. The walk goes depth first through every operand that it can follow, then `_rank` chooses among the finished
ways, in this order: the operand that arithmetic blames (`operand_blame.py`: the factor below zero); an operand whose
way reaches a suspicious line; an operand with an error-prone value (`None`, `nan`, negative, empty); an operand with an
origin beyond itself; an operand with a known value; the longer way. Choosing before walking would take less time, but
could not know which way leads to a suspect.

Bounds: 240 visits, 24 levels, and `_open`, the expressions on the way down, so that a loop's `x = f(x)` ends.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import cut
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from dap_ai.debuggees.python.analysis.value_path.call_results import CallResults
from dap_ai.debuggees.python.analysis.value_path.expression_operands import is_plain, literal_of, operands, sides
from dap_ai.debuggees.python.analysis.value_path.item_sources import ItemSources
from dap_ai.debuggees.python.analysis.value_path.name_sources import Names
from dap_ai.debuggees.python.analysis.value_path.operand_blame import blamed, number
from dap_ai.debuggees.python.analysis.value_path.path_spots import MAX_CHARS, PathSpot, PathValues, Source
from dap_ai.debuggees.python.analysis.value_path.recorded_values import RecordedValue, RecordedValues
from dap_ai.protocol.wire.value_path import PathNode, SiblingValue

MAX_NODES = 12
_MAX_VISITS, _MAX_DEPTH, _MAX_BESIDE, _MAX_TEXT = 240, 24, 3, 80
_SUSPECTS = 3
"""Number of top suspects. An operand whose path reaches the line of a top suspect is preferred."""
_ODD = frozenset({"None", "0", "0.0", "''", "[]", "{}", "nan", "inf"})


@dataclass
class _Way:
    """The path back from one operand."""

    nodes: list[PathNode]
    is_blamed: bool = False
    """Whether arithmetic blames this operand for the value."""


def value_path(
    analysis: StopAnalysis, roots: Sequence[ast.expr], place: FramePlace, recorded: RecordedValues
) -> list[PathNode]:
    """Return the path of the first root with a known path, nearest node first; empty if no root has a path.

    `recorded`: values from a run that led to the roots.
    """
    resolver = analysis.view.resolver
    scope = resolver.of_place(place)
    if scope is None:
        return []
    walk = _Walk(resolver, PathValues(recorded), _weights(analysis))
    spot = PathSpot(scope, place.frame.line, recorded.live(scope, resolver.places))
    for root in roots:
        if nodes := walk.best([_Way(walk.back(side, spot)) for side in sides(root)]):
            return nodes[:MAX_NODES]
    return []


def recorded_by(resolver: Resolver, control: Control) -> RecordedValues:
    """Return the recorded values of a run of the failure."""
    check, trace = control.check, replace(control.trace, lines=control.trace.lines[: control.trace.before])
    if check.file:  # the statements are not from a user file: a fresh test run
        return RecordedValues(trace, ran_no_more=_ran_no_more(resolver, control))
    if not check.fresh:
        return RecordedValues(trace, resolver.of_place(check.place), is_whole=False)
    scopes = (resolver.of_place(place) for place in resolver.places)
    own = next((s for s in scopes if s and s.node is check.source.tree), None)
    return RecordedValues(trace, own, ran_no_more=_ran_no_more(resolver, control))


def _ran_no_more(resolver: Resolver, control: Control) -> bool:
    """Whether the last line that ran is the failing line, so that no user code ran after the failure."""
    last = max(control.trace.lines, key=lambda row: row.last, default=None)
    frame = resolver.places[0].frame if resolver.places else None
    return last is not None and frame is not None and (last.file, last.line) == (frame.path, frame.line)


def _weights(analysis: StopAnalysis) -> dict[tuple[str, int], float]:
    failed = (analysis.diagnosis.place.frame.path, analysis.diagnosis.place.frame.line)
    first = [s for s in analysis.suspects[:_SUSPECTS] if (s.file, s.line) != failed]
    return {(s.file, s.line): 1.0 / (rank + 1) for rank, s in enumerate(first)}


class _Walk:
    """Builds one path, within a limited number of steps."""

    def __init__(self, resolver: Resolver, values: PathValues, weights: Mapping[tuple[str, int], float]) -> None:
        self._values = values
        self._names = Names(resolver, values)
        self._items = ItemSources(resolver, values, self._names)
        self._calls = CallResults(resolver, values)
        self._weights = weights
        self._left = _MAX_VISITS
        self._open: set[tuple[object, ...]] = set()
        """Expressions that the walk is following now; following one of them again would make a cycle."""

    def back(self, root: ast.expr, spot: PathSpot) -> list[PathNode]:
        """Return the path back from an expression evaluated at this code position."""
        value = self._values.of(root, spot)
        if is_plain(root) and (way := self._follow(root, spot, value)):
            return way
        ways = self._operands(root, spot)
        if value is None or isinstance(root, ast.Constant):
            return self.best(ways)
        return self._joined(_node(root, Source(spot, "read"), value), ways)

    def best(self, ways: Sequence[_Way]) -> list[PathNode]:
        """Return the nodes of the most informative way; empty if no way has nodes."""
        best = max((way for way in ways if way.nodes), key=self._rank, default=None)
        return best.nodes if best else []

    def _follow(self, node: ast.expr, spot: PathSpot, given: RecordedValue | None) -> list[PathNode]:
        """Return the path of an operand. `given`: the value that was made from the operand alone, if known."""
        key = (*spot.key(), ast.unparse(node))
        self._left -= 1
        if key in self._open or self._left < 0 or len(self._open) > _MAX_DEPTH:
            return []
        self._open.add(key)
        try:
            value = self._values.of(node, spot) or given
            source = self._source(node, spot, value)
            if source is None:
                return []
            # The value at the stop is not the value made there if the name has been rebound since: a node states the
            # value after its own line, or marks it as the value at the stop.
            value = _when_it_was_made(node, source, value)
            follow = self._returned if source.step == "returned" else self._made
            return follow(node, source, value)
        finally:
            self._open.discard(key)

    def _source(self, node: ast.expr, spot: PathSpot, value: RecordedValue | None) -> Source | None:
        match node:
            case ast.Name(id=name):
                return self._names.of(name, spot, value)
            case ast.Attribute():
                return self._items.attribute(node, spot, value)
            case ast.Subscript():
                return self._items.item(node, spot)
            case ast.Call() if callee := self._calls.callee(node, spot):
                return self._calls.of(node, callee, spot, value)
            case ast.Call():
                return self._items.gotten(node, spot)
            case _:
                return None

    def _made(self, node: ast.expr, source: Source, value: RecordedValue | None) -> list[PathNode]:
        made = source.made_of
        if (value is None or value.known == "stop") and made is not None and literal_of(made) and not source.is_part:
            value = RecordedValue(ast.unparse(made), "source")
        head = _node(node, source, value)
        if made is None:
            return self._joined(head, [_Way(self._follow(holder, source.spot, None)) for holder in source.holders])
        if literal_of(made):
            head.born = not source.is_part or source.step == "item"
            return [head]
        if is_plain(made) and (rest := self._follow(made, source.spot, None if source.is_part else value)):
            return self._joined(head, [_Way(rest)])
        return self._joined(head, self._operands(made, source.spot))

    def _returned(self, call: ast.expr, source: Source, value: RecordedValue | None) -> list[PathNode]:
        """Return the path into a called function.

        The path has a node for the `return`, unless the function returns a plain operand.
        """
        made = source.made_of
        if made is not None and is_plain(made) and (rest := self._follow(made, source.spot, value)):
            return rest
        head = _node(made or call, source, value)
        head.born = source.born or (made is not None and literal_of(made))
        return self._joined(head, self._operands(made, source.spot) if made is not None and not head.born else [])

    def _operands(self, node: ast.expr, spot: PathSpot) -> list[_Way]:
        """Return the paths of an expression's operands; marks the operands that arithmetic blames."""
        ways: dict[str, _Way] = {}
        for leaf, every in self._leaves(node, spot):
            if nodes := self._follow(leaf, spot.at(spot.line, every=True) if every else spot, None):
                ways[ast.unparse(leaf)] = _Way(nodes)
        # This follows the walk because the blamed part is found from operand values, which only the walk provides.
        part = blamed(node, lambda inner: _number(ways.get(ast.unparse(inner))))
        for leaf, _ in self._leaves(part, spot) if part is not node else ():
            if way := ways.get(ast.unparse(leaf)):
                way.is_blamed = True
        return list(ways.values())

    def _leaves(self, node: ast.expr, spot: PathSpot) -> list[tuple[ast.expr, bool]]:
        return operands(node, lambda call: self._is_followed(call, spot), lambda test: self._values.truth(test, spot))

    def _is_followed(self, call: ast.Call, spot: PathSpot) -> bool:
        """Whether the source of a call's result is known; otherwise its arguments are followed."""
        return self._calls.callee(call, spot) is not None or self._items.gotten(call, spot) is not None

    def _joined(self, head: PathNode, ways: Sequence[_Way]) -> list[PathNode]:
        best = self.best(ways)
        if not best:
            return [head]
        others = [w.nodes[0] for w in ways if w.nodes and w.nodes is not best]
        head.beside = [SiblingValue(n.expression, "" if n.known == "stop" else n.value) for n in others[:_MAX_BESIDE]]
        return best if _is_same(head, best[0]) else [head, *best]

    def _rank(self, way: _Way) -> tuple[bool, float, bool, bool, bool, int]:
        nodes, head = way.nodes, way.nodes[0]
        reach = max((self._weights.get((n.file, n.line), 0.0) for n in nodes), default=0.0)
        has_origin = len(nodes) > 1 or not head.born
        return way.is_blamed, reach, _is_odd(head.value), has_origin, bool(head.value), min(len(nodes), 4)


def _when_it_was_made(node: ast.expr, source: Source, value: RecordedValue | None) -> RecordedValue | None:
    """Return the expression's value after the source's line ran; if unknown, the value at the stop, or None."""
    if source.step == "read" or value is None:
        return value or source.value
    is_item = isinstance(node, ast.Subscript) and value.known == "frame"
    if value.is_fixed and not is_item and not source.is_elsewhere and value.known != "stop":
        return value
    return source.value or (value if source.step == "returned" and value.known == "rerun" else value.at_stop())


def _number(way: _Way | None) -> float | None:
    """Return the number at the start of an operand's path, or None."""
    return number(way.nodes[0].value) if way else None


def _node(node: ast.expr, source: Source, value: RecordedValue | None) -> PathNode:
    at = source.spot
    note = source.note or (f"{value.rounds} values" if value and value.rounds > 1 else "")
    text, known = (cut(value.text, 2 * MAX_CHARS), value.known) if value else ("", "")
    expression = cut(ast.unparse(node), _MAX_TEXT)
    return PathNode(expression, text, known, at.scope.source.path, at.line, at.function, source.step, note=note)


def _is_same(head: PathNode, after: PathNode) -> bool:
    """Whether two nodes state the same expression, value and line, as for a comprehension's own name."""
    same = (after.expression, after.value, after.file, after.line)
    return (head.expression, head.value, head.file, head.line) == same


def _is_odd(text: str) -> bool:
    """Whether a value is error-prone: None, zero, empty, negative, nan or inf."""
    return text in _ODD or (text[:1] == "-" and text[1:2].isdigit())
