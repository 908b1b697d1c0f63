"""A stack that is used up: which calls go round, what they are given, and what never lets them end."""

from __future__ import annotations

import re

from dap_ai.agent.case.stack import Place
from dap_ai.agent.case.values import show
from dap_ai.agent.compiled.frames import Run, folded, in_words, recursion_of
from dap_ai.agent.native.draft import Draft, integer, is_null, number_of, statements, unqualified
from dap_ai.agent.native.reachability import calls_at, member_writes, parameters_of, spot_of
from dap_ai.protocol.contracts.inspection import Value

_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT", "EXC_BAD_ACCESS", "")
_MANY = 40
"""Frames of one recursion that make it the cause; a program that recurses by design has fewer at a crash."""
_BIG_BYTES = 512 * 1024
_NEAR_NULL = 0x10000
_AROUND_STACK = 16 * 1024 * 1024
_STACK_POINTERS = ("rsp", "sp", "esp")
_SIZED = re.compile(r"\b(char|short|int|long|float|double|\w+_t)\s+\w+\s*\[\s*(\d+)\s*(?:\*\s*(\d+)\s*)?\]")
_WIDTHS = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}


def diagnose(draft: Draft) -> bool:
    """Whether the stack is full of one recursion, or the frame has an array too large for it."""
    report = draft.case.report
    reported = bool(report and "stack-overflow" in f"{report.kind} {report.message}".replace(" ", "-"))
    if draft.signal not in _SIGNALS and not reported:
        return False
    case = draft.case
    if not reported and _elsewhere(draft):
        return False
    run = recursion_of(folded(case.frames, case.total_frames, case.outermost))
    if run and (reported or run.count >= _MANY) and run.first <= _near(draft) and (reported or draft.signal):
        _recursion(draft, run)
        return True
    return bool(draft.signal or reported) and _large_local(draft)


def _elsewhere(draft: Draft) -> bool:
    """Whether the address that could not be reached is none of the stack's, however deep the stack is."""
    fault = draft.case.inspection.fault
    if fault is None or fault.address is None or draft.signal == "SIGABRT":
        return False
    registers = draft.case.inspection.registers
    told = next((registers[name] for name in _STACK_POINTERS if name in registers), "")
    pointer = integer(told)
    return fault.address < _NEAR_NULL or (pointer is not None and abs(fault.address - pointer) > _AROUND_STACK)


def _near(draft: Draft) -> int:
    """How far in the recursion may begin: what it calls last may have hit the end of the stack."""
    return 8 if draft.case.frames else 0


def _recursion(draft: Draft, run: Run) -> None:
    draft.analysis.kind = "stack overflow"
    count = f"more than {in_words(run)}" if draft.case.more_frames else in_words(run)
    draft.say(f"The stack is exhausted by a recursion: {count}.")
    inside = [p for p in draft.case.places if unqualified(p.frame.name) in {unqualified(n) for n in run.names}]
    read = [p for p in inside if any(p.value(name) for name in parameters_of(p))]
    # One period; the innermost may stand anywhere in its function, not at the call.
    for place in inside[1 : 1 + len(run.names)]:
        _calls_itself(draft, place)
    for place in read[:1]:
        _arguments(draft, read, place)
    draft.advise("Check the condition that should end the recursion, and for which argument it can hold.")


def _calls_itself(draft: Draft, place: Place) -> None:
    spot = spot_of(place)
    if spot is None:
        return
    draft.link(spot.path, spot.line, "calls", unqualified(spot.function.name), spot.function.name)
    draft.suspect(spot.line, 0.8, f"calls `{unqualified(spot.function.name)}` again", spot.path)
    ends = [s for s in statements(spot.unit, spot.function) if s.kind == "if"]
    for statement in ends[:2]:
        draft.suspect(statement.first, 0.6, "should end the recursion, and does not", spot.path)
    if not ends:
        draft.say(f"`{spot.function.name}` has no `if` that could end it.")


def _arguments(draft: Draft, inside: list[Place], first: Place) -> None:
    """How the arguments go on from call to call: they stay, they come round, or they run away."""
    same = [p for p in inside if p.frame.name == first.frame.name]
    known = {name: [v for p in same if (v := p.value(name)) is not None] for name in parameters_of(first)}
    known = {name: values for name, values in known.items() if len(values) >= 3}
    for name, values in known.items():
        told = _course(draft, name, values, same)
        if told:
            draft.say(told)
        if "repeats every" in told:
            _comes_round(draft, told, first)
            _round(draft, name, first)
    if all(len(set(_keys(values))) == 1 for values in known.values()):  # else what stays may be what all calls read
        for name, values in known.items():
            _blame_origin(draft, name, first, values[0])


def _keys(values: list[Value]) -> list[str]:
    """What tells values apart."""
    return [str(v.address or v.text) for v in values]


def _course(draft: Draft, name: str, values: list[Value], places: list[Place]) -> str:
    """What happens to one argument; innermost call first."""
    keys = _keys(values)
    period = next((n for n in range(1, len(keys) - 1) if keys[n:] == keys[:-n]), 0)
    draft.cite(name, places[0])
    if period == 1:
        return f"`{name}` is the same in every call: `{show(values[0], 60)}`."
    if period:
        shown = ", ".join(f"`{show(v, 60)}`" for v in reversed(values[:period]))
        for place in places[1:period]:
            draft.cite(name, place)
        return f"`{name}` repeats every {period} calls: {shown}, and again."
    numbers = [n for v in values if (n := number_of(v)) is not None]
    if len(numbers) > 1 and len(numbers) == len(values):
        step = numbers[0] - numbers[1]
        way = "grows" if step > 0 else "falls"
        return f"`{name}` {way} from call to call, {numbers[1]} and then {numbers[0]}, and never reaches the end."
    return ""


def _round(draft: Draft, name: str, place: Place) -> None:
    """Pointers that come round are a cycle in the data: blames who sets the member that the recursion follows."""
    spot, outer = spot_of(place), draft.caller_of(place)
    outer_spot = spot_of(outer) if outer else None
    calls = calls_at(outer_spot.unit, unqualified(spot.function.name), outer_spot.line) if spot and outer_spot else []
    for given in calls[0].parts[1:] if calls else ():
        member = re.search(r"(?:->|\.)(\w+)$", given.text)
        if not member or not given.text.startswith(name):
            continue
        draft.say(f"So following `{member[1]}` leads back to where it began: the data has a cycle.")
        for path, function, line, assignment in member_writes(draft, member[1]):
            draft.link(path, line, "sets", assignment.parts[0].text, function.name)
            draft.suspect(line, 0.85, f"sets `{member[1]}`, and may close the cycle", path)


def _comes_round(draft: Draft, told: str, place: Place) -> None:
    outer = draft.caller_of(place)
    if outer:
        draft.suspect(outer.frame.line, 0.84, f"goes round in a circle: {told.rstrip('.')}", outer.frame.path)


def _blame_origin(draft: Draft, name: str, place: Place, value: Value) -> None:
    outer = draft.caller_of(place)
    if outer and not is_null(value):
        draft.suspect(outer.frame.line, 0.85, f"passes `{name}` on unchanged", outer.frame.path)


def _large_local(draft: Draft) -> bool:
    """A local array larger than a stack can be expected to hold, in the failing function."""
    function, source = draft.function, draft.place.source
    fault = draft.case.inspection.fault
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
