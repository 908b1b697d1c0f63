"""The path of a value: a step back at a time; where several values went into one, along the most telling of them.

Each link is a dependency of data, by the source and by what a run has recorded. That the operand that is followed is
to blame is not said: the others are told beside it.

A path, not a slice: a reader follows one chain of values, so at each step one operand is chosen and the rest are named
beside it. The walk goes depth first through every operand that it can follow, then `_rank` chooses among the finished
ways, in this order: the operand that arithmetic blames (`operand_blame.py`: the factor below zero); one whose way
comes to a
suspect line; a value that things go wrong with; one with an origin beyond itself; one whose value is known; the longer.
To choose before walking would need less time, but not know which way leads to a suspect.

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
"""Of two operands, the one whose path comes to a line so high in the ranking is the more telling."""
_ODD = frozenset({"None", "0", "0.0", "''", "[]", "{}", "nan", "inf"})


@dataclass
class _Way:
    """The nodes from an operand back."""

    nodes: list[PathNode]
    is_blamed: bool = False
    """It made the value what it is, by arithmetic."""


def value_path(
    analysis: StopAnalysis, roots: Sequence[ast.expr], place: FramePlace, recorded: RecordedValues
) -> list[PathNode]:
    """The path of the first root that has one, nearest first. Empty: nothing is known.

    `recorded`: a run of what led to the roots.
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
    """What a run of the failure tells."""
    check, trace = control.check, replace(control.trace, lines=control.trace.lines[: control.trace.before])
    if check.file:  # statements of no file of the user's: a test run anew
        return RecordedValues(trace, ran_no_more=_ran_no_more(resolver, control))
    if not check.fresh:
        return RecordedValues(trace, resolver.of_place(check.place), is_whole=False)
    scopes = (resolver.of_place(place) for place in resolver.places)
    own = next((s for s in scopes if s and s.node is check.source.tree), None)
    return RecordedValues(trace, own, ran_no_more=_ran_no_more(resolver, control))


def _ran_no_more(resolver: Resolver, control: Control) -> bool:
    """Whether no user code ran after the failure: the last line that ran is the one that failed."""
    last = max(control.trace.lines, key=lambda row: row.last, default=None)
    frame = resolver.places[0].frame if resolver.places else None
    return last is not None and frame is not None and (last.file, last.line) == (frame.path, frame.line)


def _weights(analysis: StopAnalysis) -> dict[tuple[str, int], float]:
    failed = (analysis.diagnosis.place.frame.path, analysis.diagnosis.place.frame.line)
    first = [s for s in analysis.suspects[:_SUSPECTS] if (s.file, s.line) != failed]
    return {(s.file, s.line): 1.0 / (rank + 1) for rank, s in enumerate(first)}


class _Walk:
    """One path; bounded in steps."""

    def __init__(self, resolver: Resolver, values: PathValues, weights: Mapping[tuple[str, int], float]) -> None:
        self._values = values
        self._names = Names(resolver, values)
        self._items = ItemSources(resolver, values, self._names)
        self._calls = CallResults(resolver, values)
        self._weights = weights
        self._left = _MAX_VISITS
        self._open: set[tuple[object, ...]] = set()
        """What the path has come through: nothing is made of itself."""

    def back(self, root: ast.expr, spot: PathSpot) -> list[PathNode]:
        """The path from an expression that is evaluated at the spot."""
        value = self._values.of(root, spot)
        if is_plain(root) and (way := self._follow(root, spot, value)):
            return way
        ways = self._operands(root, spot)
        if value is None or isinstance(root, ast.Constant):
            return self.best(ways)
        return self._joined(_node(root, Source(spot, "read"), value), ways)

    def best(self, ways: Sequence[_Way]) -> list[PathNode]:
        """The most telling of them."""
        best = max((way for way in ways if way.nodes), key=self._rank, default=None)
        return best.nodes if best else []

    def _follow(self, node: ast.expr, spot: PathSpot, given: RecordedValue | None) -> list[PathNode]:
        """The path of an operand. `given`: its value, where that is known from what was made of it alone."""
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
            # The value at the stop is not what was made there if the name was bound anew since: a node states what was
            # true after its own line, or says that it is the value at the stop.
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
        """Into a function: its `return`, if that is more than a name."""
        made = source.made_of
        if made is not None and is_plain(made) and (rest := self._follow(made, source.spot, value)):
            return rest
        head = _node(made or call, source, value)
        head.born = source.born or (made is not None and literal_of(made))
        return self._joined(head, self._operands(made, source.spot) if made is not None and not head.born else [])

    def _operands(self, node: ast.expr, spot: PathSpot) -> list[_Way]:
        """The paths of what goes into an expression; those of the part that made it what it is are marked."""
        ways: dict[str, _Way] = {}
        for leaf, every in self._leaves(node, spot):
            if nodes := self._follow(leaf, spot.at(spot.line, every=True) if every else spot, None):
                ways[ast.unparse(leaf)] = _Way(nodes)
        # After the walk, because the blamed part is found by the values of the operands, which only the walk has
        # brought.
        part = blamed(node, lambda inner: _number(ways.get(ast.unparse(inner))))
        for leaf, _ in self._leaves(part, spot) if part is not node else ():
            if way := ways.get(ast.unparse(leaf)):
                way.is_blamed = True
        return list(ways.values())

    def _leaves(self, node: ast.expr, spot: PathSpot) -> list[tuple[ast.expr, bool]]:
        return operands(node, lambda call: self._is_followed(call, spot), lambda test: self._values.truth(test, spot))

    def _is_followed(self, call: ast.Call, spot: PathSpot) -> bool:
        """Whether it is known where the result of a call comes from; else its arguments are followed."""
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
    """The expression's value after its source's line ran; where that is not known, its value at the stop, if any."""
    if source.step == "read" or value is None:
        return value or source.value
    is_item = isinstance(node, ast.Subscript) and value.known == "frame"
    if value.is_fixed and not is_item and not source.is_elsewhere and value.known != "stop":
        return value
    return source.value or (value if source.step == "returned" and value.known == "rerun" else value.at_stop())


def _number(way: _Way | None) -> float | None:
    """The number that an operand is."""
    return number(way.nodes[0].value) if way else None


def _node(node: ast.expr, source: Source, value: RecordedValue | None) -> PathNode:
    at = source.spot
    note = source.note or (f"{value.rounds} values" if value and value.rounds > 1 else "")
    text, known = (cut(value.text, 2 * MAX_CHARS), value.known) if value else ("", "")
    expression = cut(ast.unparse(node), _MAX_TEXT)
    return PathNode(expression, text, known, at.scope.source.path, at.line, at.function, source.step, note=note)


def _is_same(head: PathNode, after: PathNode) -> bool:
    """Whether two nodes would say one thing twice: a comprehension's name that is passed on in its line."""
    same = (after.expression, after.value, after.file, after.line)
    return (head.expression, head.value, head.file, head.line) == same


def _is_odd(text: str) -> bool:
    """Whether a value is one that things go wrong with: none, nothing, below zero, no number."""
    return text in _ODD or (text[:1] == "-" and text[1:2].isdigit())
