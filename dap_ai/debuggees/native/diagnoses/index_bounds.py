"""Diagnoses an index or a copy past the end of its memory: the index, the size, and the wrong loop or missing check."""

from __future__ import annotations

import re
from typing import NamedTuple

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.parsed import Expression, NameWrite
from dap_ai.debuggees.native.analysis.native_loops import NativeLoop, judge, limit_of, start_of
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, amount, reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    brief,
    integer,
    is_null,
    names_of,
    within,
)
from dap_ai.debuggees.native.diagnoses.copying import tell_allocated, tell_arrays, tell_copy
from dap_ai.debuggees.native.diagnoses.freed_memory import own_frame
from dap_ai.debuggees.native.diagnoses.sizes import Size, length_of, size_of
from dap_ai.system.texts import code

_REPORTED = re.compile(
    r"buffer-(over|under)flow|container-overflow|out[- ]of[- ]bounds|out_of_range|stack smashing|buffer overflow"
    r"|negative-size-param|range end index|range start index",
    re.IGNORECASE,
)
_PANIC = re.compile(r"the len is (\d+) but the index is (\d+)")
_UBSAN = re.compile(r"index (-?\d+) out of bounds for type '[^']*?\[(\d+)\]")
_REGION = re.compile(r"(\d+) bytes (?:after|before|inside of|to the (?:right|left) of) (?:an? )?(\d+)-byte region")
_GLOBAL = re.compile(r"global variable '([^']+)'.*? of size (\d+)", re.DOTALL)
_LOCAL = re.compile(r"<== Memory access at offset (\d+) ")
_OBJECT = re.compile(r"\[(\d+), (\d+)\) '([^']+)'")
"""Matches a local variable in AddressSanitizer's report: the variable's first offset, end offset and name."""
_WILD = 1 << 24
_CLEAR = 0.6
"""Minimum score of a suspect that explains the failure."""
_NOT_SEEN = 0.55
"""Score of a suspect whose part in the failure could not be evaluated. Such a suspect is only a guess."""
_LET_THROUGH = 0.4
"""Score of a loop that correctly stops at a limit, if other lines set the limit too large."""


def diagnose(draft: ReportBuilder) -> bool:
    """Explain an access past the end of memory, shown by a report or by an index on the failing line.

    Returns whether the stop is such a failure.
    """
    report = draft.report
    if report and report.tool != "terminate" and _REPORTED.search(f"{report.kind} {report.message}"):
        draft.analysis.kind = "overflow"
        _reported(draft, report)
        return True
    if not draft.signal or report:
        return False
    if _returned_astray(draft):
        return True
    return any(_explain(draft, subscript, wild=True) for subscript in reversed(draft.subscripts))


def _returned_astray(draft: ReportBuilder) -> bool:
    """Explain a `return` to an invalid address. One of the function's local arrays overwrote the return address.

    Returns whether the failing line is such a `return`.
    """
    fault = draft.fault
    returning = bool(fault and fault.instruction.startswith("ret")) or draft.line_text(draft.line) == "}"
    arrays = [v for v in draft.place.facts.locals if length_of(v.value)] if draft.place.facts else []
    if not returning or not arrays or draft.signal not in ("SIGSEGV", "SIGBUS", "SIGILL", "EXC_BAD_ACCESS"):
        return False
    draft.analysis.kind = "overflow"
    draft.say("The function fails when it returns: its return address was overwritten.")
    tell_arrays(draft)
    return True


def _reported(draft: ReportBuilder, report: Report) -> None:
    _region(draft, report)
    told = _PANIC.search(report.message) or None
    said = _UBSAN.search(report.message)
    index = int(told[2]) if told else int(said[1]) if said else None
    fitting = [e for e in draft.subscripts if index is None or amount(draft, e.parts[1]) == index]
    size = int(told[1]) if told else int(said[2]) if said else None
    done = any(_explain(draft, e, count=size) for e in reversed(fitting))
    if not done and fitting and (told or said):
        _index(draft, fitting[-1], index, size)
    elif not done and not _copied(draft) and not told and not said:
        _loops(draft, draft.subscripts)
    if "smashing" in f"{report.kind} {report.message}":
        tell_arrays(draft)
    if own := own_frame(draft, draft.stack("allocated")):
        tell_allocated(draft, *own)


def _copied(draft: ReportBuilder) -> bool:
    """Explain a copying function on the failing line. If the copied size would fit, blame the index of the target.

    Returns whether the line has a copying function.
    """
    copy = tell_copy(draft)
    if copy and copy.fits:
        _loops(draft, [e for e in within(copy.into) if e.kind == "subscript"])
    return copy is not None


def _region(draft: ReportBuilder, report: Report) -> None:
    access = f"The {report.access} of {report.size} bytes" if report.access and report.size else "The access"
    facts = " ".join([*report.facts, report.text])
    if found := _REGION.search(facts):
        is_past = "after" in found[0] or "right" in found[0]
        draft.say(f"{access} is {f'{found[1]} bytes past' if is_past else 'outside of'} a block of {found[2]} bytes.")
    elif found := _GLOBAL.search(facts):
        draft.say(f"{access} is outside of the global {code(found[1])}, which has {found[2]} bytes.")
    elif (found := _LOCAL.search(facts)) and (where := _of_local(facts, int(found[1]))):
        draft.say(f"{access} {where}.")


def _of_local(facts: str, offset: int) -> str:
    """Describe where in the frame the access begins, by the local variables around it; empty if the report lists none.

    AddressSanitizer marks the nearest variable, which often is not the variable that was overrun.
    """
    objects = [(int(first), int(end), name) for first, end, name in _OBJECT.findall(facts)]
    if inside := next((name for first, end, name in objects if first <= offset < end), ""):
        return f"begins in the local variable {code(inside)} and ends behind it"
    before = max((each for each in objects if each[1] <= offset), key=lambda each: each[1], default=None)
    if before:
        past = offset - before[1]
        return f"begins {f'{past} bytes' if past else 'right'} behind the local variable {code(before[2])}"
    after = min((each for each in objects if each[0] > offset), default=None)
    return f"begins {after[0] - offset} bytes before the local variable {code(after[2])}" if after else ""


def _explain(draft: ReportBuilder, subscript: Expression, count: int | None = None, *, wild: bool = False) -> bool:
    """Explain an index that is outside its bounds. Return whether it is."""
    base, index = bare(subscript.parts[0]), bare(subscript.parts[1])
    if is_null(draft.value(base.text)):
        return False
    number = amount(draft, index)
    size = size_of(draft, draft.place, base.text)
    bound = count if count is not None else (size.count if size else None)
    if number is None or not (number < 0 or (bound is not None and number >= bound) or (wild and number > _WILD)):
        return False
    _index(draft, subscript, number, bound, size)
    return True


def _index(
    draft: ReportBuilder, subscript: Expression, number: int | None, bound: int | None, size: Size | None = None
) -> None:
    draft.analysis.kind = "overflow"
    base, index = bare(subscript.parts[0]), bare(subscript.parts[1])
    told = draft.code(index.text)
    if integer(index.text) is not None:
        told = f"The index is {code(index.text)}"
    elif draft.value(index.text) is None:
        told = f"{code(index.text)} is {code(str(number))}"
        for name in names_of(index):
            draft.cite(name)
    draft.cite(base.text)
    draft.say(f"{told}, but {_room(draft, base.text, bound, size)}.")
    if size and size.words:
        draft.link(size.file, size.line, "states the size of", base.text, "")
        draft.suspect(size.line, 0.4, f"{code(base.text)} is {size.words}", size.file)
    _blame(draft, index, number, _Room(base.text, bound, size))


def _room(draft: ReportBuilder, base: str, bound: int | None, size: Size | None) -> str:
    if bound is None:
        return f"{code(base)} cannot have that many elements"
    where = f" ({size.words} at {draft.spot(size.line, size.file)})" if size and size.words else ""
    if bound == 0:
        return f"{code(base)} is empty{where}"
    return f"{code(base)} has {bound} element{'s' if bound > 1 else ''}, the indices 0 to {bound - 1}{where}"


class _Room(NamedTuple):
    """The indexed expression and its number of elements. `bound` is None if the number is unknown."""

    base: str
    bound: int | None
    size: Size | None = None


def _blame(draft: ReportBuilder, index: Expression, number: int | None, room: _Room) -> None:
    names = names_of(index) or [index.text]
    spot = spot_of(draft.place)
    for name in names:
        writes = reaching(spot.unit, spot.function, name, spot.line + 1) if spot else []
        loop = next((w for w in writes if w.role == "loop"), None)
        if loop and spot:
            _loop(draft, spot, loop, room)
        else:
            trace(draft, name, OriginQuery(str(number), past_end=number == room.bound))
    top = next(iter(draft.done().suspects), None)
    if top and top.score >= _CLEAR and "without a value" in top.reason:
        draft.analysis.kind = "uninitialised"
        draft.say(f"It was never set: {draft.spot(top.line, top.file)} {top.reason}.")
        draft.advise("Compile with `-Wall -Wextra -O1` (or `-Wmaybe-uninitialized`): the compiler warns of it.")
    elif index.text in names and not draft.analysis.fix:
        limit = f" < {room.bound}" if room.bound else ""
        draft.advise(f"Check {code(index.text)}{limit} before this line, where it may come from outside.")


def _loop(draft: ReportBuilder, spot: FunctionSpot, write: NameWrite, room: _Room) -> None:
    """Blame the part of a loop's header that the values at the stop show to be wrong: operator, limit or wraparound."""
    line, name = write.line, write.name
    loop = judge(draft, spot, write, room.bound, room.base)
    draft.link(spot.path, line, "counts", name, spot.function.name)
    if loop.fault == "wraps" and loop.limit:
        wrapped = bare(loop.limit.parts[0]).text
        draft.say(
            f"{draft.code(wrapped)}, so {code(loop.code)} of the loop's header wraps around to a very large number."
        )
        draft.suspect(line, 0.95, f"{code(loop.code)}, where {code(wrapped)} is 0 and unsigned")
    elif loop.fault == "never below":
        always = f"{code(loop.code)} always holds, because {code(name)} is unsigned"
        draft.say(f"{always}: 1 less than 0 is the largest number of its type.")
        draft.suspect(line, 0.95, always)
        draft.advise(f"Count down with {code(f'for ({name} = n; {name}-- > 0;)')}, or with a signed type.")
    elif loop.fault == "one too far":
        _one_too_far(draft, write, loop, room)
    elif loop.fault == "limit" and loop.limit:
        _limited(draft, line, name, loop.limit, room)
    elif loop.fault == "no limit":
        draft.suspect(line, 0.75, f"the loop's header does not limit {code(name)}")
    elif loop.fault == "none":
        start = start_of(spot, write)
        _trace_numbers(draft, names_of(start) if start else [])
    elif loop.fault == "unknown":
        draft.suspect(line, _NOT_SEEN, f"the loop may let {code(name)} go too far for what it indexes")


def _one_too_far(draft: ReportBuilder, write: NameWrite, loop: NativeLoop, room: _Room) -> None:
    line, name, source = write.line, write.name, draft.place.source
    end = room.bound if room.bound is not None else "its limit"
    if loop.is_meant:
        reason = f"the loop lets {code(name)} become {end}: {code(loop.code)}, or what it indexes is too small"
        draft.suspect(line, _NOT_SEEN - 0.1, reason)
        if room.size and room.size.words and loop.limit:
            reason = f"{code(room.base)} is {room.size.words}, and the loop goes to {code(loop.limit.text)}"
            draft.suspect(room.size.line, _NOT_SEEN, reason, room.size.file)
        for limit in names_of(loop.limit) if loop.limit else ():
            trace(
                draft, limit, OriginQuery(brief(value) if (value := draft.value(limit)) else "too large", unproven=True)
            )
        return
    new = {"<=": "<", "..=": ".."}[loop.code]
    draft.suspect(line, 0.95, f"the loop lets {code(name)} become {end}: {code(loop.code)} where {code(new)} fits")
    whole = source.line(line) if source else ""
    found = re.search(rf"\b{re.escape(name)}\s*(<=)|(\.\.=)", whole)
    if source and found:
        at = found.start(1 if found[1] else 2)
        draft.analysis.fix = SourceEdit(source, line, line, [whole[:at] + new + whole[at + len(loop.code) :]])


def _limited(draft: ReportBuilder, line: int, name: str, limit: Expression, room: _Room) -> None:
    """Blame a loop's limit that is too large. For a limit with names, also blame the lines that set their values."""
    end = limit_of(draft, limit, draft.place)
    names = [text for text in names_of(limit) if draft.value(text) is not None]
    if names and end is not None and integer(limit.text) is None:
        draft.say(f"The loop ends at {draft.aside(limit.text) if limit.text in names else code(limit.text)}.")
        draft.suspect(line, _LET_THROUGH, f"the loop lets {code(name)} go up to {code(limit.text)}, which is {end}")
        _trace_numbers(draft, names)
    else:
        sure = room.bound is not None and end is not None and end > room.bound
        reason = f"the loop lets {code(name)} go up to {code(limit.text)}"
        draft.suspect(line, 0.75 if sure else _NOT_SEEN, reason)


def _trace_numbers(draft: ReportBuilder, names: list[str]) -> None:
    for name in names:
        if (number := draft.number(name)) is not None:
            trace(draft, name, OriginQuery(str(number)))


def _loops(draft: ReportBuilder, subscripts: list[Expression]) -> None:
    """Blame the loops that count the indexes on the failing line, if the size of the memory is unknown."""
    for subscript in subscripts:
        number, size = amount(draft, subscript.parts[1]), size_of(draft, draft.place, bare(subscript.parts[0]).text)
        for name in names_of(subscript.parts[1]):
            draft.code(name)
        if number is not None and size and number < size.count:
            continue  # within the number of elements asked for, so each element is larger than the allocation assumed
        _blame(draft, bare(subscript.parts[1]), number, _Room(bare(subscript.parts[0]).text, None))
