"""Diagnoses failures that the program itself reports: failed assertions, panics, uncaught exceptions."""

from __future__ import annotations

import re
from collections.abc import Callable

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.report.nearest import near
from dap_ai.agent.source.parsed import Expression, Function
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace, trace_now
from dap_ai.debuggees.native.analysis.reachability import indent, member_writes, spot_of
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    bare,
    callee,
    integer,
    names_of,
    number_of,
    within,
)
from dap_ai.debuggees.native.diagnoses.arithmetic import operand
from dap_ai.protocol.contracts.comparisons import COMPARE
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_WORD = re.compile(r"[A-Za-z_]\w*")
_OPPOSITE = {"+=": "-=", "-=": "+="}
_NONE = re.compile(r"`Option::(\w+)(?:\(\))?` on a `None`|on a `None` value")
_ERR = re.compile(r"`Result::(\w+)(?:\(\))?` on an `Err` value: (.*)", re.DOTALL)
_IF = re.compile(r"\bif\s+(?:let\s+)?(\S.*?)\s*(?:\{|$|(?<=\))\s*\w+\s*\()")
_BORROWED = re.compile(r"already (mutably )?borrowed|BorrowMutError|BorrowError|RefCell already")
_UNWRAPS = frozenset({"unwrap", "expect", "unwrap_err", "expect_err"})
_LOOKUPS = frozenset({"at", "get"})
_NOT_SEEN = 0.55
"""Score of a line whose part in the failure was not evaluated. Such a line is only a guess."""
_PAST_END = re.compile(
    r"(?P<method>[\w:]+): \w+ \(which is (?P<index>\d+)\) >=? this->size\(\) \(which is (?P<size>\d+)\)"
)
"""Matches the message of gcc's C++ library for an index past the end, in methods such as `substr` and `at`. The message
names `at` as `_M_range_check`."""


def diagnose(draft: ReportBuilder) -> bool:
    """Explain a program that ended itself with a report. Return whether the program did so."""
    report = draft.report
    tell = _TELLERS.get(report.tool) if report else None
    if report is None or tell is None:
        return False
    tell(draft, report)
    return True


def _assertion(draft: ReportBuilder, report: Report) -> None:
    draft.analysis.kind = "assertion"
    asserted = next((e for e in draft.calls if "assert" in callee(e).lower()), None)
    roots = asserted.parts[1:] if asserted else draft.expressions[:1]
    failed = _false_part(draft, roots[0]) if roots else None
    if failed is None:
        draft.say(f"The assertion {code(report.message)} does not hold.")
        return
    draft.say(f"The assertion does not hold: {_operands(draft, failed)}.")
    for name in _names(failed):
        trace_now(draft, name, "wrong")
    _odd_signs(draft, failed)
    draft.suspect(draft.line, 0.35, "the assertion itself may be wrong")
    first = next(iter(_names(failed)), "")
    if first:
        draft.advise(f"Set a watchpoint on {code(first)}, and compare it at each change with what it should be.")


def _false_part(draft: ReportBuilder, expression: Expression) -> Expression:
    """Return the false side of an expression `a && b`, or the whole expression if it has no such side."""
    expression = bare(expression)
    if expression.operator == "&&" and len(expression.parts) == 2:
        for part in expression.parts:
            value = draft.value(part.text)
            if value is not None and value.text in ("false", "0"):
                return _false_part(draft, part)
    return expression


def _operands(draft: ReportBuilder, expression: Expression) -> str:
    if expression.operator not in COMPARE or len(expression.parts) != 2:
        return ", ".join(draft.code(n) for n in _names(expression)[:4]) or f"{code(expression.text)} is false"
    sides = map(bare, expression.parts)
    return " and ".join(
        operand(draft, side) if integer(side.text) is None else f"it is compared with {code(side.text)}"
        for side in sides
    )


def _names(expression: Expression) -> list[str]:
    """Return the names in an expression, except the names of functions that it calls."""
    called = {e.parts[0].text for e in within(expression) if e.kind == "call" and e.parts}
    return [name for name in names_of(expression) if name not in called]


def _odd_signs(draft: ReportBuilder, expression: Expression) -> None:
    """Suspect a function that subtracts an amount from one member and adds it to another. One sign may be wrong."""
    members = {n.rsplit(".", 1)[-1].rsplit(">", 1)[-1] for n in _names(expression) if "." in n or "->" in n}
    for member in members:
        for path, function, line, assignment in member_writes(draft, member):
            other = _opposed(draft, path, function, assignment)
            if other:
                reason = (
                    f"{code(assignment.operator)} here may have the wrong sign: the same function has {code(other)}"
                )
                draft.suspect(line, _NOT_SEEN, reason, path)


def _opposed(draft: ReportBuilder, path: str, function: Function, assignment: Expression) -> str:
    source = draft.case.sources.read(path)
    opposite = _OPPOSITE.get(assignment.operator, "")
    if source is None or not opposite:
        return ""
    words = set(_WORD.findall(assignment.parts[1].text))
    for line in range(function.first, function.last + 1):
        code = source.line(line).strip().rstrip(";")
        left, found, right = code.partition(opposite)
        if found and left.strip() and not words.isdisjoint(_WORD.findall(right)):
            return code
    return ""


def _panic(draft: ReportBuilder, report: Report) -> None:
    draft.analysis.kind = "panic"
    if _NONE.search(report.message):
        _unwrapped(draft, "None", null=True)
    elif found := _ERR.search(report.message):
        _unwrapped(draft, f"Err({found[2]})", null=False)
    elif _BORROWED.search(report.message):
        _borrowed(draft)
    elif (held := _expected(draft, report.message)) is not None:
        _unwrapped(draft, held, null=held == "None")
    else:
        _explain_panic(draft, report)


def _explain_panic(draft: ReportBuilder, report: Report) -> None:
    """Explain a panic of a library function because of its arguments, or a panic that the program itself caused."""
    missed = next(iter(draft.subscripts), None)
    if "no entry found for key" in report.message and missed:
        _lookup(draft, missed.text, bare(missed.parts[0]), bare(missed.parts[1]))
        draft.suspect(draft.line, 0.75, "assumes that the key exists")
        draft.advise("Handle the missing key: `.get(key)` returns an `Option`.")
        return
    if "char boundary" in report.message:
        draft.say("A `str` is sliced by bytes, and a character may have several: this index is inside one.")
        reason = "slices a `str` at a byte index, regardless of where a character ends"
        draft.suspect(draft.line, 0.8, reason)
        draft.advise("Slice it by characters: `s.chars().take(n)`, or an index of `s.char_indices()`.")
    else:
        draft.say("The program aborted by itself.")
    names = [e.text for e in draft.expressions if e.kind in ("name", "member") and draft.value(e.text) is not None]
    for name in names[:4]:
        draft.cite(name)
    conditions(draft)
    for name in names[:4] if not draft.analysis.chain else ():
        trace_now(draft, name)


def _unwrapped(draft: ReportBuilder, held: str, *, null: bool) -> None:
    """Explain which `unwrap()` or `expect()` on the line found no value, and where the missing value came from."""
    unwraps = [e for e in reversed(draft.calls) if callee(e) in _UNWRAPS and e.parts[0].parts]
    candidates = [bare(e.parts[0].parts[0]) for e in unwraps]
    found = next((e for e in candidates if _is_none(draft.value(e.text))), candidates[0] if candidates else None)
    if found is None:
        draft.say(f"Something on this line is {code(held)}.")
        return
    value = draft.value(found.text)
    draft.say(f"{code(found.text)} is {code(held)}, and `unwrap` or `expect` assumes that there is a value.")
    for parameter in draft.function.parameters if draft.function else ():
        draft.cite(parameter.removeprefix("mut ").lstrip("&"))
    if draft.function and (known := [c for c in draft.analysis.cited if c.expression != found.text]):
        draft.say("The function was called with " + " and ".join(draft.aside(c.expression) for c in known[:3]) + ".")
    holder = _holder(found)
    if value is not None or len(holder.parts) < 2 or holder.kind != "call":
        root = next((e for e in within(holder) if e.kind in ("name", "member")), holder)
        trace(draft, found.text if value is not None else root.text, OriginQuery(held, null=null))
    for name in _names(holder) if holder.kind == "call" else ():
        if (given := draft.value(name)) is not None:
            trace(draft, name, OriginQuery(given.text.rpartition(" -> ")[2]))
    draft.suspect(draft.line, 0.75, f"assumes that {code(found.text)} has a value")
    draft.advise(
        f"Handle the case that {code(found.text)} is {code(held)}: `match`, `ok_or(...)?` or `unwrap_or(...)`."
    )


def _expected(draft: ReportBuilder, message: str) -> str | None:
    """Return `None` or `Err(...)`, which an `expect` on the line found, by the panic's message.

    None if no `expect` matches.
    """
    for call in (e for e in draft.calls if callee(e) == "expect" and len(e.parts) > 1):
        words = call.parts[1].text.strip('"')
        if message == words:
            return "None"
        if message.startswith(f"{words}: "):
            return f"Err({message[len(words) + 2 :]})"
    return None


def _holder(expression: Expression) -> Expression:
    """Strip method calls without arguments from an expression: `self.last` for `self.last.as_ref()`."""
    while expression.kind == "call" and len(expression.parts) == 1 and expression.parts[0].parts:
        expression = bare(expression.parts[0].parts[0])
    return expression


def _is_none(value: Value | None) -> bool:
    return value is not None and (value.kind == "none" or value.text in ("None", "null") or value.note == "null")


def _borrowed(draft: ReportBuilder) -> None:
    draft.say("A `RefCell` is borrowed here while another borrow of it is still alive, further out on this stack.")
    for place in draft.case.places:
        spot = spot_of(place)
        for line in range(spot.function.first, spot.line) if spot else ():
            if re.search(r"\blet\b.*\.borrow(_mut)?\(", draft.line_text(line, place.frame.path)):
                draft.link(place.frame.path, line, "borrows", "", place.frame.name)
                draft.suspect(line, 0.8, "borrows it, and keeps the borrow", place.frame.path)
    draft.advise("End the first borrow before this line: drop it, or put it into a block of its own.")


def conditions(draft: ReportBuilder) -> None:
    """Explain why the program aborted, by the `if` at or above the line and the values of its names."""
    line = draft.line
    first = draft.function.first if draft.function else line
    for above in range(line, max(first, line - 6) - 1, -1):
        found = next(iter(reversed(list(_IF.finditer(draft.line_text(above))))), None)
        if not found or not (above == line or indent(draft, above) < indent(draft, line)):
            continue
        names = [n for n in re.findall(r"[A-Za-z_][\w.]*", found[1]) if draft.value(n) is not None][:3]
        values = f": {', '.join(map(draft.code, names))}" if names else ""
        draft.say(f"It does so because of the condition at {draft.spot(above)}{values}.")
        draft.suspect(above, 0.5, "the condition under which it aborts")
        for name in names:
            trace_now(draft, name)
        return


def _terminate(draft: ReportBuilder, report: Report) -> None:
    draft.analysis.kind = "crash"
    for call in reversed(draft.calls):
        if (past := _PAST_END.search(report.message)) and callee(call) in past["method"]:
            _past_end(draft, call, past)
            break
        if report.kind == "std::out_of_range" and _may_lack(draft, call):
            _lookup(draft, call.text, bare(call.parts[0].parts[0]), bare(call.parts[1]))
            break
    else:
        for name in [e.text for e in draft.expressions if e.kind in ("name", "member")][:4]:
            if draft.value(name) is not None:
                draft.say(f"{draft.code(name)}.")
                trace_now(draft, name)
    draft.lets_through(0.8, "throws an exception that nothing catches")
    draft.advise("Catch it where it can be handled, or test before this line that it cannot happen.")


def _past_end(draft: ReportBuilder, call: Expression, told: re.Match[str]) -> None:
    """Explain a call of a string's or container's method with an index past the end."""
    holder, given = bare(call.parts[0].parts[0]).text, bare(call.parts[1]).text if len(call.parts) > 1 else ""
    is_read = given and integer(given) is None
    subject = f"{code(given)} is {code(told['index'])}" if is_read else f"{code(callee(call))} is given {told['index']}"
    draft.say(f"{subject}, but {code(holder)} ends at {told['size']}.")
    reason = f"passes {code(callee(call))} {told['index']}, beyond the end of {code(holder)}"
    draft.suspect(draft.line, 0.85, reason)
    names = _names(call.parts[1]) if given else []
    for name in dict.fromkeys([*names, holder]):
        if (value := draft.value(name)) is not None:
            draft.cite(name)
            trace(draft, name, OriginQuery(value.text))


def _may_lack(draft: ReportBuilder, call: Expression) -> bool:
    """Whether the call looks up a key that may be missing, since no value that was read contains the key."""
    if callee(call) not in _LOOKUPS or call.parts[0].kind != "member" or len(call.parts) < 2:
        return False
    container, key = draft.value(bare(call.parts[0].parts[0]).text), draft.value(bare(call.parts[1]).text)
    return container is None or key is None or key.text not in (container.keys or ())


def _lookup(draft: ReportBuilder, access: str, container: Expression, key: Expression) -> None:
    """Explain a failed lookup `container.at(key)` or `container[key]`: the key, the container, and a similar key."""
    within_it, wanted = draft.value(container.text), draft.value(key.text)
    draft.say(f"{code(access)} looks for {draft.aside(key.text)}, which {code(container.text)} does not have.")
    draft.cite(container.text)
    draft.cite(key.text)
    number = number_of(wanted)
    past_end = number is not None and within_it is not None and within_it.kind == "list" and number == within_it.length
    if within_it is not None and within_it.length is not None and number is not None and within_it.kind == "list":
        draft.say(f"{code(container.text)} has {within_it.length} elements, the indices 0 to {within_it.length - 1}.")
    elif within_it is not None:
        keys = within_it.keys or re.findall(r"\"((?:[^\"\\]|\\.)*)\"", within_it.text)
        name = wanted.text.strip("\"'") if wanted else ""
        alike = near(name, [k.strip("\"'") for k in keys], 1) if name else []
        draft.say(f"It holds {code(within_it.text)}." + (f" It has {code(alike[0])}: it differs in spelling only."
                  if alike and alike[0].casefold() == name.casefold() else ""))  # fmt: skip
    trace(draft, key.text, OriginQuery(wanted.text if wanted else "it", past_end=past_end))
    for name in names_of(key) if key.kind == "binary" else ():
        if draft.number(name):
            trace_now(draft, name)


_TELLERS: dict[str, Callable[[ReportBuilder, Report], None]] = {
    "assert": _assertion, "panic": _panic, "terminate": _terminate,
}  # fmt: skip
