"""Classifies how an argument changes from one recursive call to the next."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dap_ai.agent.case.value_texts import number_in, number_of
from dap_ai.debuggees.python.analysis.claims.recursion.recursion_guards import Guard
from dap_ai.protocol.contracts.inspection import Value

Way = Literal["same", "stuck", "object", "held", "round", "steps", "other"]
"""How an argument changes. same: one value in all calls. stuck: one value in the last calls, another value before.
object: one object in all calls, whose content may have changed. held: one object in the last calls, another object
before. round: values repeat after a few calls. steps: a number that each call changes by the same amount."""
_UNCHANGING = frozenset({"none", "bool", "int", "float", "complex", "str", "bytes", "enum", "date", "path", "range"})
_EMPTY = frozenset({"[]", "()", "{}", "set()", "''", "b''", "frozenset()"})
_FEWEST, _LONGEST_ROUND = 4, 3
_PLAIN_OPERATORS = ast.Eq | ast.Lt | ast.LtE | ast.Gt | ast.GtE


@dataclass(frozen=True)
class Move:
    """The values of one argument in call order, and how they change.

    `step`: what each call adds to a number. `period`: number of calls after which the values repeat.
    """

    name: str
    way: Way
    values: Sequence[Value]
    step: float = 0
    period: int = 0

    @property
    def now(self) -> Value:
        """The argument's value in the last call."""
        return self.values[-1]


def move_of(name: str, first: Sequence[Value], last: Sequence[Value]) -> Move:
    """Return how an argument changes. `first`, `last`: its values in the first and in the last calls that were read."""
    values = [*first, *last]
    if len(last) < _FEWEST:
        return Move(name, "other", values)
    if _is_one(last):
        if not _is_one(values):
            return Move(name, "stuck" if _is_plain(last[-1]) else "held", values)
        return Move(name, "same" if _is_plain(last[-1]) else "object", values)
    for length in range(2, _LONGEST_ROUND + 1):
        if len(last) >= 2 * length and all(_is_one([a, b]) for a, b in zip(last, last[length:], strict=False)):
            return Move(name, "round", values, period=length)
    numbers = [number_of(value) for value in last]
    steps = {b - a for a, b in pairwise(numbers) if a is not None and b is not None}
    if None not in numbers and len(steps) == 1:
        return Move(name, "steps", values, steps.pop())
    return Move(name, "other", values)


def calls_left(move: Move, guard: Guard) -> float | None:
    """Return how many more calls it takes until a test such as `n <= 0` ends the recursion.

    Return infinity if the test never ends it, None if unknown.
    """
    test, now = guard.test, number_of(move.now)
    if move.way not in ("steps", "same") or now is None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right, operator = test.left, test.comparators[0], test.ops[0]
    if not (isinstance(left, ast.Name) and left.id == move.name and isinstance(operator, _PLAIN_OPERATORS)):
        return None
    limit = number_in(right)
    if limit is None:
        return None
    return _until(now, move.step if move.way == "steps" else 0, operator, limit, ends=guard.ends)


def _until(now: float, step: float, operator: ast.cmpop, limit: float, *, ends: bool) -> float | None:
    distance = limit - now
    if isinstance(operator, ast.Eq):
        if not ends:
            return None
        rounds = distance / step if step else -1
        if rounds <= 0:
            return float("inf")
        whole = all(number == int(number) for number in (now, step, limit))
        return (rounds if rounds == int(rounds) else float("inf")) if whole else None
    rises = isinstance(operator, ast.Gt | ast.GtE) == ends
    if step == 0 or (step > 0) != rises:
        return float("inf")
    return max(distance / step, 0)


def _is_plain(value: Value) -> bool:
    return value.kind in _UNCHANGING or value.text in _EMPTY


def _is_one(values: Sequence[Value]) -> bool:
    """Whether all values are the same; objects are compared by address."""
    head = values[0]
    if any((v.type, v.truncated and not v.address) != (head.type, False) for v in values):
        return False
    if _is_plain(head):
        return all(v.text == head.text for v in values)
    return bool(head.address) and all(v.address == head.address for v in values)
