"""Diagnoses memory that was used after it was freed, or freed twice, by a sanitizer's report or by the source code."""

from __future__ import annotations

import re

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace
from dap_ai.debuggees.native.analysis.reachability import plain, reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, brief, callee, short_name, within
from dap_ai.debuggees.native.diagnoses.freeing import Freed, explain_freed, freed_before, tell_other_calls
from dap_ai.system.texts import code

_AFTER = re.compile(r"use-after-(free|return|scope|poison)")
_TWICE = re.compile(r"double[- ]free|attempting double|fasttop", re.IGNORECASE)
_BAD = re.compile(r"bad-free|free\(\): invalid|munmap_chunk|alloc-dealloc-mismatch|not malloc", re.IGNORECASE)
_SPOILT = re.compile(r"corrupt|malloc\(\)|realloc\(\)|unaligned|smashing", re.IGNORECASE)
_GROWS = frozenset({"push_back", "emplace_back", "insert", "emplace", "resize", "reserve", "append", "push_front"})
_MAKES_ROOM = re.compile(r"_M_realloc|_M_default_append|_M_fill_insert|_M_range_insert|_M_mutate|reserve|__swap_out")
_FREES = frozenset({"free", "realloc", "reset", "fclose", "drop", "erase", "clear"})


_OF_STACKS = {"freed": "frees", "allocated": "allocates"}
"""What the code in a stack of the report does, by a word in the stack's title."""


def diagnose(draft: ReportBuilder) -> bool:
    """Explain a failure with freed memory, by the sanitizer's or the C library's report.

    Return whether it is such a failure.
    """
    report = draft.report
    if report is None:
        return False
    said = f"{report.kind} {report.message}"
    if _AFTER.search(said):
        return _used_after(draft, report)
    if _TWICE.search(said):
        return _twice(draft, report)
    if _BAD.search(said) or (report.tool == "libc" and _SPOILT.search(said) and "stack smashing" not in said):
        return _bad(draft, report)
    return False


def _used_after(draft: ReportBuilder, report: Report) -> bool:
    draft.analysis.kind = "use after free"
    pointer = _pointer_of(draft, report)
    access = f"{report.access} of {report.size} bytes" if report.access and report.size else "access"
    gone = "freed memory" if "free" in report.kind else "memory whose function or block has ended"
    where = code(hex(report.address)) if report.address is not None else "that address"
    draft.say(f"The {access} at {where} goes to {gone}.")
    if pointer:
        draft.say(f"It goes through {draft.aside(pointer)}, which still holds the old address.")
        _cite_members(draft, pointer)
    if not _moved(draft):
        _tell(draft, "freed", 0.9, "frees what is used again")
    _tell(draft, "allocated", 0.25, "allocates what is freed too early")
    _round_again(draft)
    draft.suspect(draft.line, 0.7, f"uses {code(pointer) if pointer else 'memory'} after it was freed")
    if not draft.analysis.advice:
        needed = f": take what is still needed of {code(pointer)} before that" if pointer else ""
        draft.advise(f"Free it only after its last use{needed}.")
    return True


def _moved(draft: ReportBuilder) -> bool:
    """Explain elements that their container's own method freed when the container grew.

    Return whether that happened.
    """
    stack = draft.stack("freed")
    own = own_frame(draft, stack)
    if not (stack and own and any(map(_MAKES_ROOM.search, stack.inside))):
        return False
    file, line, name = own
    calls = (call for call in _calls_in(draft, file, line) if callee(call) in _GROWS and call.parts[0].kind == "member")
    call = next(calls, None)
    if call is None:
        return False
    method, container = call.parts[0].text, bare(call.parts[0].parts[0]).text
    draft.say(f"{draft.spot(line, file)}, in {code(short_name(name))}, has freed it: {code(method)} moved the elements "
              f"of {code(container)} to a larger block. "
              "References to the elements still point to the old block.")  # fmt: skip
    draft.link(file, line, "moves the elements of", container, short_name(name))
    draft.suspect(line, 0.9, f"{code(method)} moves the elements, while one is still referred to", file)
    draft.advise(f"Do not add to {code(container)} while a loop iterates over it or something refers to an "
                 "element: use an index, or collect new elements and add them afterwards.")  # fmt: skip
    return True


def _calls_in(draft: ReportBuilder, file: str, line: int) -> list[Expression]:
    """Return the calls on a line that have arguments."""
    unit = draft.unit_of(file)
    return [e for e in unit.expressions_at(line) if e.kind == "call" and len(e.parts) > 1] if unit else []


def _round_again(draft: ReportBuilder) -> None:
    """Explain a loop whose header follows memory that the loop's body freed."""
    own = own_frame(draft, draft.stack("freed"))
    loop, function = draft.statement, draft.function
    if own and loop and function and loop.kind in ("for", "while") and loop.first < own[1] <= function.last:
        draft.say("So the loop's body frees it, and the loop's header then follows it to the next element.")
        draft.advise(
            f"Keep what the header needs in a variable of its own before {draft.spot(own[1], own[0])} frees it."
        )


def _twice(draft: ReportBuilder, report: Report) -> bool:
    draft.analysis.kind = "double free"
    pointer = _freed_here(draft)
    draft.say(f"{code(pointer)} is freed a second time." if pointer else "Memory is freed a second time.")
    found = _tell(draft, "freed", 0.85, "frees it the first time")
    earlier = _earlier(draft, pointer) if pointer and not found else None
    if earlier:
        explain_freed(draft, pointer, earlier)
    elif pointer and not found:
        tell_other_calls(draft, pointer)
        trace(draft, pointer, OriginQuery("freed twice", shared=True))
        draft.cite(pointer)
    _tell(draft, "allocated", 0.25, "allocates it")
    draft.suspect(draft.line, 0.75 if found else 0.55, "frees it the second time")
    draft.advise(
        "Let one owner free it; or set the pointer to NULL right after the first free: freeing NULL does nothing."
    )
    if report.tool == "libc":
        draft.advise("Build with `-fsanitize=address` and run again: it shows where it was freed first.")
    return True


def _earlier(draft: ReportBuilder, pointer: str) -> Freed | None:
    """Find an earlier free of the pointer, by its name or the name of the value it was set to."""
    spot = spot_of(draft.place)
    sets = [w.value for w in reaching(spot.unit, spot.function, pointer, spot.line) if w.value] if spot else []
    names = [pointer, *(bare(value).text for value in sets)]
    return next((freed for name in names if (freed := freed_before(draft, name))), None)


def _bad(draft: ReportBuilder, report: Report) -> bool:
    draft.analysis.kind = "crash"
    pointer = _freed_here(draft)
    said = report.message or report.kind
    draft.say(f"The heap's own checks stopped it: {code(said)}.")
    if pointer:
        draft.say(
            f"{draft.code(pointer)}: not a pointer that an allocation returned, or the memory around it "
            "was overwritten."
        )
    _tell(draft, "allocated", 0.4, "allocates it")
    draft.suspect(draft.line, 0.5, "frees or allocates here, where the damage shows")
    draft.advise(
        "The damage was done earlier: build with `-fsanitize=address` and run again, it stops at the exact write."
    )
    return True


def _tell(draft: ReportBuilder, word: str, score: float, reason: str) -> bool:
    """Describe the report's stack whose title contains the word. Return whether the report has such a stack."""
    stack = draft.stack(word)
    own = own_frame(draft, stack)
    if stack is None or own is None:
        return False
    file, line, name = own
    draft.say(f"{stack.title[:1].upper()}{stack.title[1:]} at {draft.spot(line, file)}, in {code(short_name(name))}: "
              f"{code(draft.line_text(line, file))}.")  # fmt: skip
    freed = (call.parts[1].text for call in _calls_in(draft, file, line) if callee(call) in _FREES)
    draft.link(file, line, _OF_STACKS[word], next(freed, ""), short_name(name))
    draft.suspect(line, score, reason, file)
    return True


def own_frame(draft: ReportBuilder, stack: Stack | None) -> tuple[str, int, str] | None:
    """Return file, line and function of the innermost user frame in a stack of the report, or None.

    For a function that only frees its argument, the frame of its caller is returned, unless the function is the failing
    one and another of its lines failed.
    """
    frames = stack.frames if stack else ()
    own = [(f.file, f.line, f.name) for f in frames if f.line and draft.case.sources.read(f.file)]
    while len(own) > 1 and _frees_its_parameter(draft, *own[0][:2]):
        del own[0]
    return own[0] if own else None


def _frees_its_parameter(draft: ReportBuilder, file: str, line: int) -> bool:
    unit = draft.unit_of(file)
    function = unit.function_at(line) if unit else None
    if function is None or (function is draft.function and line != draft.line):
        return False
    calls = [call for call in _calls_in(draft, file, line) if callee(call) == "free"]
    return any(bare(part).text in map(plain, function.parameters) for call in calls for part in call.parts[1:])


def _pointer_of(draft: ReportBuilder, report: Report) -> str:
    """Return the pointer on the failing line that leads to the reported address; empty if none does."""
    best = ""
    for part in (part for expression in draft.expressions for part in within(expression)):
        value = draft.value(part.text)
        if value is None or value.kind not in ("pointer", "smart", "reference") or not value.address:
            continue
        if report.address is not None and 0 <= report.address - value.address < 1 << 12:
            return part.text
        best = best or part.text
    return best


def _cite_members(draft: ReportBuilder, pointer: str) -> None:
    """Cite the values that the freed memory still contains, to show which object it was."""
    known = [text for text in draft.place.known if text.startswith(f"{pointer}->") and text.count("->") == 1]
    told = [f"{code(text)} is {code(brief(value))}" for text in known[:4] if (value := draft.value(text))]
    for text in known[:4]:
        draft.cite(text)
    if told:
        draft.say(f"What is there now: {', '.join(told)}.")


def _freed_here(draft: ReportBuilder) -> str:
    """Return the expression that the failing line frees; empty if the line frees nothing."""
    for call in draft.calls:
        if callee(call) in _FREES and len(call.parts) > 1:
            return bare(call.parts[1]).text
    found = re.match(r"delete\s*(?:\[\])?\s*([\w.>\-\[\]]+)", draft.statement.text if draft.statement else "")
    return found[1] if found else ""
