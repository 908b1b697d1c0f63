"""Diagnoses arithmetic failures: integer overflow, division by zero, and `size() - 1` of an empty container."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.parsed import Expression, Function
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace, trace_now
from dap_ai.debuggees.native.analysis.reachability import amount
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    callee,
    integer,
    names_of,
    statements,
    unqualified,
    within,
)
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_OVERFLOW = re.compile(
    r"integer[- ]overflow|with overflow|cannot be represented|implicit-conversion|shift", re.IGNORECASE
)
_ZERO = re.compile(r"divi\w+[- ]by[- ]zero|divisor of zero|divide by zero", re.IGNORECASE)
_OPERATIONS = {"add": "+", "subtract": "-", "multiply": "*", "negate": "-", "shift left": "<<", "shift right": ">>"}
_ENDS = re.compile(r"([\w.>\-]+?)(?:\.|->)(?:back|front|pop_back|top|pop)\(\)")
_BEFORE = re.compile(r"([\w.>\-]+?)(?:\.|->)(?:size|length|len)\(\)\s*-\s*1\b")
_EMPTY = ("[]", "{}", "size=0")
_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGTRAP", "SIGILL", "EXC_BAD_ACCESS")


def diagnose(draft: ReportBuilder) -> bool:
    """Explain failed arithmetic: a reported failure, SIGFPE, or an element of an empty container.

    Returns whether the stop is such a failure.
    """
    report = draft.report
    said = f"{report.kind} {report.message}" if report else ""
    if _ZERO.search(said) or draft.signal == "SIGFPE":
        return _division(draft)
    if report and _OVERFLOW.search(said):
        return _overflow(draft, report)
    return draft.signal in _SIGNALS and any(_explain_empty(draft, end) for end in _ends(draft))


def _division(draft: ReportBuilder) -> bool:
    draft.analysis.kind = "division by zero"
    parts = [part for expression in draft.expressions for part in within(expression)]
    divisions = [e for e in parts if e.operator in ("/", "%", "/=", "%=") and len(e.parts) == 2]
    zero = next((e for e in divisions if amount(draft, e.parts[1]) == 0), None)
    if zero is None:
        return _largest(draft, divisions)
    divisor = bare(zero.parts[1])
    dividend = bare(zero.parts[0]).text
    divided = code(dividend) if integer(dividend) is not None else draft.aside(dividend)
    draft.say(f"{operand(draft, divisor)}, and the line divides {divided} by it.")
    for part in names_of(divisor):
        trace(draft, part, OriginQuery("0"))
    name = divisor.text
    draft.lets_through(0.8, f"divides by {code(name)} without looking whether it is 0")
    draft.advise(f"Decide what the result is when {code(name)} is 0, and test for it before this line.")
    return True


def _largest(draft: ReportBuilder, divisions: list[Expression]) -> bool:
    """Explain INT_MIN / -1, which the processor refuses like a division by zero."""
    left = next((bare(e.parts[0]) for e in divisions if amount(draft, e.parts[1]) == -1), None)
    if left is None:
        draft.say("The processor refused a division: by zero, or of the least number by -1.")
        return True
    draft.analysis.kind = "integer overflow"
    draft.say(f"{operand(draft, left)}: divided by -1 it is one more than its type can hold.")
    trace(draft, left.text, OriginQuery("the least number of its type"))
    draft.suspect(draft.line, 0.65, "divides by -1 what may be the least number of its type")
    draft.advise("Test for the least number of the type before this line, or compute in a wider type.")
    return True


def operand(draft: ReportBuilder, part: Expression) -> str:
    """Return an operand with its value and cite its parts. If the debugger has not read the value, compute it."""
    if draft.value(part.text) is None and (number := amount(draft, part)) is not None:
        for name in names_of(part):
            draft.cite(name)
        return f"{code(part.text)} is {code(number)}"
    return draft.code(part.text)


def _overflow(draft: ReportBuilder, report: Report) -> bool:
    draft.analysis.kind = "integer overflow"
    draft.say(f"{report.message[:1].upper()}{report.message[1:]}.")
    word = next((w for w in _OPERATIONS if f"attempt to {w}" in report.message), "")
    wanted = _OPERATIONS.get(word) or next((op for op in ("*", "+", "-", "<<") if f" {op} " in report.message), "")
    failing = next((e for e in reversed(draft.expressions) if e.operator in (wanted, f"{wanted}=") and wanted), None)
    roots = names_of(failing) if failing else [e.text for e in draft.expressions if e.kind == "name"]
    values = [draft.code(text) for text in roots if draft.value(text) is not None]
    if values:
        draft.say(f"Now {', '.join(values)}.")
    for text in roots:
        trace_now(draft, text, "too large")
    wrap = (wanted == "-" and "unsigned" in report.message) or "subtract" in report.message
    draft.suspect(draft.line, 0.85, "computes what its type cannot hold" if not wrap else
                  "goes below zero, which its type cannot hold")  # fmt: skip
    kind = next((v.type for t in roots if (v := draft.value(t))), "")
    if wrap:
        draft.advise("Compare before subtracting, or use a signed type.")
    else:
        wider = "a wider type (`long long`, `int64_t`)" if draft.place.language != "rust" else "`u64`, or `checked_mul`"
        draft.advise(
            f"Compute in {wider}{f' than {code(kind)}' if kind else ''}, or test the operands before this line."
        )
    return True


class _End(NamedTuple):
    """Code that takes the first or last element of a container."""

    code: str
    line: int
    file: str
    function: Function | None = None
    """The called function that contains the code and has returned; None if the code is in the failing function."""
    holder: str = ""
    """The object on which the function was called, as an expression in the failing frame."""


def _ends(draft: ReportBuilder) -> Iterator[_End]:
    """Yield code such as `v[v.size() - 1]` and `v.back()` on the failing line, or in functions that the line called."""
    if draft.statement:
        yield _End(draft.statement.text, draft.line, draft.place.frame.path)
    for call in draft.calls:
        found = draft.defined(callee(call)) if call.parts else None
        if found is None:
            continue
        path, unit, function = found
        called = call.parts[0]
        holder = bare(called.parts[0]).text if called.kind == "member" and called.parts else ""
        for statement in statements(unit, function):
            yield _End(statement.text, statement.first, path, function, holder)


def _explain_empty(draft: ReportBuilder, end: _End) -> bool:
    """Explain an element that was taken from an empty container. Return whether that is the failure."""
    for found in [*_BEFORE.finditer(end.code), *_ENDS.finditer(end.code)]:
        text, value = _container(draft.place, found[1], end.holder)
        if value is not None and value.length == 0 and not (end.function and _is_asked(draft, end, found[1])):
            _tell_empty(draft, end, found[0], text)
            return True
    return False


def _is_asked(draft: ReportBuilder, end: _End, container: str) -> bool:
    """Whether the called function checks that the container has an element, so that it took none from an empty one."""
    asks = re.compile(rf"(?:^|\W){re.escape(container)}\s*(?:\.|->)\s*(?:empty|size|length|begin)\(\)(?!\s*-\s*1\b)")
    lines = range(end.function.first, end.line + 1) if end.function else ()
    return any(asks.search(draft.line_text(line, end.file)) for line in lines)


def _tell_empty(draft: ReportBuilder, end: _End, access: str, text: str) -> None:
    wraps = _BEFORE.fullmatch(access) is not None
    draft.analysis.kind = "integer overflow" if wraps else "overflow"
    draft.cite(text)
    draft.cite(end.holder or "this")
    place, name = draft.place, draft.function.name if draft.function else "it"
    where = f" at {draft.spot(end.line, end.file)}, in {code(end.function.name)}," if end.function else ""
    result = "wraps around to 18446744073709551615, the largest number there is" if wraps else "is not there"
    draft.say(f"{code(text)} is empty, so{where} {code(access)} {result}.")
    draft.suspect(end.line, 0.9, f"{code(access)}, without a look whether there is an element", end.file)
    caller = None if end.function else draft.caller_of(place)
    if end.function:
        draft.link(end.file, end.line, "takes an element of", text, end.function.name)
        draft.suspect(place.frame.line, 0.5, f"calls {code(end.function.name)} when {code(text)} is empty")
    elif caller:
        draft.link(caller.frame.path, caller.frame.line, "calls", name, unqualified(caller.frame.name))
        draft.suspect(caller.frame.line, 0.5, f"calls {code(name)} when {code(text)} is empty", caller.frame.path)
    draft.advise(f"Test {code(f'{text}.empty()')} before this, and decide what the answer is then.")


def _container(place: FramePlace, name: str, holder: str) -> tuple[str, Value | None]:
    """Find a container by its name, through `this`, or through the object on which the function was called."""
    for text in (name, f"this->{name}", *((f"{holder}.{name}", f"{holder}->{name}") if holder else ())):
        if (value := place.value(text)) is not None:
            return text, value
    outer = place.value(holder or "this")
    for field in (outer.fields or ()) if outer else ():
        if field.name == name and field.text in _EMPTY:
            return f"{holder or 'this'}.{name}", Value(field.text, field.type, length=0)
    return name, None
