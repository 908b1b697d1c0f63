"""Diagnoses invalid pointers: pointers that are null, were never set, were freed, or were overwritten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dap_ai.agent.case.value_texts import variables
from dap_ai.agent.report.nearest import near_key
from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace
from dap_ai.debuggees.native.analysis.reachability import amount, reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    brief,
    callee,
    is_broken,
    is_null,
    number_of,
)
from dap_ai.debuggees.native.analysis.stop_evaluation import never_set
from dap_ai.debuggees.native.diagnoses.copying import copies, overran
from dap_ai.debuggees.native.diagnoses.freeing import explain_freed, freed_before, may_be_unmapped
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_SIGNALS = ("SIGSEGV", "SIGBUS", "EXC_BAD_ACCESS")
_NEAR_NULL = 0x10000
_NEAR = 0x1000
_LETTERS = 3
"""Minimum number of printable bytes that is unlikely to be a coincidence."""
_CANONICAL_BITS = 47
_RAISED = re.compile(r"null dereference of `?(.+?)`?(?:$|[;,:] )")
_NO_FUNCTION = re.compile(r"0x[0-9a-fA-F]+$")
"""Matches the value of a function pointer whose address belongs to no function."""
_FILLS = {
    0xBE: "the byte 0xbe, with which AddressSanitizer fills memory that is allocated and not yet set",
    0xCC: "the byte 0xcc, with which a debug build fills variables that are not yet set",
    0xCD: "the byte 0xcd, with which a debug heap fills memory that is not yet set",
    0xDD: "the byte 0xdd, with which a debug heap fills memory that was freed",
    0xFD: "the byte 0xfd, with which a debug heap guards the ends of its blocks",
    0xAB: "the byte 0xab, with which a debug heap guards the ends of its blocks",
}
_MARKS = {0xDEADBEEF: "0xdeadbeef", 0xFEEEFEEE: "0xfeeefeee", 0xBAADF00D: "0xbaadf00d", 0xDEADC0DE: "0xdeadc0de"}


def diagnose(draft: ReportBuilder) -> bool:
    """Explain a null or invalid pointer on the line that caused the signal.

    Return whether the line has such a pointer.
    """
    if draft.signal not in _SIGNALS:
        return False
    null = null_pointer(draft)
    if null is not None:
        _explain_null(draft, null)
        return True
    candidates = pointers(draft)
    hit = [e for e in candidates if _leads_to_fault(draft, draft.value(e.text))]
    broken = next((e for e in [*hit, *candidates] if e in hit or is_broken(draft.value(e.text))), None)
    if broken is None:
        return False
    explain_broken(draft, broken)
    return True


def pointers(draft: ReportBuilder) -> list[Expression]:
    """Return the expressions that the failing line dereferences or passes to a call, innermost first.

    The innermost expression fails first.
    """
    found = [base for e in reversed(draft.expressions) if (base := followed(e)) is not None]
    calls = [e for e in reversed(draft.calls) if e.parts]
    given = [bare(part) for e in calls for part in [*e.parts[1:], e.parts[0]]]
    distinct: dict[str, Expression] = {}
    for expression in [*found, *given]:
        if expression.kind != "literal":
            distinct.setdefault(expression.text, expression)
    return list(distinct.values())


def followed(expression: Expression) -> Expression | None:
    """Return the pointer that an expression dereferences: `p` for `p->x`, `*p`, `p[i]` and `p->f()`.

    Else return None.
    """
    if not expression.parts:
        return None
    if expression.kind == "call":
        return followed(expression.parts[0])
    through = expression.kind in ("deref", "subscript") or (expression.kind == "member" and expression.operator == "->")
    return bare(expression.parts[0]) if through else None


def null_pointer(draft: ReportBuilder) -> Expression | None:
    """Return the line's null pointer whose use fits the address that could not be accessed, or None."""
    candidates, raised = pointers(draft), _raised(draft)
    first = [e for e in candidates if e.text == raised]
    fault = draft.fault
    if fault and fault.address is not None and fault.address >= _NEAR_NULL and not first:
        return next((e for e in candidates if _is_indexed_far(draft, e, fault.address)), None)
    nulls = [e for e in candidates if is_null(draft.value(e.text))]
    nulls.sort(key=lambda e: not _is_followed(draft, e))  # an argument counts only if no dereferenced pointer is null
    if (this := draft.value("this")) is not None and is_null(this) and not nulls:
        return Expression("this", "name", draft.line, 0)
    return next(iter([*first, *nulls]), None)


def _is_indexed_far(draft: ReportBuilder, pointer: Expression, address: int) -> bool:
    """Whether indexing this null pointer leads to the address, even if the address is far from null."""
    if not is_null(draft.value(pointer.text)):
        return False
    numbers = [amount(draft, e.parts[1]) for e in draft.subscripts if bare(e.parts[0]).text == pointer.text]
    steps = [divmod(address, number) for number in numbers if number and 0 < number <= address]
    return any(size < _NEAR_NULL and rest < _NEAR for size, rest in steps)


def _raised(draft: ReportBuilder) -> str:
    """Return the null pointer that the inspector names for the innermost expression that raised; else empty."""
    for expression in reversed(draft.expressions):
        fact = draft.place.known.get(expression.text)
        if fact and fact.error == "raised" and (found := _RAISED.search(fact.text)):
            return found[1]
    return ""


def _is_followed(draft: ReportBuilder, pointer: Expression) -> bool:
    return any((base := followed(e)) is not None and base.text == pointer.text for e in draft.expressions)


def _leads_to_fault(draft: ReportBuilder, value: Value | None) -> bool:
    """Whether the address that could not be accessed is the pointer's address or slightly above it."""
    fault, address = draft.fault, _address(value)
    if value is None or not address or value.kind not in ("pointer", "function") or not fault or fault.address is None:
        return False
    return 0 <= fault.address - address < _NEAR


def _address(value: Value | None) -> int:
    """Return the address that a pointer holds; 0 if null or unknown. A function pointer's address may be invalid."""
    found = _NO_FUNCTION.search(value.text) if value and value.kind == "function" else None
    return int(found[0], 16) if found else (value and value.address) or 0


def _explain_null(draft: ReportBuilder, pointer: Expression) -> None:
    draft.analysis.kind = "null dereference"
    text = pointer.text
    purpose = _purpose(draft, text)
    fault = draft.fault
    where = ""
    if fault and fault.address is not None:
        verb = {"write": "write", "execute": "run"}.get(fault.access, "read")
        offset = ", which is null and the offset of that" if fault.address else ""
        where = f" (it failed to {verb} address {code(hex(fault.address))}{offset})"
    draft.say(f"{draft.code(text)}: a null pointer, and the line {purpose}{where}.")
    for name in draft.function.parameters if draft.function else ():
        if (other := name.lstrip("*& ")) != text:
            draft.cite(other)  # shows which case this is
    draft.analysis.effect = f"{code(text)} is `null`"
    trace(draft, text, OriginQuery("null", null=True))
    explain_lookup(draft, text)
    draft.suspect(draft.line, 0.55, f"uses {code(text)} without a check")
    draft.advise(
        f"Where {code(text)} may rightly be null, test it before this line; where it may not, stop at its origin."
    )


def _purpose(draft: ReportBuilder, text: str) -> str:
    for expression in draft.expressions:
        base = followed(expression)
        if base is None or base.text != text:
            continue
        if expression.kind == "member":
            return f"needs its {code(expression.text[len(text) :].lstrip('->.'))}"
        if expression.kind == "subscript":
            return f"needs {code(expression.text)}"
        return "follows it"
    if text == "this":
        return "runs a method on it"
    frames = draft.case.frames
    calls = draft.calls
    given = [e for e in reversed(calls) if any(bare(part).text == text for part in e.parts[1:])]
    called = next((callee(e) for e in [*given, *calls]), "")
    failed = f", which failed in {code(frames[0].name)}" if frames and frames[0].id != draft.place.frame.id else ""
    return f"passes it to {code(called)}{failed}" if called else "needs what it points to"


def explain_broken(draft: ReportBuilder, pointer: Expression) -> None:
    """Explain an invalid pointer: what its value looks like, and how the pointer may have got this value."""
    text, value = pointer.text, draft.value(pointer.text)
    spot = spot_of(draft.place)
    draft.analysis.kind = "crash"
    draft.cite(text)
    writes = reaching(spot.unit, spot.function, text, spot.line) if spot else []
    giving = ("assigned", "changed", "address", "argument", "loop")
    given = [w for w in writes if w.role in giving and w.line < draft.line]
    likeness = looks_like(value)
    words = f"{draft.code(text)}, where there is no memory" + (f": {likeness}" if likeness else "")
    draft.say(f"{words}.")
    draft.analysis.effect = draft.code(text)
    freed = freed_before(draft, text)
    if freed is not None and freed.is_itself and not may_be_unmapped(_address(value)):
        freed = replace(freed, is_known=False)  # freeing it did not make it unreadable, so it was changed since
    if freed is not None:
        draft.analysis.kind = "use after free" if freed.is_known else "crash"
        explain_freed(draft, text, freed)
    elif spot and not given and any(w.role == "declared" and never_set(draft, spot, w, []) for w in writes):
        draft.analysis.kind = "uninitialised"
        draft.say(f"{code(text)} never gets a value before this line.")
    if "string was written" in likeness:
        for path, line, name, into in copies(draft):
            known = overran(draft, into)
            if known is not False:
                reason = f"{code(name)} writes to {code(into)} without checking its size"
                draft.suspect(line, 0.8 if known else 0.5, reason, path)
    trace(draft, text, OriginQuery(brief(value) if value else "wrong", wild=True))
    if draft.analysis.kind != "uninitialised":
        draft.advise(f"Build with `-fsanitize=address` and run again: it names the line that corrupts {code(text)}.")


def looks_like(value: Value | None) -> str:
    """Describe what the bits of an invalid pointer suggest about their origin; empty if they suggest nothing."""
    bits = _address(value)
    if not bits:
        return ""
    data = bits.to_bytes(8, "little", signed=False) if bits < 1 << 64 else b""
    if data and len(set(data)) == 1 and data[0] in _FILLS:
        return f"it is {_FILLS[data[0]]}"
    if bits == (1 << 64) - 1:
        return "it is -1, which some functions return when they fail"
    mark = next((name for number, name in _MARKS.items() if bits & 0xFFFFFFFF == number), "")
    if mark:
        return f"it holds {mark}, a mark for memory that is not in use"
    letters = data.partition(b"\0")[0]
    filled = f"each of its bytes is {data[0]:#x}, as where memory was filled with one byte" if len({*data}) == 1 else ""
    if len(letters) >= _LETTERS and all(32 <= b < 127 for b in letters):
        also = f", or {filled}" if filled else ""
        return f"its bytes hold the text '{letters.decode()}', as where a string was written over it{also}"
    if filled:
        return filled
    if bits < _NEAR_NULL:
        return "it is a small number, not an address"
    if bits >> _CANONICAL_BITS not in (0, (1 << (64 - _CANONICAL_BITS)) - 1):
        return "no address of this machine has these bits, so something else was stored there"
    return ""


def wild_number(draft: ReportBuilder, expression: Expression) -> int | None:
    """Return the value of an index or size that is negative or huge; None if the value is plausible."""
    number = number_of(draft.value(expression.text))
    return number if number is not None and (number < 0 or number > 1 << 24) else None


_PLAIN = frozenset({"str", "int", "enum", "char"})
_MAX_CHARS = 30
_KEY = re.compile(r'[{ ](?P<key>"(?:[^"\\]|\\.)*"): ')
"""Matches a key in the text of a map's value."""


def explain_lookup(draft: ReportBuilder, pointer: str) -> None:
    """Explain which short value was passed to the call that returned the null pointer."""
    call = _call(draft, pointer)
    for argument in call.parts[1:] if call else ():
        text, value = bare(argument).text, draft.value(bare(argument).text)
        if call is None or value is None or value.kind not in _PLAIN or len(value.text) > _MAX_CHARS:
            continue
        told = code(brief(value)) if text == value.text else f"{code(text)} = {code(brief(value))}"
        draft.analysis.effect = f"{code(pointer)} is `null` for {told}"
        draft.say(f"{code(call.text)} returned it for {told}.")
        for near in _near(draft, value):
            draft.say(near)
            draft.advise(near)
        draft.cite(text)
        return


def _call(draft: ReportBuilder, pointer: str) -> Expression | None:
    """Return the call in this function that set the pointer, or None if its last write was not a call."""
    link = next(iter(draft.analysis.chain), None)
    here = link is not None and link.file == draft.place.frame.path and link.name == pointer
    if link is None or not here or draft.unit is None or draft.unit.function_at(link.line) is not draft.function:
        return None
    return next((e for e in draft.unit.expressions_at(link.line) if e.kind == "call"), None)


def _near(draft: ReportBuilder, value: Value) -> Iterator[str]:
    """Yield a sentence for each variable of the frame that has a key similar to the value."""
    for variable in variables(draft.place.facts) if draft.place.facts else []:
        keys = [found["key"] for found in _KEY.finditer(variable.value.text)]
        if keys and value.text not in keys and (told := near_key(value.text, keys)):
            yield f"In {code(variable.name)} {told}."
