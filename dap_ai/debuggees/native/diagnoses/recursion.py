"""Diagnoses an exhausted stack: which calls recurse, with which arguments, and why the recursion does not end."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import show
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, argument, member_writes, parameters_of, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, integer, number_of, unqualified
from dap_ai.debuggees.native.source.frame_folding import FoldedFrames, folded, in_words, recursion_of
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT", "EXC_BAD_ACCESS", "")
_MANY = 40
"""Minimum number of frames of a recursion that counts as the cause. An intended recursion has fewer frames at a
crash."""
_NEAR = 8
"""Maximum number of frames inside the recursion's innermost frame. Its last calls may have reached the stack's end."""
_FEWEST = 3
"""Minimum number of consecutive calls needed to describe how an argument changes."""
_PROVEN = 0.85
"""Score of a line that certainly keeps the recursion from ending, as the code or the values prove. Lower scores are
guesses."""
_BIG_BYTES = 512 * 1024
_NEAR_NULL = 0x10000
_AROUND_STACK = 16 * 1024 * 1024
_STACK_POINTERS = ("rsp", "sp", "esp")
_SIZED = re.compile(r"\b(char|short|int|long|float|double|\w+_t)\s+\w+\s*\[\s*(\d+)\s*(?:\*\s*(\d+)\s*)?\]")
_WIDTHS = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}


def diagnose(draft: ReportBuilder) -> bool:
    """Explain a stack that was filled by a recursion or by a local array that is too large.

    Returns whether the stop is such a failure.
    """
    report = draft.report
    reported = bool(report and "stack-overflow" in f"{report.kind} {report.message}".replace(" ", "-"))
    if draft.signal not in _SIGNALS and not reported:
        return False
    case = draft.case
    if not reported and _elsewhere(draft):
        return False
    run = recursion_of(folded(case.frames, case.total_frames, case.outermost))
    if run and (reported or (run.count >= _MANY and draft.signal)) and run.first <= _NEAR:
        _recursion(draft, run)
        return True
    return bool(draft.signal or reported) and _large_local(draft)


def _elsewhere(draft: ReportBuilder) -> bool:
    """Whether the address that could not be accessed is certainly not on the stack."""
    fault = draft.fault
    if fault is None or fault.address is None or draft.signal == "SIGABRT":
        return False
    registers = draft.case.inspection.registers
    told = next((registers[name] for name in _STACK_POINTERS if name in registers), "")
    pointer = integer(told)
    return fault.address < _NEAR_NULL or (pointer is not None and abs(fault.address - pointer) > _AROUND_STACK)


def _recursion(draft: ReportBuilder, run: FoldedFrames) -> None:
    draft.analysis.kind = "stack overflow"
    count = f"more than {in_words(run)}" if draft.case.more_frames else in_words(run)
    draft.say(f"The stack is exhausted by a recursion: {count}.")
    names = {unqualified(name) for name in run.names}
    inside = [place for place in _together(draft) if unqualified(place.frame.name) in names]
    # One period of the recursion; the innermost frame may be anywhere in its function, not at the call.
    pairs = list(pairwise(inside))[: len(run.names)]
    calls = [(spot, unqualified(inner.frame.name)) for inner, place in pairs if (spot := spot_of(place))]
    is_endless = len(calls) == len(run.names) and all(
        spot.unit.always_calls(spot.function, name, spot.line) for spot, name in calls
    )
    for spot, name in calls:
        _calls(draft, spot, name, is_endless=is_endless)
    first = next((p for p in inside if any(p.value(name) for name in parameters_of(p))), None)
    if first is not None:
        _arguments(draft, _begun([p for p in inside if p.frame.name == first.frame.name]))
    draft.advise("Check the condition that should end the recursion, and for which argument it can hold.")


def _together(draft: ReportBuilder) -> list[FramePlace]:
    """Return the user's innermost frames that were read without a gap. A repetition is visible only in these."""
    read = {place.frame.id: place for place in draft.case.places}
    users = (frame.id for frame in draft.case.frames if frame.user)
    return [read[number] for number in takewhile(read.__contains__, users)]


def _begun(calls: list[FramePlace]) -> list[FramePlace]:
    """Return the calls, without the innermost one if it may not have stored its parameters yet."""
    spot = spot_of(calls[0])
    stands = spot is not None and spot.line > spot.function.first and any(p.frame.line == spot.line for p in calls[1:])
    return calls if stands else calls[1:]


def _calls(draft: ReportBuilder, spot: FunctionSpot, name: str, *, is_endless: bool) -> None:
    draft.link(spot.path, spot.line, "calls", name, spot.function.name)
    if is_endless:
        draft.say(f"{code(spot.function.name)} has no way to return before it makes this call.")
        draft.suspect(spot.line, _PROVEN, f"calls {code(name)} again, with no way to return before that", spot.path)
        return
    draft.suspect(spot.line, 0.5, f"calls {code(name)} again", spot.path)
    for line in spot.unit.ifs_before(spot.function, spot.line)[:2]:
        draft.suspect(line, 0.4, "could end the recursion, and has not", spot.path)


def _arguments(draft: ReportBuilder, calls: list[FramePlace]) -> None:
    """Explain how arguments change from call to call: constant, repeating, or growing.

    The first call is the innermost.
    """
    names = parameters_of(calls[0]) if len(calls) >= _FEWEST else []
    known = {name: [value for place in calls if (value := place.value(name))] for name in names}
    periods = {name: _period(values) for name, values in known.items() if len(values) == len(calls)}
    if len(periods) == len(names) and set(periods.values()) == {1}:
        _stays(draft, calls[1])
    for name, period in periods.items():
        told = _course(draft, name, known[name], period, calls)
        given = argument(draft, calls[0], name)
        if told:
            draft.say(told)
        if given is None or not period:
            continue
        outer, passed = given[0], bare(given[1]).text
        _round(draft, name, passed)
        if period > 1:
            draft.suspect(outer.frame.line, 0.54, f"goes round in a circle: {told.rstrip('.')}", outer.frame.path)


def _stays(draft: ReportBuilder, place: FramePlace) -> None:
    """Suspect a recursive call with unchanged arguments.

    It is the whole cause if a call depends on its arguments alone.
    """
    spot = spot_of(place)
    if spot is not None:
        name = unqualified(spot.function.name)
        score = _PROVEN if spot.unit.uses_only_arguments(spot.function, name) else 0.55
        draft.suspect(spot.line, score, f"{code(name)} is called again and again with the same arguments", spot.path)


def _period(values: list[Value]) -> int:
    """Return after how many calls the values repeat, if they do so at least twice. 0 if they do not, or if unknown."""
    if any(value.truncated and not value.address for value in values):
        return 0
    keys = [str(value.address or value.text) for value in values]
    return next((n for n in range(1, len(keys) - 1) if keys[n:] == keys[:-n]), 0)


def _course(draft: ReportBuilder, name: str, values: list[Value], period: int, places: list[FramePlace]) -> str:
    """Describe how one argument changes from call to call; empty if unknown."""
    for place in places[: max(period, 1)]:
        draft.cite(name, place)
    if period == 1:
        return f"{code(name)} is the same in every call that was read: {code(show(values[0], 60))}."
    if period:
        shown = ", ".join(code(show(value, 60)) for value in reversed(values[:period]))
        return f"{code(name)} repeats every {period} calls: {shown}, and again."
    numbers = [number for value in reversed(values) if (number := number_of(value)) is not None]
    if len(numbers) < len(values):
        return ""
    steps = {(after > before) - (after < before) for before, after in pairwise(numbers)}
    way = {1: "grows", -1: "falls"}.get(steps.pop() if len(steps) == 1 else 0)
    return (
        f"{code(name)} {way} from call to call: {', '.join(code(str(each)) for each in numbers[-_FEWEST:])}."
        if way
        else ""
    )


def _round(draft: ReportBuilder, name: str, given: str) -> None:
    """Explain repeating pointers as a cycle in the data, and suspect the lines that set the followed member."""
    member = re.fullmatch(rf"{re.escape(name)}(?:->|\.)(\w+)", given)
    if member is None:
        return
    draft.say(f"So following {code(member[1])} leads back to where it began: the data has a cycle.")
    for path, function, line, assignment in member_writes(draft, member[1]):
        draft.link(path, line, "sets", assignment.parts[0].text, function.name)
        draft.suspect(line, 0.58, f"sets {code(member[1])}, and may close the cycle", path)


def _large_local(draft: ReportBuilder) -> bool:
    """Explain a local array of the failing function that is too large for the stack.

    Return whether such an array exists.
    """
    function, source = draft.function, draft.place.source
    fault = draft.fault
    if function is None or source is None or (fault and fault.address is not None and fault.address < _BIG_BYTES):
        return False
    for line in range(function.first, function.last + 1):
        found = _SIZED.search(source.line(line))
        size = _WIDTHS.get(found[1], 4) * int(found[2]) * int(found[3] or 1) if found else 0
        if found and size >= _BIG_BYTES and "static" not in source.line(line):
            draft.analysis.kind = "stack overflow"
            draft.say(f"A local array of {size:,} bytes does not fit on the stack: {draft.spot(line)}.")
            draft.suspect(line, 0.85, f"puts {size:,} bytes on the stack")
            draft.advise("Allocate it on the heap, make it `static`, or raise `ulimit -s`.")
            return True
    return False
