"""Finds the number of elements of an array or container, by its type, its allocation, or the caller's argument."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.analysis.reachability import amount, argument, reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, callee, integer, number_of
from dap_ai.protocol.contracts.inspection import Value

_ARRAY = re.compile(r"\[(\d+)\]|;\s*(\d+)\]")
_MAX_HOPS = 5


@dataclass(frozen=True)
class Size:
    """A number of elements, and the line that states this number."""

    count: int
    file: str
    line: int
    words: str
    """How the line states the number: `declared with 6`, `allocated for 4`. Empty if the container itself states it."""


def size_of(draft: ReportBuilder, place: FramePlace, text: str, hops: int = 0) -> Size | None:
    """Return the number of elements of the variable that a frame knows by this name, or None if unknown.

    The number comes from the variable's type, its allocation, or the caller's argument.
    """
    value = place.value(text)
    count = length_of(value)
    spot = spot_of(place)
    if count is not None:
        return Size(count, place.frame.path, *_declared(place, text, count))
    if spot is None or hops > _MAX_HOPS:
        return None
    for write in reaching(spot.unit, spot.function, text, spot.line):
        given = bare(write.value) if write.value and write.role in ("assigned", "declared") else None
        number = _allocation(draft, place, given) if given else None
        if number is not None:
            return Size(number, spot.path, write.line, f"allocated for {number}")
        if given and given.kind in ("name", "member") and given.text != text:
            return size_of(draft, place, given.text, hops + 1)
    found = argument(draft, place, text)
    return size_of(draft, found[0], bare(found[1]).text, hops + 1) if found else None


def length_of(value: Value | None) -> int | None:
    """Return the number of elements that the value's type or length states; None for pointers and other values."""
    if value is None or value.kind in ("pointer", "reference"):
        return None
    found = _ARRAY.search(value.type)
    if found and value.kind in ("array", "object", "str", "list"):
        return int(found[1] or found[2])
    return value.length if value.kind in ("array", "list") else None


def _declared(place: FramePlace, text: str, count: int) -> tuple[int, str]:
    spot = spot_of(place)
    writes = spot.unit.writes(text, spot.function) if spot else []
    line = next((w.line for w in writes if w.role in ("declared", "assigned")), 0)
    value = place.value(text)
    fixed = value is not None and bool(_ARRAY.search(value.type))
    return (line, f"declared with {count}") if line and fixed else (0, "")


def _allocation(draft: ReportBuilder, place: FramePlace, given: Expression) -> int | None:
    """Return the number of elements that `malloc(n * sizeof(T))`, `calloc(n, size)` or `new T[n]` allocates.

    Returns None if the number is unknown.
    """
    if found := re.match(r"new\s+[\w:<>]+\s*\[(.+)\]", given.text):
        return number_of(place.value(found[1])) if integer(found[1]) is None else integer(found[1])
    name = callee(given) if given.kind == "call" else ""
    if name == "calloc" and len(given.parts) > 1:
        return amount(draft, given.parts[1], place)
    if name != "malloc" or len(given.parts) < 2:
        return None
    size = bare(given.parts[1])
    if size.kind == "binary" and size.operator == "*":
        counts = [p for p in size.parts if "sizeof" not in p.text]
        return amount(draft, counts[0], place) if len(counts) == 1 else amount(draft, size, place)
    return amount(draft, size, place)
