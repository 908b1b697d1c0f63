"""Explains copies and allocations around an overrun: what was copied, how much fits, and what the values confirm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.parsed import Expression
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.native.analysis.native_loops import is_right_behind
from dap_ai.debuggees.native.analysis.reachability import amount
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, callee
from dap_ai.debuggees.native.diagnoses.sizes import Size, length_of, size_of
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_COPIES = frozenset({"strcpy", "strcat", "sprintf", "vsprintf", "gets", "stpcpy", "scanf", "sscanf", "fscanf"})
_COUNTED = frozenset(
    {"memcpy", "memmove", "memset", "strncpy", "strncat", "snprintf", "read", "recv", "fread", "fgets"}
)
_WHOLE = frozenset({"strcpy", "stpcpy"})
_SOURCE_AT = 2
"""Index of the copied data in a call's `parts`, which begin with the called function."""
_COUNT_AT = {"snprintf": 1, "fgets": 1}
"""0-based index of the argument that limits the number of bytes. In functions not listed here, the index is 2."""
_OF_A_POINTER = re.compile(
    r"(?P<type>\w+)\s*\*\s*(?P<name>\w+)\s*=.*\b[mc]alloc\(.*"
    r"(?P<size>sizeof\s*\(\s*(?:struct\s+)?(?P=type)\s*\*\s*\)|sizeof\s*\(\s*(?P=name)\s*\)|sizeof\s+(?P=name)\b(?!\s*[\[-]))"
)
"""Matches an allocation with the size of a pointer: `T *p = malloc(n * sizeof(T *))` or `malloc(sizeof p)`."""
_NO_LARGER = re.compile(r"(?:char|short|int|long|float|double|bool|_Bool|size_t|u?int\d+_t|ptrdiff_t)$")
"""Matches types that are no larger than a pointer."""
_CLEAR, _NOT_SEEN, _UNLIKELY = 0.6, 0.55, 0.5


def copies(draft: ReportBuilder) -> Iterator[tuple[str, int, str, str]]:
    """Yield calls that copy without a limit, in the files on the stack: (file, line, function, target)."""
    for path, unit in draft.units():
        for name in sorted(_COPIES):
            yield from ((path, c.line, name, bare(c.parts[1]).text) for c in unit.calls(name) if len(c.parts) > 1)


def overran(draft: ReportBuilder, text: str) -> bool | None:
    """Whether a character array has lost its final zero; None if no frame has the array."""
    values = (place.value(text) for place in draft.case.places)
    return next((found for value in values if (found := _is_full(value)) is not None), None)


def _is_full(value: Value | None) -> bool | None:
    size = length_of(value)
    if value is None or size is None or value.length is None or value.kind != "str":
        return None
    return value.length >= size


class Copy(NamedTuple):
    """The target of a copying function on the failing line, and whether the copied data fits into it."""

    into: Expression
    fits: bool


def tell_copy(draft: ReportBuilder) -> Copy | None:
    """Explain a copying function on the failing line, or return None if the line calls none.

    If the data is too large for its target, the line becomes a suspect.
    """
    call = next((e for e in draft.calls if callee(e) in _COPIES | _COUNTED and len(e.parts) > 1), None)
    if call is None:
        return None
    into, report, line, name = bare(call.parts[1]), draft.report, draft.line, callee(call)
    size = size_of(draft, draft.place, into.text)
    room = f", which has room for {size.count}" if size else ""
    draft.cite(into.text)
    draft.say(f"{code(name)} writes to {code(into.text)}{room}{_given(draft, call)}.")
    if report and report.access == "read" and len(call.parts) > _SOURCE_AT:
        draft.suspect(
            line, _NOT_SEEN, f"{code(name)} reads beyond the end of {code(bare(call.parts[_SOURCE_AT]).text)}"
        )
        return Copy(into, fits=False)
    if size and _fits(draft, call, name, size):
        draft.say(f"That much would fit: {code(into.text)} itself lies outside.")
        return Copy(into, fits=True)
    draft.suspect(line, 0.7, f"{code(name)} writes more than {code(into.text)} can hold")
    if size and size.words:
        draft.suspect(size.line, 0.65, f"{code(into.text)} is {size.words}", size.file)
    if name in _COPIES:
        draft.advise(f"Use a function that takes the size of {code(into.text)} (`snprintf`), or allocate more first.")
    return Copy(into, fits=False)


def _fits(draft: ReportBuilder, call: Expression, name: str, size: Size) -> bool:
    report = draft.report
    if name in _COUNTED:
        return bool(report and report.size and report.size <= size.count)
    text = draft.value(bare(call.parts[_SOURCE_AT]).text) if name in _WHOLE and len(call.parts) > _SOURCE_AT else None
    return text is not None and text.kind == "str" and text.length is not None and text.length < size.count


def _given(draft: ReportBuilder, call: Expression) -> str:
    told: list[str] = []
    for text in (bare(part).text for part in call.parts[2:]):
        if value := draft.value(text):
            draft.cite(text)
            length = f" of {value.length} characters and its final zero" if value.length and value.kind != "int" else ""
            told.append(f"{draft.code(text)}{length}")
    return f": {', '.join(told)}" if told else ""


def tell_arrays(draft: ReportBuilder) -> None:
    """Explain a smashed stack, detected when the function returns: the frame's arrays and the calls that fill them."""
    facts, function = draft.place.facts, draft.function
    calls = [c for n in sorted(_COPIES | _COUNTED) for c in draft.unit.calls(n)] if draft.unit and function else []
    inside = [c for c in calls if function and function.first <= c.line <= function.last]
    for variable in facts.locals if facts else ():
        if length_of(variable.value) is None:
            continue
        draft.say(f"{draft.code(variable.name)}, an array of {length_of(variable.value)}, lies in this frame.")
        for call in inside:
            if any(variable.name == bare(p).text for p in call.parts[1:2]):
                _suspect_copy(draft, call, variable.name, variable.value)
    draft.advise("Build with `-fsanitize=address` and run again: it stops at the exact write.")


def _suspect_copy(draft: ReportBuilder, call: Expression, into: str, value: Value) -> None:
    """Suspect a copy into an array of the frame, unless the copy's count or the array's current text fits."""
    name = callee(call)
    known = _is_larger(draft, call, name, length_of(value) or 0) if name in _COUNTED else _is_full(value)
    if known is not False:
        reason = f"{code(name)} writes to {code(into)} without checking its size"
        draft.suspect(call.line, 0.85 if known else _UNLIKELY, reason)


def _is_larger(draft: ReportBuilder, call: Expression, name: str, size: int) -> bool | None:
    at = _COUNT_AT.get(name, 2) + 1
    count = bare(call.parts[at]) if at < len(call.parts) else None
    if count is None or "sizeof" in count.text:
        return None if count is None else False
    number = amount(draft, count)
    return None if number is None else number > size


def tell_allocated(draft: ReportBuilder, file: str, line: int, name: str) -> None:
    """Suspect an allocation of being too small. The score depends on what the code and the report show."""
    text = draft.line_text(line, file)
    draft.link(file, line, "allocates", "", name)
    source = draft.case.sources.read(file)
    found = re.search(r"\bmalloc\(strlen\((\w+)\)\)", text)
    pointer = _OF_A_POINTER.search(text)
    if found and source and (behind := is_right_behind(draft)) is not False:
        reason = f"leaves no room for the zero at the end of {code(found[1])}"
        draft.suspect(line, 0.95 if behind else _NOT_SEEN, reason, file)
        _edit(draft, source, line, found[0], f"malloc(strlen({found[1]}) + 1)")
        return
    draft.say(f"The block was allocated at {draft.spot(line, file)}, in {code(name)}: {code(text)}.")
    within = _is_within_count(draft) if pointer and not _NO_LARGER.match(pointer["type"]) else False
    if pointer and source and within is not False:
        reason = f"{code(pointer['size'])} is the size of a pointer, not of what {code(pointer['name'])} points to"
        draft.suspect(line, 0.95 if within else _NOT_SEEN, reason, file)
        _edit(draft, source, line, pointer["size"], f"sizeof *{pointer['name']}")
        return
    clear = any(suspect.score >= _CLEAR for suspect in draft.done().suspects)
    score = _UNLIKELY if clear else _NOT_SEEN  # whether the size or the use is wrong was not evaluated
    draft.suspect(line, score, "allocates the block, which ends before the access", file)


def _edit(draft: ReportBuilder, source: SourceFile, line: int, old: str, new: str) -> None:
    draft.analysis.fix = SourceEdit(source, line, line, [source.line(line).replace(old, new)])


def _is_within_count(draft: ReportBuilder) -> bool | None:
    """Whether the index is below the number of allocated elements.

    Each element is then larger than the allocation assumed.
    """
    for subscript in draft.subscripts:
        number, size = amount(draft, subscript.parts[1]), size_of(draft, draft.place, bare(subscript.parts[0]).text)
        if number is not None and size is not None:
            return number < size.count
    return None
