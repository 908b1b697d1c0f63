"""Traces a value's origin: back through writes in its function, calls that returned it, and callers' arguments.

The search goes backward over parsed source, on demand. No history of the run was recorded; only the memory at the stop
is known. So the search compares each line that may have set the value with the current values. It drops a line that
cannot have been the last to set the value: the line has not run, was overwritten, sets another value, or would have
crashed itself.

1. Writes in the function come first, nearest first. An assignment before the line ends the search (`_back`). 2. For a
parameter, the search continues with the caller's argument; for a call, with the function's return value. Each step is a
new search, at most 5 deep. 3. For a member that no line here assigns, every assignment to a member of that name in the
files on the stack counts. For an element, its container is searched.

The score shows how much was verified. If the value could not be read, or other lines may also have set it, the score
stays below 0.6, which marks a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.source.parsed import Expression, Function, NameWrite
from dap_ai.debuggees.native.analysis.native_loops import judge
from dap_ai.debuggees.native.analysis.reachability import (
    FunctionSpot,
    argument,
    blanks,
    member_writes,
    plain,
    reaching,
    spot_of,
)
from dap_ai.debuggees.native.analysis.reaching import (
    MAY_FAIL,
    UNSET,
    emptied,
    follows,
    is_filled,
    is_in_map,
    is_never_null,
    pointed,
    read_by,
    returned,
    was_stored_through,
)
from dap_ai.debuggees.native.analysis.report_builder import (
    NULLS,
    ReportBuilder,
    bare,
    brief,
    callee,
    integer,
    is_null,
    number_of,
    statements,
    within,
)
from dap_ai.debuggees.native.analysis.stop_evaluation import calls_with, gives, has_run, last_writes, never_set
from dap_ai.debuggees.native.source.parsing import ParsedFile
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

_MAX_DEPTH = 5
_MAX_WRITES = 4
_MAX_HANDED = 2
_ONE_OF_SEVERAL = 0.45
"""Score of a call that may have returned the value while other lines may also have set it. Such a line is only a
guess."""
_NOT_SEEN = 0.55
"""Score of a line that set the value only if a name that could not be read was null. Such a line is only a guess."""
_MAY_BE_UNSET = 0.58
"""Score of a variable that is set only under conditions, if these conditions cannot be evaluated."""
_POINTERS = frozenset({"pointer", "smart", "str", "function", "optional"})
_LENGTHS = frozenset({"len", "size", "length", "count", "strlen", "ssize"})
_WORDS = {
    "declared": "declares, without a value,",
    "assigned": "sets",
    "changed": "changes",
    "argument": "receives",
    "address": "hands out the address of",
    "freed": "frees",
    "loop": "steps",
}
_GOES_THROUGH = re.compile(r"\bfor\s*\([^;]*[^:;]:[^:;][^;]*$|\bfor\b.*\bin\b")
_VARIABLE = re.compile(r"&[\w.:]+")
_ROOT = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"(?:->|\.)(\w+)$")
_ELEMENT = re.compile(r"([\w.>-]+)\[([^\[\]]+)\]")


@dataclass(frozen=True)
class OriginQuery:
    """A value whose origin to trace: its text (`null`, `12`), and whether it is a null pointer."""

    words: str
    null: bool = False
    past_end: bool = False
    """Whether the value is an index that equals the number of elements."""
    wild: bool = False
    """Whether the value is a pointer to unreadable memory."""
    shared: bool = False
    """Whether the value is a pointer held by two owners."""
    unproven: bool = False
    """Whether nothing proves that the traced value itself was null. A line that set it is then only a guess."""


def trace(draft: ReportBuilder, text: str, wanted: OriginQuery, place: FramePlace | None = None) -> None:
    """Trace where an expression's value came from, and add the links and suspects to the draft, nearest first."""
    spot = spot_of(place or draft.place)
    if spot:
        _Trace(draft, wanted).back(spot, text, 0)


def trace_now(draft: ReportBuilder, text: str, unknown: str = "it") -> None:
    """Trace an expression's current value. If the value could not be read, sentences call it `unknown`."""
    value = draft.value(text)
    trace(draft, text, OriginQuery(value.text if value else unknown))


def trace_call(draft: ReportBuilder, call: Expression) -> None:
    """Trace the result of a call on the failing line that returned a pointer to unreadable memory."""
    if spot := spot_of(draft.place):
        _Trace(draft, OriginQuery("wrong", wild=True)).called(spot, call)


class _Trace:
    def __init__(self, draft: ReportBuilder, wanted: OriginQuery) -> None:
        self.draft = draft
        self.wanted: OriginQuery = wanted
        self.seen: set[tuple[object, str]] = set()
        self.unset = ""
        """Name of the traced member if no line assigns to it; else empty."""

    def back(self, spot: FunctionSpot, text: str, depth: int) -> None:
        """Trace an expression further back, with its value at the stop.

        If this value is not null, the search for the origin of a null ends here.
        """
        # The frame is part of the key: in a recursion, the same name in another call has another value.
        if depth > _MAX_DEPTH or (spot.key, text) in self.seen:
            return
        self.seen.add((spot.key, text))
        value = spot.place.value(text) if spot.place else None
        before = self.wanted
        # On the way back the traced value changes: a null may come out of an object that is not null itself (`p =
        # list->head`). From there on the search looks for other lines, and no line proves the null.
        if before.null and value is not None and not is_null(value):
            self.wanted = replace(before, null=False, words=brief(value), unproven=True)
        elif before.null and value is None:
            self.wanted = replace(before, unproven=True)
        self._back(spot, text, depth)
        self.wanted = before

    def _back(self, spot: FunctionSpot, text: str, depth: int) -> None:
        if spot.place and spot.place.value(text) is not None:
            self.draft.cite(text, spot.place)
        own = [w for w in reaching(spot.unit, spot.function, text, spot.line) if self._may_give(spot, w)]
        own = _nearest([w for w in last_writes(self.draft, spot, own) if not self._is_shown_set(spot, w)])
        declared = (w for w in own if w.role == "declared")
        unset = next((w for w in declared if _only_sometimes(self.draft, spot, w, _sets_of(own))), None)
        unset = None if unset and self._was_set(spot, own) else unset
        for nth, write in enumerate([unset] if unset else own):
            self._write(spot, write, own, nth, depth)
        # A write in this function is nearer than the caller: the value passed is not the one that failed.
        if any(w.role == "assigned" and w.line < spot.line for w in own):
            return
        if spot.place and self._passed(spot, spot.place, text, depth):
            return
        if not own and (member := _MEMBER.search(text)):
            self._member(spot, member[1], text, depth)
        if not own and self.wanted.null and (element := _ELEMENT.fullmatch(text)):
            self._element(spot, element[1], element[2], depth)

    def called(self, spot: FunctionSpot, call: Expression) -> None:
        """Trace the result of a call back through the called function."""
        self._called(spot, cut(call.text, 60), call, 0.5, 0)

    def _suspect(self, line: int, score: float, reason: str, path: str) -> None:
        self.draft.suspect(line, min(score, _NOT_SEEN) if self.wanted.unproven else score, reason, path)

    def _may_give(self, spot: FunctionSpot, write: NameWrite) -> bool:
        """Whether a line may have run and set the value.

        A line that follows a null pointer would itself have failed.
        """
        if write.role == "argument":
            return False
        if not self.wanted.null or write.value is None or write.role not in ("assigned", "loop"):
            return True
        if pointed(write.value).text in write.not_null or is_never_null(write.value):
            return False
        return not (follows(write.value, write.name) and spot.place and self._was_null(spot, spot.place, write.name))

    def _is_shown_set(self, spot: FunctionSpot, write: NameWrite) -> bool:
        return self.wanted.null and write.role == "assigned" and was_stored_through(self.draft, spot, write)

    def _was_null(self, spot: FunctionSpot, place: FramePlace, parameter: str) -> bool:
        """Whether the caller passes null for a parameter.

        False if unknown, as for a reference to the caller's variable.
        """
        types = dict(zip(map(plain, spot.function.parameters), spot.function.types, strict=False))
        found = argument(self.draft, place, parameter) if "&" not in types.get(parameter, "") else None
        return found is not None and _is_null_there(*found)

    def _write(self, spot: FunctionSpot, write: NameWrite, own: list[NameWrite], nth: int, depth: int) -> None:
        draft = self.draft
        if write.role == "assigned" and write.value and self._is_of_a_thing(write.value):
            return
        holds = spot.place.value(write.name) if spot.place else None
        if write.value and _is_refuted(holds, pointed(write.value)):
            return
        draft.link(spot.path, write.line, _WORDS[write.role], write.name, spot.function.name)
        score = max(0.3, 0.65 - 0.1 * nth - 0.04 * depth)
        if write.role == "declared":
            sets = _sets_of(own)
            reason = f"declares {code(write.name)} without a value" + _only_sometimes(draft, spot, write, sets)
            found = never_set(draft, spot, write, sets)
            if found is not False:
                unseen = _MAY_BE_UNSET if "only" in reason else min(score, _ONE_OF_SEVERAL)
                self._suspect(write.line, 0.85 if found else unseen, reason, spot.path)
        elif write.role == "loop":
            self._looped(spot, write, score)
        elif self.wanted.null and write.role == "changed" and (emptied := self._emptied(spot, write)):
            self._suspect(write.line, 0.85, f"{emptied}, which leaves it {self.wanted.words}", spot.path)
        elif write.value is None or write.role in ("freed", "address", "changed"):
            self._suspect(write.line, score - 0.1, f"{_WORDS[write.role]} {code(write.name)}", spot.path)
        else:
            given = [w for w in own if w.role in ("assigned", "loop", "changed", "address")]
            if not self.wanted.null and (agreed := gives(draft, spot, write)) is not True:
                if agreed is False and nth == 0:
                    return  # the name has another value now, so another line has set it since
                score = min(score, _NOT_SEEN)
            self._from(spot, write, pointed(write.value), score, depth, alone=len(given) == 1)

    def _looped(self, spot: FunctionSpot, write: NameWrite, score: float) -> None:
        if write.value and _GOES_THROUGH.search(write.code):
            reason = (
                f"{code(write.name)} is an element of {code(cut(write.value.text, 60))}, and is {self.wanted.words}"
            )
            self._suspect(write.line, score, reason, spot.path)
            return
        reason = f"the loop lets {code(write.name)} become {self.wanted.words}"
        value = spot.place.value(write.name) if spot.place else None
        bound = number_of(value) if self.wanted.past_end and (value and value.text) == self.wanted.words else None
        loop = judge(self.draft, spot, write, bound)
        if bound is not None and loop.fault == "one too far" and loop.code == "<=" and not loop.is_meant:
            self._suspect(write.line, 0.9, f"{reason}: `<=` where `<` fits", spot.path)
        else:  # a counted number that nothing here shows to be wrong
            self._suspect(write.line, min(score, _NOT_SEEN), reason, spot.path)

    def _was_set(self, spot: FunctionSpot, own: list[NameWrite]) -> bool:
        """Whether a line that sets the name may have given it the traced value."""
        values = [(w, bare(w.value).text) for w in own if w.role == "assigned" and w.value and w.line < spot.line]
        return any(text == self.wanted.words or has_run(self.draft, spot, w.line) for w, text in values)

    def _emptied(self, spot: FunctionSpot, write: NameWrite) -> str:
        value = spot.place.value(write.name) if spot.place else None
        return "" if value is not None and value.kind == "pointer" else emptied(write)

    def _is_of_a_thing(self, value: Expression) -> bool:
        """Whether an expression is a variable's address, which cannot be the null or invalid pointer that is traced."""
        return (self.wanted.null or self.wanted.wild) and bool(_VARIABLE.fullmatch(bare(value).text))

    def _from(
        self, spot: FunctionSpot, write: NameWrite, value: Expression, score: float, depth: int, *, alone: bool
    ) -> None:
        """Trace the right-hand side of a write. `alone`: no other line may have set the value."""
        draft, line, name = self.draft, write.line, write.name
        called = next((e for e in within(value) if e.kind == "call" and not e.text.startswith("sizeof")), None)
        if (self.wanted.null and value.text in NULLS) or value.text == self.wanted.words:
            self._suspect(line, score + 0.1, f"sets {code(name)} to {value.text}", spot.path)
        elif called is not None:
            holds = spot.place.value(name) if spot.place else None
            self._called(replace(spot, line=line), name, called, score, depth, alone=alone, holds=holds)
        else:
            if self.wanted.shared and value.kind in ("deref", "name", "unary"):
                reason = f"copies {code(cut(value.text, 60))}: both then hold the same pointers"
                self._suspect(line, 0.85 if self.unset else score, reason, spot.path)
            if self.wanted.null and follows(value, name) and self._may_be(spot, name):
                reason = f"goes on to {code(cut(value.text, 60))}, which is null at the end"
                self._suspect(line, score + 0.01, reason, spot.path)
            made = "makes {} with {}" if value.text.startswith("(") else "sets {} to {}"
            self._suspect(line, score - 0.05, made.format(code(name), code(cut(value.text, 60))), spot.path)
        for part in within(value) if called is None else ():
            if part.kind in ("name", "member", "subscript") and part.text != name and self._may_be(spot, part.text):
                if follows(part, name) and not any(member_writes(draft, part.text.rpartition(part.operator)[2])):
                    break  # the list ends where the code that made it ended it
                self.back(replace(spot, line=line), part.text, depth + 1)
                break

    def _may_be(self, spot: FunctionSpot, text: str) -> bool:
        """Whether an expression may be the source of the value.

        The source of a null must be null itself, or unknown.
        """
        value = spot.place.value(text) if spot.place else None
        return not self.wanted.null or value is None or is_null(value)

    def _called(
        self,
        spot: FunctionSpot,
        name: str,
        call: Expression,
        score: float,
        depth: int,
        *,
        alone: bool = True,
        holds: Value | None = None,
    ) -> None:
        """Trace the value that a function returned. `holds` is the value at the stop of the name that the call set."""
        draft, called, path, line = self.draft, callee(call), spot.path, spot.line
        score = score if alone else min(score, _ONE_OF_SEVERAL)
        # The search continues in the function's body if its source is available. Of other functions only the name says
        # something: that it may fail, that it leaves memory unset, that it returns a length.
        found = draft.defined(called)
        if found is not None:
            unchecked = " without a check" if self.wanted.null else ""
            score = score + 0.1 if unchecked else min(score, _NOT_SEEN)  # the reason is in the function that returns it
            self._suspect(line, score, f"uses what {code(called)} returns{unchecked}", path)
            if unchecked:
                draft.analysis.unchecked.add((path, line))
            self._returns(found, depth, _holder(spot, call), holds)
            return
        if self.wanted.past_end and called in _LENGTHS:
            self._suspect(
                line, 0.9, f"{code(call.text)} is used as an index: the last one is {code(f'{call.text} - 1')}", path
            )
            return
        if self.wanted.wild and self.unset and called in UNSET and not is_filled(spot, name):
            self._unset()
            unset = code(self.unset)
            reason = f"{code(called)} leaves {unset} unset, and no line of the files on the stack sets it"
            given = [c for c in calls_with(spot, name) if not draft.defined(callee(c))]  # may have set it elsewhere
            self._suspect(line, _NOT_SEEN if given else 0.85, reason, path)
            draft.advise(f"Give {unset} a value where its object is made, or allocate it with `calloc`.")
            return
        why = MAY_FAIL.get(called, "") if self.wanted.null and alone and len(call.parts) > 1 else ""
        reason = f"{code(name)} is what {code(called)} returns" + (f", which {why}; nothing checks it" if why else "")
        score = min(score, _NOT_SEEN) if self.wanted.wild else score
        self._suspect(line, score + (0.15 if why else 0), reason, path)

    def _unset(self) -> None:
        if self.draft.analysis.kind == "crash":
            self.draft.analysis.kind = "uninitialised"

    def _returns(
        self, found: tuple[str, ParsedFile, Function], depth: int, holder: Value | None, holds: Value | None
    ) -> None:
        file, unit, function = found
        given = [(s, g) for s in statements(unit, function) if (g := returned(s)) is not None]
        given = [(s, g) for s, g in given if not _is_refuted(holds, g)]
        if not self.wanted.null and unit.has_open_end(function):
            self.draft.link(file, function.last, "ends without a `return`", "", function.name)
            self._unset()
            self.draft.advise(
                f"Let {code(function.name)} return a value on every path; the compiler warns with `-Wreturn-type`."
            )
            reason = f"{code(function.name)} can come to its end without a `return`: its result is undefined then"
            self._suspect(function.last, 0.85 if self.wanted.wild else 0.6, reason, file)
        elif unit.language == "rust" and (tail := unit.statement_at(function.last - 1)) and tail.kind == "expression":
            given += [(tail, bare(value)) for value in tail.expressions[:1]]
        # If there is a `return NULL`, a null comes from it; the other returns are searched only
        # otherwise.
        nulls = [(s, g) for s, g in given if g.text in NULLS]
        for statement, value in nulls if self.wanted.null and nulls else given:
            if self._is_of_a_thing(value):
                continue
            self.draft.link(file, statement.first, "returns", value.text, function.name)
            score = 0.7 if value.text in NULLS and self.wanted.null else 0.45
            reason = f"{code(function.name)} returns {code(cut(value.text, 60))} here"
            if self._is_made(value, holder, file):
                score, reason = self._made(cut(value.text, 60), bare(value.parts[0]).text)
            self._suspect(statement.first, score, reason, file)
            if root := read_by(value):
                self.back(FunctionSpot(file, unit, function, statement.first), root.text, depth + 1)

    def _is_made(self, value: Expression, holder: Value | None, file: str) -> bool:
        source = self.draft.case.sources.read(file)
        text = source.text if source and source.language == "cpp" else ""
        return self.wanted.null and bool(text) and is_in_map(value, holder, text)

    def _made(self, element: str, container: str) -> tuple[float, str]:
        """Return the score and the reason for suspecting a line that reads a null element from a map."""
        self.draft.advise(f"{code(f'{container}.find(key)')} makes no element, and `at` throws where there is none.")
        return 0.8, f"{code(element)} is null: `[]` makes such an element where the key is missing"

    def _passed(self, spot: FunctionSpot, place: FramePlace, text: str, depth: int) -> bool:
        parameter = re.split(r"->|\.|\[", text)[0]
        found = argument(self.draft, place, parameter)
        at = spot_of(found[0]) if found else None
        if found is None or at is None:
            return False
        given = bare(found[1])
        if text == parameter and (self._is_of_a_thing(given) or not self._may_be(at, given.text)):
            return False
        holds = place.value(parameter)
        if _is_refuted(holds, given):
            return False
        self.draft.link(at.path, at.line, f"passes {code(cut(given.text, 60))} for", parameter, at.function.name)
        own = self.wanted.null and given.text in NULLS
        is_it = self.wanted.null and text == parameter and not own and _is_null_there(*found)
        now = ", which is null," if is_it else ""
        reason = f"passes {code(cut(given.text, 60))}{now} for {code(parameter)} of {code(spot.function.name)}"
        self._suspect(at.line, 0.85 if own else 0.6 if given.text == self.wanted.words else 0.45, reason, at.path)
        if onward := _inside(given, text, parameter):
            self.back(at, onward, depth + 1)
        elif call := next((e for e in within(given) if e.kind == "call"), None):
            self._called(at, parameter, call, 0.55, depth, holds=holds)
        return True

    def _element(self, spot: FunctionSpot, container: str, index: str, depth: int) -> None:
        """Suspect a line that reads a null element, if no line of the function sets the element by the same index."""
        value = spot.place.value(container) if spot.place else None
        if spot.place is None or value is None or not is_null(spot.place.value(f"{container}[{index}]")):
            return
        draft, element = self.draft, code(cut(f"{container}[{index}]", 60))
        draft.cite(container, spot.place)
        if value.kind == "dict":
            self._suspect(spot.line, *self._made(cut(f"{container}[{index}]", 60), container), spot.path)
            return
        number = number_of(spot.place.value(index)) if integer(index) is None else None
        at = f" ({code(index)} is {code(number)})" if number is not None else ""
        self._suspect(spot.line, 0.8, f"{element} is an element that is null{at}", spot.path)
        self.back(spot, container, depth + 2)

    def _member(self, spot: FunctionSpot, member: str, text: str, depth: int) -> None:
        found = list(member_writes(self.draft, member))
        if not found and self.wanted.null:
            self.draft.say(
                f"No line of the files on the stack assigns to {code(member)}: it may be as its object was made."
            )
        self.unset = "" if found else member
        if not found and (holder := _ROOT.match(text)):
            self.back(spot, holder[0], depth + 3 if self.wanted.null else depth + 1)
        for path, function, line, assignment in found[:6]:
            value = bare(assignment.parts[1])
            null = value.text in NULLS
            self.draft.link(path, line, "sets", assignment.parts[0].text, function.name)
            score = 0.65 if null and self.wanted.null else 0.4
            if null:  # lists end with it: it is the origin of the null, and may be right
                self.draft.analysis.unchecked.add((path, line))
            self._suspect(line, score, f"sets {code(member)} to {code(cut(value.text, 60))}", path)


def _is_refuted(holds: Value | None, given: Expression) -> bool:
    """Whether a line that sets null cannot be the last write, because the name holds a non-null pointer at the stop."""
    return given.text in NULLS and holds is not None and holds.kind in _POINTERS and not is_null(holds)


def _is_null_there(place: FramePlace, expression: Expression) -> bool:
    return is_null(place.value(bare(expression).text))


def _holder(spot: FunctionSpot, call: Expression) -> Value | None:
    """Return the value of the object on which a method is called, or None."""
    method = call.parts[0]
    text = method.parts[0].text if method.kind == "member" and method.parts else "this"
    return spot.place.value(text) if spot.place else None


def _nearest(writes: list[NameWrite]) -> list[NameWrite]:
    """Return the first few writes. Of those that only pass on the address and may change nothing, return fewer."""
    handed = [w for w in writes if w.role == "address"][_MAX_HANDED:]
    return [w for w in writes if w not in handed][:_MAX_WRITES]


def _sets_of(writes: list[NameWrite]) -> list[NameWrite]:
    return [w for w in writes if w.role in ("assigned", "changed", "address")]


def _only_sometimes(draft: ReportBuilder, spot: FunctionSpot, declared: NameWrite, sets: list[NameWrite]) -> str:
    """Return a clause that names the lines that set a variable, if all of them do so under a condition; else empty.

    A line is under a condition if it is in a deeper branch or loop than the declaration.
    """
    source = draft.case.sources.read(spot.path)
    if source is None or not sets:
        return ""
    if not all(_is_deeper(source.line(w.line), source.line(declared.line), declared.name) for w in sets):
        return ""
    lines = ", ".join(str(line) for line in sorted({w.line for w in sets}))
    return f", and only line {lines} sets it, under a condition"


def _is_deeper(line: str, declaration: str, name: str) -> bool:
    if line == declaration:
        return re.search(rf"\b(?:if|while|for|switch|else)\b[^;]*?\b{re.escape(name)}\s*=[^=]", line) is not None
    return blanks(line) > blanks(declaration)


def _inside(given: Expression, text: str, parameter: str) -> str:
    """Translate the expression `text` of a called function to an expression of the caller; empty if impossible."""
    rest = text[len(parameter) :]
    if given.kind == "unary" and given.operator == "&" and given.parts:
        return given.parts[0].text + (rest.replace("->", ".", 1) if rest.startswith("->") else "")
    return given.text + rest if given.kind in ("name", "member", "subscript") else ""
