"""Evaluates at the stop what may refute a cause: conditions, whether a line has run, and whether values agree."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.parsed import Expression, Function, NameWrite
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, amount
from dap_ai.debuggees.native.analysis.report_builder import (
    NULLS,
    ReportBuilder,
    bare,
    callee,
    is_null,
    names_of,
    number_of,
    statements,
    within,
)
from dap_ai.debuggees.native.source.flow import Condition
from dap_ai.debuggees.native.source.parsing import ParsedFile
from dap_ai.protocol.contracts.comparisons import COMPARE
from dap_ai.protocol.contracts.inspection import Value

_TRUTHS = {"true": True, "false": False}


def has_run(draft: ReportBuilder, spot: FunctionSpot, line: int) -> bool | None:
    """Whether a line ran before the current line of the frame; None if unknown."""
    if line >= spot.line:
        return None
    conditions = spot.unit.decisions(spot.function, line, spot.line)
    if conditions is None:
        return False
    verdicts = [_was(draft, spot, line, decision) for decision in conditions]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def always_runs(unit: ParsedFile, function: Function, line: int) -> bool:
    """Whether every call of the function runs the line: no condition surrounds the line and no `return` precedes it."""
    return unit.decisions(function, line) == []


def _was(draft: ReportBuilder, spot: FunctionSpot, line: int, decision: Condition) -> bool | None:
    """Whether a condition had the value that the line needs to run.

    None if unknown, as when a name in it may have changed.
    """
    condition, wanted = decision
    if condition is None or spot.place is None or not all(is_kept(spot, n, line) for n in names_of(condition)):
        return None
    found = truth(draft, spot.place, condition)
    return None if found is None else found is wanted


def is_kept(spot: FunctionSpot, name: str, line: int) -> bool:
    """Whether a name still has the value it had at that line, because it is a local variable without later writes."""
    writes = [w for w in spot.unit.writes(name, spot.function) if w.name == name]
    if not name.isidentifier() or not writes or any(w.role == "address" for w in writes):
        return False
    changing = [w for w in writes if w.role not in ("declared", "argument", "freed")]
    return not any(w.line >= line or spot.unit.may_come_back(spot.function, w.line, line) for w in changing)


def truth(draft: ReportBuilder, place: FramePlace, condition: Expression) -> bool | None:
    """Evaluate a condition with the current values of its names; None if unknown."""
    condition = bare(condition)
    while condition.kind == "other" and len(condition.parts) == 1:
        condition = bare(condition.parts[0])
    parts = condition.parts
    if condition.operator == "!" and len(parts) == 1:
        inner = truth(draft, place, parts[0])
        return None if inner is None else not inner
    if condition.operator in ("&&", "||") and len(parts) == 2:
        return _joined(condition.operator, truth(draft, place, parts[0]), truth(draft, place, parts[1]))
    if condition.operator in COMPARE and len(parts) == 2:
        return _compared(draft, place, condition.operator, (bare(parts[0]), bare(parts[1])))
    return _is_set(place.value(condition.text))


def _joined(joint: str, left: bool | None, right: bool | None) -> bool | None:
    decisive = joint == "||"
    if decisive in (left, right):
        return decisive
    return None if None in (left, right) else not decisive


def _compared(draft: ReportBuilder, place: FramePlace, sign: str, sides: tuple[Expression, Expression]) -> bool | None:
    for one, other in (sides, sides[::-1]):
        if other.text in NULLS and (value := place.value(one.text)) is not None and number_of(value) is None:
            is_set = _is_set(value)
            return None if is_set is None or sign not in ("==", "!=") else is_set is (sign == "!=")
    left, right = (amount(draft, side, place) for side in sides)
    return None if left is None or right is None else COMPARE[sign](left, right)


def _is_set(value: Value | None) -> bool | None:
    if value is None:
        return None
    if value.text in _TRUTHS:
        return _TRUTHS[value.text]
    if is_null(value):
        return False
    number = number_of(value)
    if number is not None:
        return number != 0
    return True if value.kind == "pointer" and value.address else None


def gives(draft: ReportBuilder, spot: FunctionSpot, write: NameWrite) -> bool | None:
    """Whether a name still has the value that a line set; None if unknown."""
    value = bare(write.value) if write.value else None
    if value is None or spot.place is None or any(part.kind in ("call", "assign") for part in within(value)):
        return True if value is not None and spot.place else None  # the result of a call is not evaluated
    if not all(is_kept(spot, name, write.line) for name in names_of(value)):
        return None
    return _agree(draft, spot.place, write.name, value)


def _agree(draft: ReportBuilder, place: FramePlace, name: str, other: Expression) -> bool | None:
    """Whether a name and an expression are the same number or pointer now; None if unknown."""
    holds, value = place.value(name), place.value(other.text)
    if holds is not None and value is not None and holds.kind == "pointer":
        return holds.address == value.address if value.kind == "pointer" else None
    left, right = number_of(holds), amount(draft, other, place)
    return None if left is None or right is None else left == right


def last_writes(draft: ReportBuilder, spot: FunctionSpot, writes: list[NameWrite]) -> list[NameWrite]:
    """Return the writes that may have been the last, nearest first.

    Overwritten writes, and writes known not to have run, are omitted.
    """
    found: list[NameWrite] = []
    is_over = False
    for write in writes:
        if write.line >= spot.line or write.role in ("declared", "argument"):
            found += [] if is_over and write.line < spot.line else [write]
            continue
        ran = has_run(draft, spot, write.line)
        if ran is not False and not is_over:
            found.append(write)
            is_over = ran is True and write.role == "assigned" and write.value is not None
    return found


def never_set(draft: ReportBuilder, spot: FunctionSpot, declared: NameWrite, sets: list[NameWrite]) -> bool | None:
    """Whether no line has set a variable that is declared without a value; None if unknown."""
    if _may_be_filled(draft, spot, declared.name):
        return None
    if not sets:
        return True
    if spot.place is None:
        return None
    ran = [has_run(draft, spot, write.line) for write in sets]
    return False if True in ran else None if None in ran else True


def _may_be_filled(draft: ReportBuilder, spot: FunctionSpot, name: str) -> bool:
    """Whether a line passes a variable to code that may set it: by reference, with `>>`, or to a macro."""
    handed = [
        (call, at) for call in calls_with(spot, name) for at, e in enumerate(call.parts[1:]) if bare(e).text == name
    ]
    if any(call.line < spot.line and _by_reference(draft, spot, callee(call), at) for call, at in handed):
        return True
    return any(part.operator == ">>" and bare(part.parts[-1]).text == name for part in _parts(spot))


def calls_with(spot: FunctionSpot, name: str) -> list[Expression]:
    """Return the calls in a function that have the name as an argument, except calls that allocate or free."""
    known = ("free", "realloc", "sizeof")
    calls = [part for part in _parts(spot) if part.kind == "call" and callee(part) not in known]
    return [call for call in calls if any(bare(e).text == name for e in call.parts[1:])]


def _parts(spot: FunctionSpot) -> Iterator[Expression]:
    for statement in statements(spot.unit, spot.function):
        yield from (part for root in statement.expressions for part in within(root))


def _by_reference(draft: ReportBuilder, spot: FunctionSpot, name: str, at: int) -> bool:
    found = draft.defined(name)
    if found is None:
        return spot.unit.language == "cpp" or name.isupper()
    types = found[2].types
    return at >= len(types) or ("&" in types[at] and not types[at].startswith("const "))
