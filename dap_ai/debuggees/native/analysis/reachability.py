"""Finds what reaches a line: writes in its function, the caller's arguments, and the numbers in an expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.parsed import Expression, Function, NameWrite
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    integer,
    number_of,
    statements,
    unqualified,
    within,
)
from dap_ai.debuggees.native.source.languages import unit_of
from dap_ai.debuggees.native.source.parsing import ParsedFile

_MEMBER = re.compile(r"(?:->|\.)(\w+)$")


@dataclass(frozen=True)
class FunctionSpot:
    """A line of a function. `place` is the function's frame if it is running, or None if it has returned."""

    path: str
    unit: ParsedFile
    function: Function
    line: int
    place: FramePlace | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """Key that is the same for all lines of one call."""
        return self.path, self.function.name, self.place.frame.id if self.place else -1


def spot_of(place: FramePlace) -> FunctionSpot | None:
    """Return the current line of a frame, or None if no function of its file contains the line."""
    unit = unit_of(place.source)
    function = unit.function_at(place.frame.line) if unit else None
    return FunctionSpot(place.frame.path, unit, function, place.frame.line, place) if unit and function else None


def parameters_of(place: FramePlace) -> list[str]:
    """Return the names of a frame's parameters, without `*` and `&`."""
    spot = spot_of(place)
    return [p.lstrip("*& ") for p in spot.function.parameters] if spot else []


def reaching(unit: ParsedFile, function: Function, name: str, line: int) -> list[NameWrite]:
    """Return writes to exactly this name that may reach the line: earlier ones, nearest first, then later ones.

    A later write counts only if a loop may repeat the line.
    """
    exact = [w for w in unit.writes(name, function) if w.name == name]
    before = sorted((w for w in exact if w.line < line or _is_earlier(w, line)), key=lambda w: -w.line)
    roles = ("assigned", "changed", "loop", "freed")
    later = [w for w in exact if w.line >= line and w.role in roles]
    later = [w for w in later if (w.line == line and w.role != "freed") or unit.may_come_back(function, w.line, line)]
    return [*before, *later]


def _is_earlier(write: NameWrite, line: int) -> bool:
    return write.role == "argument" or (write.role == "declared" and write.line == line)


def argument(draft: ReportBuilder, place: FramePlace, name: str) -> tuple[FramePlace, Expression] | None:
    """Return the calling frame and the expression that it passes for a parameter of this frame's function, or None."""
    spot, outer = spot_of(place), draft.caller_of(place)
    outer_unit = unit_of(outer.source) if outer else None
    if spot is None or outer is None or outer_unit is None:
        return None
    names = [p for p in map(plain, spot.function.parameters) if p != "self"]
    calls = calls_at(outer_unit, unqualified(spot.function.name), outer.frame.line)
    call = next((c for c in calls if c.parts and _may_be_call(place, names, c)), None)
    if call is None:
        return None
    if name in ("this", "self"):
        holder = call.parts[0]
        return (outer, holder.parts[0]) if holder.kind == "member" and holder.parts else None
    index = names.index(name) if name in names else -1
    given = call.parts[1:]
    return (outer, given[index]) if 0 <= index < len(given) else None


def _may_be_call(place: FramePlace, names: list[str], call: Expression) -> bool:
    """Whether every number that the call passes equals the parameter's current value."""
    pairs = ((integer(p.text), number_of(place.value(n))) for n, p in zip(names, call.parts[1:], strict=False))
    return all(given is None or now is None or given == now for given, now in pairs)


def calls_at(unit: ParsedFile, name: str, line: int) -> list[Expression]:
    """Return the calls of the function `name` in the statement at the line. Calls on the line itself are first."""
    around = unit.statement_at(line)
    first, last = (around.first, around.last) if around else (line, line)
    return sorted((c for c in unit.calls(name) if first <= c.line <= last), key=lambda c: c.line != line)


def member_writes(draft: ReportBuilder, member: str) -> Iterator[tuple[str, Function, int, Expression]]:
    """Yield every assignment to a member of this name in the files on the stack: (file, function, line, assignment)."""
    for path, unit in draft.units():
        for function in unit.functions:
            for statement in statements(unit, function):
                for each in statement.expressions:
                    yield from ((path, function, e.line, e) for e in within(each) if _sets(e, member))


def _sets(expression: Expression, member: str) -> bool:
    if expression.kind != "assign" or len(expression.parts) < 2:
        return False
    found = _MEMBER.search(re.sub(r"\[[^\[\]]*\]", "", expression.parts[0].text))
    return bool(found) and found[1] == member


def plain(parameter: str) -> str:
    """Return a parameter's name without `mut`, `*` and `&`."""
    return re.sub(r"^(?:mut\s+|[*&\s])+", "", parameter).strip()


def indent(draft: ReportBuilder, line: int) -> int:
    """Return the number of blanks before the code of a line in the failing file."""
    source = draft.place.source
    return blanks(source.line(line)) if source else 0


def blanks(line: str) -> int:
    """Return the number of blanks before the code in a line of text."""
    return len(line) - len(line.lstrip())


def amount(draft: ReportBuilder, expression: Expression, place: FramePlace | None = None) -> int | None:
    """Compute an arithmetic expression with the current values of its names. Return None if a value is unknown."""
    expression = bare(expression)
    where = place or draft.place
    known = integer(expression.text)
    if known is None:
        known = number_of(where.value(expression.text))
    if known is not None or expression.kind != "binary" or len(expression.parts) != 2:
        return known
    left, right = (amount(draft, part, where) for part in expression.parts)
    if left is None or right is None:
        return None
    return {"+": left + right, "-": left - right, "*": left * right}.get(expression.operator)
