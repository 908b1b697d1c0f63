"""Finds endless retries: `while` loops that `continue` before the statement that would end the loop.

    while todo:
        text = fetch(todo[0])
        if text is None:
            continue            starts the next iteration
        todo.pop(0)             would end the loop

The loop counts as endless only if the iteration up to `continue` is straight-line code whose calls only read, and the
test before the `continue` is true now and depends on nothing that the iteration changes. Then the next iteration is the
same.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import bound
from dap_ai.agent.source.statements import bindings, header_expressions, last_line, names_in
from dap_ai.debuggees.python.analysis.syntax.reading_code import only_reads
from dap_ai.debuggees.python.analysis.syntax.rounds import ENDS, is_set, may_change, number_at, within

_STRAIGHT = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Pass | ast.Continue
_COMPARED: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class GoingBack:
    """The `continue` in `line` that skips `first`, the line of the statement that would end the loop; both 1-based."""

    test: ast.expr
    line: int
    first: int
    changed: str
    """The name in the loop's condition that line `first` changes; empty if line `first` ends the loop directly."""
    for_ever: bool


def going_back(place: FramePlace, loop: ast.While, counter: str) -> GoingBack | None:
    """Return the first `continue` that the loop takes with current values before it would end, or None.

    `counter`: the variable that counts the iterations; empty if unknown, or before the first iteration.
    """
    for index, statement in enumerate(loop.body):
        if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], ast.Continue):
            continue
        if place.frame.line > last_line(statement.body[-1]):
            continue  # this round is past it, and may end the loop
        round_ = [*loop.body[:index], *statement.body]
        after = [*statement.orelse, *loop.body[index + 1 :]]
        if _ending(place, loop, round_) or not (ending := _ending(place, loop, after)):
            continue
        back = statement.body[-1].lineno
        stands_in_it = statement.body[0].lineno <= place.frame.line <= last_line(statement.body[-1])
        if stands_in_it or _holds(place, statement.test):
            has_gone = stands_in_it or _has_gone_back(place, loop.body[:index], statement, counter)
            same = has_gone and _is_same_again(place, loop.body[:index], statement)
            first = min(ending)
            return GoingBack(statement.test, back, first, ending[first], same)
    return None


def _has_gone_back(place: FramePlace, before: Sequence[ast.stmt], branch: ast.If, counter: str) -> bool:
    """Whether an iteration evaluated the test with these values. Values from before the loop prove nothing."""
    counts = any(isinstance(s, ast.AugAssign) and counter in bindings(s) for s in branch.body)
    names = names_in(branch.test)
    return counts or place.frame.line == branch.lineno or not any(name in bindings(s) for s in before for name in names)


def _ending(place: FramePlace, loop: ast.While, block: Sequence[ast.stmt]) -> dict[int, str]:
    """Map each line of the block that can end the loop to the name in the loop's test that it changes, if any."""
    names, found = names_in(loop.test), dict[int, str]()
    for statement in within(block):
        changed = next((name for name in names if _changes(place, statement, name)), "")
        if changed or isinstance(statement, ENDS):
            found[statement.lineno] = changed
    return found


def _changes(place: FramePlace, statement: ast.stmt, name: str) -> bool:
    if is_set(statement, name):
        return True
    looks = only_reads(place.source, header_expressions(statement), place)
    return not looks and bool(may_change(place, [statement], name))


def _is_same_again(place: FramePlace, before: Sequence[ast.stmt], branch: ast.If) -> bool:
    """Whether an iteration that takes the `continue` changes nothing that the test before it depends on."""
    round_ = [*before, *branch.body]
    parts = [branch.test, *(e for s in round_ for e in header_expressions(s))]
    if not all(isinstance(s, _STRAIGHT) for s in round_) or not only_reads(place.source, parts, place):
        return False
    local = bound(place.facts)
    todo, seen = [(name, len(before)) for name in names_in(branch.test)], set[str]()
    while todo:
        name, at = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        setters = [(n, bindings(s)[name]) for n, s in enumerate(round_) if name in bindings(s)]
        if setters:
            # Set once, before it is read, and not from its own old value.
            index, value = setters[0]
            if len(setters) > 1 or index >= at or value is None or isinstance(round_[index], ast.AugAssign):
                return False
            todo += [(each, index) for each in names_in(value)]
        elif any(is_set(s, name) for s in round_) or (name not in local and not _is_global(place, name)):
            return False
    return True


def _is_global(place: FramePlace, name: str) -> bool:
    """Whether the name is a function or builtin that `only_reads` has checked, or a module-level name set once."""
    source = place.source
    if source is None or source.tree is None:
        return False
    return sum(name in bindings(s) for s in source.tree.body) <= 1


def _holds(place: FramePlace, test: ast.expr) -> bool:
    """Whether the test is known to be true with current values."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _truth(place, inner) is False
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            value = place.value(left)
            return value is not None and (value.kind == "none") == isinstance(op, ast.Is)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            one, other = number_at(place, left), number_at(place, right)
            return one is not None and other is not None and _COMPARED[type(op)](one, other)
        case _:
            return _truth(place, test) is True


def _truth(place: FramePlace, node: ast.expr) -> bool | None:
    value = place.value(node)
    if value is None:
        return None
    if value.kind in ("none", "bool"):
        return value.text == "True"
    if value.kind in ("int", "float"):
        found = number_at(place, node)
        return None if found is None else found != 0
    return None if value.length is None or value.kind == "object" else value.length > 0
