"""Describes the loop that a paused program is in: its progress, its end condition, and why it may never end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import bound, cut, number_in, show
from dap_ai.agent.questions.waiting import INTERRUPTED
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.statements import bindings, last_line, names_in, own_statements, root_name
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS
from dap_ai.debuggees.python.analysis.syntax.retries import GoingBack, going_back
from dap_ai.debuggees.python.analysis.syntax.rounds import ENDS, PLAIN, may_change, number_at
from dap_ai.debuggees.python.analysis.syntax.waits import goes_on_alone, setter_within, waiting_call
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.system.texts import code

_MAX_LOOPS, _MAX_NAMES, _MAX_CODE, _MAX_VALUE = 3, 4, 80, 40
_NO_END = "Nothing in its body ends it: no `break`, `return` or `raise`"
_STOP_OR_SKIP = "stop after some iterations, or skip the item."
_MANY = 100_000
"""Number of iterations from which a loop is called long."""


@dataclass
class PausedLoop:
    """A loop that the program is in. `rounds`: number of iterations begun, or a minimum if not `exact`."""

    place: FramePlace
    node: LOOPS
    rounds: int = 0
    exact: bool = True
    total: int = 0
    """Total number of iterations; 0 if unknown."""
    counter: str = ""
    tests: tuple[ast.expr, ...] = ()
    """Conditions that end the loop: its own test, and the tests before each `break`, `return` and `raise`."""
    stuck: str = ""
    """Why the loop cannot end by itself; empty if the loop can end."""
    back: GoingBack | None = None


def looping(case: StopSnapshot) -> str:
    """Describe the innermost loops with current values; an empty string if the program is not paused in a loop."""
    loops = _loops(case)
    if not loops:
        return ""
    first = loops[0]
    title = "An endless loop" if first.stuck else "A long loop" if first.rounds >= _MANY else "In a loop"
    return "\n\n".join(
        [f"**{title}.** {_describe_loop(case, first)}", *(_describe_loop(case, loop) for loop in loops[1:])]
    )


def cannot_end(case: StopSnapshot) -> tuple[Suspect, str] | None:
    """Return the innermost loop that cannot end by itself, with advice to fix it; None if every loop can end."""
    first = next(iter(_loops(case)), None)
    if first is None or not first.stuck:
        return None
    path, line = first.place.frame.path, first.back.line if first.back else first.node.lineno
    spot = code(f"{shorten(path, case.inspection.cwd)}:{line}")
    cure = f"Let something in the body of the loop at {spot} change what its end depends on."
    if first.back:
        cure = f"Let the loop end or make progress before it continues at {spot}: {_STOP_OR_SKIP}"
    return Suspect(path, line, 1.0, f"the loop cannot end: {first.stuck}"), cure


def _loops(case: StopSnapshot) -> list[PausedLoop]:
    """Return the loops at a pause: first loops that cannot end, then loops with the most iterations."""
    if case.stop.reason != "pause" and not (case.exception and case.exception.type == INTERRUPTED):
        return []
    loops = [_read(place, node) for place in case.places for node in loops_at(place)][:_MAX_LOOPS]
    return sorted(loops, key=lambda loop: (not loop.stuck, -loop.rounds))


def loops_at(place: FramePlace) -> Iterator[LOOPS]:
    """Yield the loops around the frame's line in the frame's function, innermost first."""
    scope, line = place.scope, place.frame.line
    around = (s for s in own_statements(scope) if isinstance(s, LOOPS)) if scope else ()
    yield from reversed([loop for loop in around if loop.lineno <= line <= last_line(loop.body[-1])])


def _read(place: FramePlace, node: LOOPS) -> PausedLoop:
    loop = PausedLoop(place, node)
    if isinstance(node, ast.While):
        _count(loop)
        loop.tests = tuple(_tests(node))
        loop.back = going_back(place, node, loop.counter if loop.rounds else "")
        loop.stuck = _passed(loop) or _unchanged(loop) or _same_again(loop)
    else:
        _progress(loop)
    return loop


# -- progress -----------------------------------------------------------------------------------------------------


def _progress(loop: PausedLoop) -> None:
    """Set a `for` loop's `rounds` and `total` from its `range`, its `enumerate` number or its iterable's length."""
    place, node = loop.place, loop.node
    assert not isinstance(node, ast.While)  # noqa: S101  the caller knows
    call, target = node.iter, node.target
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if isinstance(call, ast.Call) and name == "range" and isinstance(target, ast.Name) and not call.keywords:
        numbers = [number_at(place, arg) for arg in call.args]
        whole = [0, *numbers, 1] if len(numbers) == 1 else [*numbers, 1, None, None]
        start, end, step = whole[:3]
        now = number_at(place, target)
        if isinstance(start, int) and isinstance(step, int) and isinstance(now, int) and step:
            loop.rounds, loop.counter = (now - start) // step + 1, target.id
            loop.total = len(range(start, end, step)) if isinstance(end, int) else 0
        return
    sized = call
    if isinstance(call, ast.Call) and name == "enumerate" and call.args and isinstance(target, ast.Tuple):
        sized, number = call.args[0], target.elts[0]
        now = number_at(place, number)
        if isinstance(now, int) and len(call.args) == 1 and not call.keywords and isinstance(number, ast.Name):
            loop.rounds, loop.counter = now + 1, number.id
    value = place.value(sized)
    loop.total = (value.length or 0) if value else 0


def _count(loop: PausedLoop) -> None:
    """Set a `while` loop's `rounds` from a counter, a variable that each iteration changes by the same constant."""
    place, node, scope = loop.place, loop.node, loop.place.scope
    for step in [s for s in own_statements(node) if isinstance(s, ast.AugAssign)]:
        by = _constant(step)
        if by is None or not isinstance(step.target, ast.Name) or scope is None:
            continue
        name = step.target.id
        before = [s for s in own_statements(scope) if s.lineno < node.lineno and name in bindings(s)]
        start = before[-1].value if before and isinstance(before[-1], ast.Assign | ast.AnnAssign) else None
        first, now = number_in(start), number_at(place, step.target)
        others = [s for s in own_statements(node) if name in bindings(s) and s is not step]
        # Reset to its start value, it counts the rounds since then.
        is_reset = all(isinstance(s, ast.Assign) and number_in(s.value) == first for s in others)
        if first is None or now is None or not is_reset:
            continue
        rounds = int((now - first) / by)
        if rounds >= loop.rounds:
            loop.rounds, loop.counter, loop.exact = rounds, name, step in node.body and not others


def _constant(step: ast.AugAssign) -> int | float | None:
    by = number_in(step.value)
    if not by or not isinstance(step.op, ast.Add | ast.Sub):
        return None
    return by if isinstance(step.op, ast.Add) else -by


# -- end conditions -----------------------------------------------------------------------------------------------


def _is_always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _tests(node: ast.While) -> Iterator[ast.expr]:
    if not _is_always(node.test):
        yield node.test
    for statement in own_statements(node):
        if isinstance(statement, ast.If) and any(isinstance(s, ENDS) for s in [*statement.body, *statement.orelse]):
            yield statement.test


def _unchanged(loop: PausedLoop) -> str:
    """Return why the loop cannot end, if its body changes nothing that could end it; else an empty string."""
    assert isinstance(loop.node, ast.While)  # noqa: S101  the caller knows
    statements = own_statements(loop.node)
    conditional = {id(each) for s in statements if isinstance(s, ast.If) for each in [*s.body, *s.orelse]}
    others = any(isinstance(s, ENDS) and id(s) not in conditional for s in statements)
    if others or any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for t in loop.tests for n in ast.walk(t)):
        return ""
    alone = goes_on_alone(loop.place, loop.node)
    if not loop.tests:
        return _NO_END[0].lower() + _NO_END[1:] if alone else ""
    names = names_in(*loop.tests)
    if loop.place.function is None or not names or any(_may_become(loop, name, alone=alone) for name in names):
        return ""
    listed = " and ".join(code(name) for name in names[:_MAX_NAMES])
    return f"nothing in its body changes {listed}, so it cannot end by itself"


def _may_become(loop: PausedLoop, name: str, *, alone: bool) -> bool:
    """Whether the variable's value may change. `alone`: whether the loop neither waits nor calls unknown code."""
    if name not in bound(loop.place.facts) or setter_within(loop.place, name):
        return True
    value = loop.place.value(name)
    is_seen = not alone and (value is None or value.kind not in PLAIN)
    return is_seen or bool(may_change(loop.place, own_statements(loop.node), name))


def _same_again(loop: PausedLoop) -> str:
    """Return why the loop cannot end, if each iteration repeats the last up to a `continue`; else an empty string."""
    if not loop.back or not loop.back.for_ever:
        return ""
    return f"{_going_back(loop, 'each')} and comes to the same again, so it cannot end by itself"


def _going_back(loop: PausedLoop, which: str) -> str:
    assert loop.back is not None  # noqa: S101  the caller knows
    test, first = cut(ast.unparse(loop.back.test), _MAX_CODE), loop.back.first
    would = f"could change {code(loop.back.changed)}" if loop.back.changed else "could end it"
    back = f"{which} round goes back at the `continue` in line {loop.back.line}"
    return f"while {code(test)}, {back}, before line {first} {would},"


def _passed(loop: PausedLoop) -> str:
    """Return why a `while x != end` loop cannot end: `x` has passed `end`. Return an empty string if it can end."""
    for test in loop.tests[:1]:
        if len(loop.tests) > 1 or not (isinstance(test, ast.Compare) and len(test.ops) == 1):
            continue
        name, wanted = test.left, test.comparators[0]
        added = (s for s in own_statements(loop.node) if isinstance(s, ast.AugAssign))
        steps = [s for s in added if root_name(s.target) == root_name(name)]
        by = _constant(steps[0]) if len(steps) == 1 and isinstance(name, ast.Name) else None
        now, end = number_at(loop.place, name), number_at(loop.place, wanted)
        if isinstance(test.ops[0], ast.NotEq) and by and now is not None and end is not None and (now - end) * by > 0:
            past = f"{code(ast.unparse(name))} has gone past {end:,} without being equal to it"
            return f"{past}, so {code(ast.unparse(test))} stays true"
    return ""


# -- descriptions -------------------------------------------------------------------------------------------------


def _describe_loop(case: StopSnapshot, loop: PausedLoop) -> str:
    place, node = loop.place, loop.node
    head = cut((place.source.line(node.lineno).strip() if place.source else ""), _MAX_CODE)
    spot = f"{shorten(place.frame.path, case.inspection.cwd)}:{node.lineno}"
    text = f"The program is in {code(head)} at {code(spot)}, in {code(place.frame.name)}{_rounds(loop)}."
    if loop.stuck:
        text += f" {loop.stuck[0].upper()}{loop.stuck[1:]}." if loop.stuck[0] != "`" else f" {loop.stuck}."
    deciding = [loop.back.test] if loop.back else []
    known = ((n, place.value(n)) for n in names_in(*loop.tests, *deciding))
    names = [n for n, value in known if value and value.kind not in ("function", "class", "module")]
    if isinstance(node, ast.While) and not _is_always(node.test) and not loop.stuck:
        text += f" It ends when {code(cut(ast.unparse(node.test), _MAX_CODE))} is false."
    if (
        isinstance(node, ast.While)
        and not loop.stuck
        and not loop.tests
        and not any(isinstance(s, ENDS) for s in own_statements(node))
    ):
        text += f" {_NO_END}."
    if not loop.stuck and (call := waiting_call(node.body)):
        text += f" It waits in {code(cut(ast.unparse(call), _MAX_CODE))}, at line {call.lineno}."
    if loop.back and not loop.stuck:
        told = _going_back(loop, "a").rstrip(",")
        text += f" {told[0].upper()}{told[1:]}."
    rows = [_row(loop, name) for name in names[:_MAX_NAMES]]
    # A sentence, not a list: views collapse lists, and this is the answer.
    return f"{text} {'; '.join(rows)}." if rows else text


def _rounds(loop: PausedLoop) -> str:
    if not loop.rounds:
        return f", over {loop.total:,} items" if loop.total else ""
    many = f"{'' if loop.exact else 'at least '}{loop.rounds:,}"
    of = f" of {loop.total:,}" if loop.total else ""
    by = f", as {code(loop.counter)} counts" if loop.counter else ""
    return f", in round {many}{of}{by}"


def _row(loop: PausedLoop, name: str) -> str:
    value = loop.place.value(name)
    text = f"{code(name)} is {code(show(value, _MAX_VALUE) if value else '?')}"
    if loop.stuck:
        return text
    lines = may_change(loop.place, own_statements(loop.node), name)
    if not lines and (setter := setter_within(loop.place, name)):
        lines = [setter.lineno]
    return f"{text}, {f'which line {lines[0]} changes' if lines else 'which nothing in the loop changes'}"
