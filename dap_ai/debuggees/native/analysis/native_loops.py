"""Evaluates at the stop why a loop's index passes the end: a wrong condition, a wrong limit, or an unsigned type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.parsed import Expression, NameWrite
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, amount
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    callee,
    integer,
    names_of,
    number_of,
    within,
)
from dap_ai.protocol.contracts.inspection import Value

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "..": "..", "..=": "..="}
_UPWARD = frozenset({"<", "<=", "!=", "..", "..="})
_INCLUSIVE = frozenset({"<=", "..="})
_LENGTHS = frozenset({"size", "length", "len"})
_LAST = re.compile(r"(?i)(?:^|_|\.|>|[a-z])(?:last|top|high|hi|max|right|upper|final)$")
"""Matches names of indexes that a loop is meant to reach, such as `last`."""
_UNSIGNED = re.compile(r"unsigned|\bsize_t|size_type|uint|^u\d|usize")
_NARROW = re.compile(r"\bchar\b|\bshort\b|\bu?int(?:8|16)_t\b|^[ui](?:8|16)$")
"""Matches types that C promotes to `int`, so that 0 minus 1 is -1."""
_WIDE = re.compile(r"long|size|64|ptr")

Fault = Literal["one too far", "no limit", "limit", "wraps", "never below", "unknown", "none"]
"""What is wrong with a loop's header. one too far: the last iteration fails; an operator without `=` would
omit it. limit: the loop stops at its limit, but the limit is too large. wraps: the limit wrapped around below 0. none:
with the values at the stop, the header ends the loop before such an index."""


@dataclass(frozen=True)
class NativeLoop:
    """A loop's header, judged by the values that its index and its limit have at the stop."""

    fault: Fault
    limit: Expression | None = None
    code: str = ""
    """The faulty part of the header, such as `n - 1`, `i >= 0` or `<=`."""
    is_meant: bool = False
    """Whether the code suggests that the last iteration is intended. The indexed memory may then be too small."""


def judge(draft: ReportBuilder, spot: FunctionSpot, write: NameWrite, bound: int | None, base: str = "") -> NativeLoop:
    """Find what in a loop's header lets its index reach its current value.

    `bound`: number of elements of `base`, or None if unknown.
    """
    place = spot.place
    value = place.value(write.name) if place else None
    at = number_of(value)
    if place is None or at is None:
        return NativeLoop("unknown")
    found = _limit(spot, write)
    if found is None:
        return NativeLoop("no limit" if bound is not None and at >= bound else "unknown")
    sign, limit = found
    if sign == ">=" and integer(limit.text) == 0 and _is_unsigned(value):
        return NativeLoop("never below" if _is_wrapped(at, value) else "none", limit, f"{write.name} >= 0")
    if sign not in _UPWARD:
        return NativeLoop("unknown", limit)
    if code := _wrapped(place, limit):
        return NativeLoop("unknown" if _is_changed(spot, write.line, limit) else "wraps", limit, code)
    end = limit_of(draft, limit, place)
    if end is None or _is_changed(spot, write.line, limit):
        return NativeLoop("unknown", limit)
    if at > end or (at == end and sign not in _INCLUSIVE):
        return NativeLoop("none", limit)
    if at < end:
        return NativeLoop("limit", limit)
    fits = at == bound if bound is not None else is_right_behind(draft)
    if not fits:
        return NativeLoop("limit" if fits is False else "unknown", limit)
    return NativeLoop("one too far", limit, sign, _is_meant(spot, write, limit, base))


def limit_of(draft: ReportBuilder, limit: Expression, place: FramePlace) -> int | None:
    """Return the current value of a loop's limit: a number, or a container's length for a call of `size()`."""
    holder = limit.parts[0] if limit.kind == "call" and len(limit.parts) == 1 else None
    if holder is None or holder.kind != "member" or callee(limit) not in _LENGTHS:
        return amount(draft, limit, place)
    value = place.value(bare(holder.parts[0]).text)
    return value.length if value else None


def _limit(spot: FunctionSpot, write: NameWrite) -> tuple[str, Expression] | None:
    """Return the operator and the limit of the header's comparison for a name, or None.

    If the name is on the right, the operator is turned as if the name were on the left.
    """
    for root in spot.unit.loop_header(write.line):
        for part in within(root):
            if len(part.parts) != 2 or part.operator not in _TURNED:
                continue
            left, right = map(bare, part.parts)
            if part.operator.startswith(".."):
                return part.operator, right
            if left.text == write.name:
                return part.operator, right
            if right.text == write.name:
                return _TURNED[part.operator], left
    return None


def _is_unsigned(value: Value | None) -> bool:
    return value is not None and bool(_UNSIGNED.search(value.type))


def _is_wrapped(number: int, value: Value | None) -> bool:
    """Whether the highest bit of an unsigned number is set, as it is after counting down below 0."""
    kind = value.type if value else ""
    narrow = _NARROW.search(kind)
    bits = (8 if "char" in narrow[0] or "8" in narrow[0] else 16) if narrow else 64 if _WIDE.search(kind) else 32
    return bool(number >> (bits - 1))


def _wrapped(place: FramePlace, limit: Expression) -> str:
    """Return the text of a limit such as `n - 1` if it wraps around, because `n` is 0 and unsigned; else empty.

    A type that C promotes to `int` does not wrap around.
    """
    if limit.operator != "-" or len(limit.parts) != 2 or integer(limit.parts[1].text) != 1:
        return ""
    value = place.value(bare(limit.parts[0]).text)
    wraps = number_of(value) == 0 and _is_unsigned(value) and value is not None and not _NARROW.search(value.type)
    return limit.text if wraps else ""


def _is_changed(spot: FunctionSpot, line: int, limit: Expression) -> bool:
    """Whether a line after the loop's header changes a name in the limit."""
    found = [w for name in names_of(limit) for w in spot.unit.writes(name, spot.function)]
    return any(w.line > line and w.role in ("assigned", "changed", "address", "loop") for w in found)


def is_right_behind(draft: ReportBuilder) -> bool | None:
    """Whether the sanitizer's report places the access directly after the memory; None if it gives no position."""
    report = draft.report
    said = " ".join([*report.facts, report.text]) if report else ""
    found = re.search(r"(\d+) bytes (after|to the right of)", said)
    return int(found[1]) == 0 if found else None


def _is_meant(spot: FunctionSpot, write: NameWrite, limit: Expression, base: str) -> bool:
    """Whether the limit seems to be a valid index, judged by its name, its other uses and its origin."""
    limit = _origin(spot, limit)
    ends_text = any(part.kind == "call" and callee(part) == "strlen" for part in within(limit))
    used = base and f"{base}[{limit.text}]" in {e.text for e in spot.unit.reads(spot.function)}
    start = start_of(spot, write)
    from_one = start is not None and (integer(start.text) or 0) > 0
    return bool(_LAST.search(limit.text) or ends_text or used or from_one)


def _origin(spot: FunctionSpot, limit: Expression) -> Expression:
    """Return the call that is the only source of the limit's value, or the limit itself if there is no such call."""
    writes = [w for w in spot.unit.writes(limit.text, spot.function) if w.name == limit.text]
    value = bare(writes[0].value) if len(writes) == 1 and writes[0].value else None
    return value if value is not None and value.kind == "call" else limit


def start_of(spot: FunctionSpot, write: NameWrite) -> Expression | None:
    """Return the expression of the index's initial value, or None if it is unknown."""
    for root in spot.unit.loop_header(write.line):
        if root.operator.startswith(".."):
            return bare(root.parts[0])
    writes = [w for w in spot.unit.writes(write.name, spot.function) if w.name == write.name and w.line <= write.line]
    here = [w for w in writes if w.line == write.line]
    given = here[0].value if here and here[0].value else next((w.value for w in reversed(writes) if w.value), None)
    return bare(given) if given else None
