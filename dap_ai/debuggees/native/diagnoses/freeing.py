"""Finds where a pointer was freed before the failing line, by reading the source, and how certain that is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dap_ai.agent.source.parsed import Expression, NameWrite
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, argument, plain, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, unqualified
from dap_ai.debuggees.native.analysis.stop_evaluation import always_runs, has_run, is_kept
from dap_ai.system.texts import code

_GIVING = frozenset({"assigned", "changed", "address", "loop"})
_PAGE, _HEADER = 0x1000, 0x10
"""The C library on Linux maps a large block separately. The block's address is the page's address plus a 16-byte
header."""
_UNLIKELY = 0.5
_ROOT = re.compile(r"->|\.|\[")
"""Splits an expression into the variable that it begins with and the way on from there."""


@dataclass(frozen=True)
class Freed:
    """A place where memory was freed before the failing line."""

    file: str
    line: int
    function: str
    text: str
    """The expression of the pointer that was freed."""
    is_known: bool = True
    """Whether the line is known to have run. If False, it may have run."""
    is_itself: bool = True
    """Whether the pointer in question was freed, and not one on its access path."""


def freed_before(draft: ReportBuilder, text: str) -> Freed | None:
    """Find where the pointer, or a pointer on its access path, was freed before: in this function or its callers."""
    spot = spot_of(draft.place)
    while spot is not None:
        found = _freed_in(draft, spot, text)
        if found:
            return found
        spot, text = _in_caller(draft, spot, text)
    return None


def _in_caller(draft: ReportBuilder, spot: FunctionSpot, text: str) -> tuple[FunctionSpot | None, str]:
    """Return the calling line and the caller's expression of a pointer that it passes; None if it passes it not."""
    root = _ROOT.split(text)[0]
    writes = spot.unit.writes(root, spot.function)
    if spot.place is None or any(w.role in _GIVING and w.name in (root, text) for w in writes):
        return None, ""
    found = argument(draft, spot.place, root)
    given = bare(found[1]) if found else None
    if found is None or given is None or given.kind not in ("name", "member", "subscript"):
        return None, ""
    return spot_of(found[0]), given.text + text[len(root) :]


def _freed_in(draft: ReportBuilder, spot: FunctionSpot, text: str) -> Freed | None:
    root = _ROOT.split(text)[0]
    writes = [w for w in spot.unit.writes(root, spot.function) if w.line < spot.line]
    since = spot.function.first
    for write in reversed(writes):
        if write.role == "freed" and _leads_to(write.name, text) and not _is_replaced(write, writes):
            ran = has_run(draft, spot, write.line)
            if ran is not False:
                is_itself = write.name == text
                return Freed(spot.path, write.line, spot.function.name, write.name, ran is True, is_itself)
        elif write.role in _GIVING and write.name in (text, root):
            since = write.line
            break
    return next(_freed_by_call(draft, spot, text, since), None)


def _leads_to(pointer: str, text: str) -> bool:
    """Whether `text` is the pointer or leads on from it: for `p->next`, `p->next->x` but not `p->next_free`."""
    return text == pointer or (text.startswith(pointer) and text[len(pointer)] in "-.[")


def _is_replaced(freed: NameWrite, writes: list[NameWrite]) -> bool:
    """Whether the statement that frees a pointer also sets its name to a new pointer, as in `p = realloc(p, n)`."""
    return any(w.role == "assigned" and w.line == freed.line and w.name == freed.name for w in writes)


def _freed_by_call(draft: ReportBuilder, spot: FunctionSpot, text: str, since: int) -> Iterator[Freed]:
    """Yield earlier calls that pass the pointer, or the object that contains it, to a function that frees it."""
    for path, unit in draft.units():
        for function in unit.functions:
            names = list(map(plain, function.parameters))
            freed = [(p, w) for p in names for w in unit.writes(p, function) if w.role == "freed"]
            calls = spot.unit.calls(unqualified(function.name)) if freed else ()
            for call in (c for c in calls if since <= c.line < spot.line):
                ran = has_run(draft, spot, call.line)
                given = dict(zip(names, (bare(p).text for p in call.parts[1:]), strict=False))
                for parameter, write in freed:
                    if ran is not False and given.get(parameter, "") + write.name[len(parameter) :] == text:
                        known = ran is True and always_runs(unit, function, write.line)
                        yield Freed(path, write.line, function.name, write.name, known)


def explain_freed(draft: ReportBuilder, text: str, freed: Freed) -> None:
    """Describe where a pointer was freed or may have been freed, and suspect that line."""
    where, line_text = draft.spot(freed.line, freed.file), draft.line_text(freed.line, freed.file)
    has, frees, score = ("has", "frees", 0.9) if freed.is_known else ("may have", "may free", _UNLIKELY)
    draft.say(f"{where}, in {code(freed.function)}, {has} freed it: {code(line_text)}.")
    draft.link(freed.file, freed.line, frees, freed.text, freed.function)
    draft.suspect(freed.line, score, f"{frees} {code(freed.text)}, which is used again", freed.file)
    if freed.is_known:
        draft.suspect(draft.line, 0.6, f"uses {code(text)} after it was freed")


def may_be_unmapped(address: int) -> bool:
    """Whether freeing a block may have made it unreadable. The C library keeps the memory of small blocks readable."""
    return address % _PAGE == _HEADER


def tell_other_calls(draft: ReportBuilder, pointer: str) -> None:
    """Describe earlier calls of the failing function by the same caller that may have freed the same pointer."""
    spot, outer = spot_of(draft.place), draft.caller_of(draft.place)
    calling = spot_of(outer) if outer else None
    names = list(map(plain, spot.function.parameters)) if spot else []
    if spot is None or calling is None:
        return
    name, at = unqualified(spot.function.name), names.index(pointer) + 1 if pointer in names else 0
    for call in calling.unit.calls(name):
        if not calling.function.first <= call.line < calling.line:
            continue
        same = _was_given(draft, calling, call, at, pointer)
        if same is not False:
            draft.say(f"{code(name)} has run before, at {draft.spot(call.line, calling.path)}: {code(call.text)}.")
            reason = "frees the same pointer first" if same else "frees first, if both hold the same pointer"
            draft.suspect(call.line, 0.8 if same else _UNLIKELY, f"{code(call.text)} {reason}", calling.path)


def _was_given(draft: ReportBuilder, calling: FunctionSpot, call: Expression, at: int, pointer: str) -> bool | None:
    """Whether an earlier call passed the same pointer. None if the call may not have run or its argument is unknown."""
    ran = has_run(draft, calling, call.line)
    given = bare(call.parts[at]).text if 0 < at < len(call.parts) else ""
    if ran is False or not given or calling.place is None:
        return False if ran is False else None
    now, then = draft.value(pointer), calling.place.value(given)
    if now is None or then is None or not now.address or not then.address or not is_kept(calling, given, call.line):
        return None
    if now.address != then.address:
        return False
    return True if ran else None
