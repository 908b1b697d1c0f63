"""Concludes why a recursion has not ended, and whether the conclusion is certain."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dap_ai.agent.case.value_texts import cut, show
from dap_ai.agent.source.statements import names_in
from dap_ai.debuggees.python.analysis.claims.recursion.attribute_recursion import by_attribute
from dap_ai.debuggees.python.analysis.claims.recursion.moves import Move, calls_left, move_of
from dap_ai.debuggees.python.analysis.claims.recursion.recursion_guards import Guard, recursive_calls
from dap_ai.debuggees.python.analysis.claims.recursion.recursive_calls import Recursion
from dap_ai.debuggees.python.analysis.syntax.nodes import set_in
from dap_ai.system.texts import code

_MAX_CODE, _MAX_VALUE = 60, 40
_MAX_TOLD = 2
_RECEIVERS = ("self", "cls")
_CIRCLE = (
    "See what links these values of {} in a circle; where circles are meant, let the calls remember what they have "
    "seen, in a set that is passed on."
)


@dataclass
class RecursionVerdict:
    """The conclusion. `says`: predicate of a sentence about the function. `sure`: source and values prove it."""

    says: str
    advice: str
    sure: bool
    moves: list[Move]
    tests: list[Guard] = field(default_factory=list[Guard])
    """Tests that should have ended the recursion."""


def judge(found: Recursion) -> RecursionVerdict:
    """Return the most certain conclusion about the recursion."""
    moves = moves_of(found)
    if attribute := by_attribute(found):
        return RecursionVerdict(attribute.says, attribute.advice, sure=True, moves=moves)
    return _without_end(found, moves) or _by_tests(found, moves) or _by_arguments(found, moves) or _deep(found, moves)


def moves_of(found: Recursion) -> list[Move]:
    """Return how each argument changes. `self` and `cls` are left out unless they alternate between objects."""
    size = len(found.first)
    moves = [
        move_of(name, values[:size], values[size:])
        for name in found.arguments
        if len(values := found.values(name)) == len(found.places)
    ]
    return [move for move in moves if move.name not in _RECEIVERS or move.way == "round"]


def _without_end(found: Recursion, moves: list[Move]) -> RecursionVerdict | None:
    """Return the verdict if nothing between the function's start and its next call can prevent the call."""
    if not (found.guards.none and all(guards.none for guards in found.guarded)):
        return None
    kept = _passed_on(found, moves)
    stuck = next((move for move in moves if move.way == "stuck"), None)
    advice = f"Let {code(found.name)} return without that call in the simplest case, before line {found.line}"
    says = "has no way to return before that call"
    if kept:
        advice += f", and pass something else than {code(kept.name)} on, which is the same in every call"
        says += f"; {code(kept.name)} stays {code(_now(kept))}"
    elif stuck:
        advice += f": where {code(stuck.name)} is {code(_now(stuck))}"
        says += f"; {code(stuck.name)} has come to {code(_now(stuck))}, and stays that"
    return RecursionVerdict(says, f"{advice}.", sure=True, moves=moves)


def _by_tests(found: Recursion, moves: list[Move]) -> RecursionVerdict | None:
    """Return the verdict if a test compares a number that each call leaves unchanged or changes by the same amount."""
    known = {move.name: move for move in moves}
    ends: list[tuple[Guard, Move, float]] = []
    for guard in found.guards.tests:
        names = [node.id for node in ast.walk(guard.test) if isinstance(node, ast.Name)]
        move = known.get(names[0]) if len(names) == 1 else None
        left = calls_left(move, guard) if move else None
        if move and left is not None:
            ends.append((guard, move, left))
    soon = [end for end in ends if end[2] != float("inf")]
    if soon:
        guard, move, left = min(soon, key=lambda end: end[2])
        says = f"is deep, but would end: {code(_code(guard))} is {_truth(guard.ends)} after some {left:,.0f} more calls"
        advice = "Do the same in a loop: Python's limit is 1,000 calls, and each takes memory."
        return RecursionVerdict(says, advice, sure=False, moves=moves, tests=[guard])
    if not ends:
        return None
    guard, move, _ = ends[0]
    everything = len(ends) == len(found.guards.tests) and not found.guards.loops and not found.guards.opaque
    is_set = move.name in set_in(found.function)  # rebound: then each call's original argument is unknown
    sure = everything and all(guards.none for guards in found.guarded) and not is_set
    now = _now(move)
    if move.way == "same":
        says = f"never ends by {code(_code(guard))}: {code(move.name)} is {code(now)} in every call"
        advice = f"Pass a value for {code(move.name)} that comes nearer to {code(_code(guard))} with each call."
    else:
        turn = "falls" if move.step < 0 else "grows"
        by = f"{turn} by {abs(move.step):g} per call"
        says = f"never ends by {code(_code(guard))}: {code(move.name)} is {code(now)} by now, and {by}"
        advice = _reached(guard, move)
    return RecursionVerdict(says, advice, sure=sure, moves=moves, tests=[guard])


def _reached(guard: Guard, move: Move) -> str:
    test = guard.test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        wider = ast.unparse(ast.Compare(test.left, [ast.LtE() if move.step < 0 else ast.GtE()], test.comparators))
        return f"Let the test also hold for what has gone past it, such as {code(wider)}, or pass values that meet it."
    return f"Let {code(move.name)} go the other way, towards {code(_code(guard))}, or turn the test round."


def _by_arguments(found: Recursion, moves: list[Move]) -> RecursionVerdict | None:
    """Return the verdict if every argument keeps its value or repeats a few values."""
    tests = found.guards.tests[:2]
    if not moves or any(move.way in ("steps", "other") for move in moves):
        return None
    if rounds := [move for move in moves if move.way == "round"]:
        return RecursionVerdict(
            _circle(rounds[0]), _CIRCLE.format(code(rounds[0].name)), sure=False, moves=moves, tests=tests
        )
    order = ("stuck", "held", "same", "object")
    tested = names_in(*(guard.test for guard in tests))
    told = sorted(moves, key=lambda move: (order.index(move.way), move.name not in tested))[:_MAX_TOLD]
    listed = " and ".join(f"{code(move.name)} is {code(_now(move))}" for move in told)
    stuck = any(move.way in ("stuck", "held") for move in moves)
    says = f"comes no nearer to an end: in {'each of the last calls' if stuck else 'every call'} {listed}"
    wanted = f"for which {code(_code(tests[0]))} is {_truth(tests[0].ends)}" if tests else "that comes nearer to an end"
    advice = f"Pass something on {wanted}, or return without that call where {listed}."
    return RecursionVerdict(says, advice, sure=False, moves=moves, tests=tests)


def _circle(move: Move) -> str:
    texts = [cut(show(value, _MAX_VALUE), _MAX_VALUE) for value in move.values[-move.period :]]
    shown = f": {', '.join(map(code, texts))}" if len({*texts}) == move.period else f", every {move.period} calls"
    return f"goes round in a circle: {code(move.name)} takes the same values again and again{shown}"


def _deep(found: Recursion, moves: list[Move]) -> RecursionVerdict:
    how_many = f"{found.calls:,}" if found.whole else f"at least {found.calls:,}"
    says = f"has {how_many} calls on the stack; whether it would end is not known"
    advice = "See in which argument the calls come nearer to an end; a loop with a list of its own has no such limit."
    return RecursionVerdict(says, advice, sure=False, moves=moves, tests=found.guards.tests[:2])


def _passed_on(found: Recursion, moves: list[Move]) -> Move | None:
    """Return a parameter that has one value in all calls and that the next call gets as an argument, or None."""
    function = found.function
    for call in recursive_calls(function, frozenset({function.name})) if function else ():
        if call.lineno <= found.line <= (call.end_lineno or call.lineno):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            names = {arg.id for arg in given if isinstance(arg, ast.Name)}
            return next((move for move in moves if move.way == "same" and move.name in names), None)
    return None


def _now(move: Move) -> str:
    return cut(show(move.now, _MAX_VALUE), _MAX_VALUE)


def _code(guard: Guard) -> str:
    return cut(ast.unparse(guard.test), _MAX_CODE)


def _truth(value: bool) -> str:
    return "true" if value else "false"
