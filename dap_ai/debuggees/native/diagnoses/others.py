"""Diagnoses stops that belong to no other family: other reports, illegal instructions, aborts, and plain stops."""

from __future__ import annotations

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.value_texts import cut, show, variables
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace, trace_call
from dap_ai.debuggees.native.analysis.reachability import reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, callee, is_broken, is_null
from dap_ai.debuggees.native.diagnoses.claims import conditions
from dap_ai.debuggees.native.diagnoses.freed_memory import own_frame
from dap_ai.debuggees.native.diagnoses.pointers import followed, null_pointer, wild_number
from dap_ai.debuggees.native.diagnoses.sizes import length_of
from dap_ai.debuggees.native.diagnoses.threads import tell_ring
from dap_ai.system.texts import code

_SIGNALS = {
    "SIGILL": "The processor met an instruction that it does not support: the end of a function that should return a "
    "value, `__builtin_unreachable`, a jump through a wrong pointer, or code for another processor.",
    "SIGBUS": "The address is misaligned, or lies in a mapped file beyond its end.",
    "SIGABRT": "The program ended itself by `abort`.",
    "SIGSYS": "A system call was refused.",
}


def diagnose(draft: ReportBuilder) -> bool:
    """Explain any stop. Always returns True."""
    report = draft.report
    if report:
        _reported(draft, report)
    elif draft.signal:
        _signal(draft)
    else:
        _stop(draft)
    return True


def _reported(draft: ReportBuilder, report: Report) -> None:
    said = f"{report.kind} {report.message}"
    message = report.message or report.kind
    draft.say(f"{report.tool} says: {message[:1].lower()}{message[1:]}.")
    if "uninitialized" in said or "uninitialised" in said:
        _unset(draft, report)
    elif "leak" in said:
        _leak(draft, report)
    else:
        null = null_pointer(draft)
        if null is not None:
            draft.analysis.kind = "null dereference"
            draft.say(f"{draft.code(null.text)}.")
            trace(draft, null.text, OriginQuery("null", null=True))
        _values(draft)
        draft.suspect(draft.line, 0.6, report.kind)


def _unset(draft: ReportBuilder, report: Report) -> None:
    draft.analysis.kind = "uninitialised"
    spot = spot_of(draft.place)
    for text in [e.text for e in draft.expressions if e.kind in ("name", "member")]:
        writes = reaching(spot.unit, spot.function, text, spot.line) if spot else []
        if any(w.role == "declared" for w in writes):
            draft.say(f"{draft.code(text)}.")
            trace(draft, text, OriginQuery("unset"))
    for stack in report.stacks[1:]:
        if own := own_frame(draft, stack):
            draft.suspect(own[1], 0.8, stack.title, own[0])
    draft.advise("Set it where it is declared, or on every path to this line.")


def _leak(draft: ReportBuilder, report: Report) -> None:
    draft.analysis.kind = "leak"
    for stack in report.stacks:
        if own := own_frame(draft, stack):
            file, line, name = own
            draft.say(f"{stack.title} allocated at {draft.spot(line, file)}, in {code(name)}: "
                      f"{code(draft.line_text(line, file))}.")  # fmt: skip
            draft.suspect(line, 0.8, "allocates what is never freed", file)
    draft.advise("Find who should own it, and free it where that owner ends, on early returns too.")


def _signal(draft: ReportBuilder) -> None:
    fault = draft.fault
    words = _SIGNALS.get(draft.signal, "")
    if words:
        draft.say(words)
    if draft.signal in ("SIGSEGV", "SIGBUS") and fault and fault.address is not None:
        draft.say(
            f"The address {code(hex(fault.address))} cannot be {'written' if fault.access == 'write' else 'reached'}."
        )
    for part in draft.expressions:
        value = draft.value(part.text)
        if is_null(value) or is_broken(value) or wild_number(draft, part) is not None:
            draft.say(f"{draft.code(part.text)}.")
            trace(draft, part.text, OriginQuery(show(value, 40) if value else "what it is"))
    gives = next((b for e in draft.expressions if (b := followed(e)) and b.kind == "call"), None)
    if gives is not None and draft.signal in ("SIGSEGV", "SIGBUS") and draft.defined(callee(gives)):
        draft.say(f"The line follows what {code(cut(gives.text, 60))} returns.")
        trace_call(draft, gives)
    if draft.signal == "SIGABRT":
        conditions(draft)
        tell_ring(draft)
    _values(draft)


def _values(draft: ReportBuilder) -> None:
    """Cite the values of the names on the failing line."""
    for root in draft.expressions:
        if root.kind in ("name", "member", "subscript") and len(draft.analysis.cited) < 6:
            draft.cite(root.text)


def _stop(draft: ReportBuilder) -> None:
    draft.analysis.kind = "stop"
    facts = draft.place.facts
    for variable in variables(facts)[:8] if facts else ():
        draft.cite(variable.name)
    dotted = "." in draft.line_text(draft.line)
    for text in (root.text for root in draft.expressions if dotted and length_of(draft.value(root.text)) == 0):
        draft.say(f"{draft.code(text)}: it is empty.")
    null = null_pointer(draft)
    if null is not None:
        draft.say(f"{draft.code(null.text)}: this line will fail on it.")
        trace(draft, null.text, OriginQuery("null", null=True))
