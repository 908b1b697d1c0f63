"""Where a value came from: back through the writes of its function, the calls that gave it, the callers' arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dap_ai.agent.native.draft import (
    NULLS,
    Draft,
    bare,
    callee,
    integer,
    is_null,
    number_of,
    statements,
    unqualified,
    within,
)
from dap_ai.agent.native.parsing import Expression, Function, Statement, Unit, Write
from dap_ai.agent.stack import Place
from dap_ai.agent.values import cut

_MAX_DEPTH = 5
_MAX_WRITES = 4
_MAX_HANDED = 2
_LENGTHS = frozenset({"len", "size", "length", "count", "strlen", "ssize"})
_NO_MEMORY = "gives NULL when there is no memory"
_NO_MATCH = "gives NULL for no match"
_MAY_FAIL = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "strdup", "strndup"), _NO_MEMORY),
    **dict.fromkeys(("fopen", "freopen", "opendir", "popen"), "gives NULL when the file cannot be opened"),
    **dict.fromkeys(("strchr", "strrchr", "strstr", "strpbrk", "memchr", "strtok", "bsearch"), _NO_MATCH),
    "getenv": "gives NULL when the variable is not set",
    "fgets": "gives NULL at the end of the file",
    "find": "gives nothing where there is no match",
    "get": "gives nothing where there is no such entry",
    "dynamic_cast": "gives null when the object is of another class",
}
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
_ROOT = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"(?:->|\.)(\w+)$")


@dataclass(frozen=True)
class Wanted:
    """Whose origin is asked for: the value in words (`null`, `12`), and whether it is a pointer that is missing."""

    words: str
    null: bool = False
    past_end: bool = False
    """It is an index, and equal to the number of elements."""


@dataclass(frozen=True)
class Spot:
    """A line of a function that runs (then `place` is its frame) or has returned."""

    path: str
    unit: Unit
    function: Function
    line: int
    place: Place | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """The same for the same call."""
        return self.path, self.function.name, self.place.frame.id if self.place else -1


def trace(draft: Draft, text: str, wanted: Wanted, place: Place | None = None) -> None:
    """Adds the links and suspects of an expression's value, nearest first."""
    spot = spot_of(place or draft.place)
    if spot:
        _Trace(draft, wanted).back(spot, text, 0)


def spot_of(place: Place) -> Spot | None:
    """Where a frame stands; None: its file has no such function."""
    unit = place.source.unit if place.source else None
    function = unit.function_at(place.frame.line) if unit else None
    return Spot(place.frame.path, unit, function, place.frame.line, place) if unit and function else None


def reaching(unit: Unit, function: Function, name: str, line: int) -> list[Write]:
    """Writes to exactly this name before the line, nearest first; then those after it, which a loop may bring back."""
    exact = [w for w in unit.writes(name, function) if w.name == name]
    before = sorted((w for w in exact if w.line < line or _is_earlier(w, line)), key=lambda w: -w.line)
    later = [w for w in exact if w.line >= line and w.role in ("assigned", "changed", "loop", "freed")]
    return [*before, *later]


def _is_earlier(write: Write, line: int) -> bool:
    return write.role == "argument" or (write.role == "declared" and write.line == line)


def argument(draft: Draft, place: Place, name: str) -> tuple[Place, Expression] | None:
    """What the calling frame passes for a parameter of this frame's function."""
    spot, outer = spot_of(place), draft.caller_of(place)
    outer_unit = outer.source.unit if outer and outer.source else None
    if spot is None or outer is None or outer_unit is None:
        return None
    names = [p for p in map(_plain, spot.function.parameters) if p != "self"]
    calls = calls_at(outer_unit, unqualified(spot.function.name), outer.frame.line)
    call = next((c for c in calls if c.parts and _may_be_call(place, names, c)), None)
    if call is None:
        return None
    if name in ("this", "self"):
        holder = call.parts[0]
        return (outer, holder.parts[0]) if holder.kind == "member" and holder.parts else None
    index = names.index(name) if name in names else -1
    given = call.parts[1:]
    return (outer, given[index]) if 0 <= index < len(given) else None


def _may_be_call(place: Place, names: list[str], call: Expression) -> bool:
    """Whether no number that the call passes is another than the parameter has now."""
    pairs = ((integer(p.text), number_of(place.value(n))) for n, p in zip(names, call.parts[1:], strict=False))
    return all(given is None or now is None or given == now for given, now in pairs)


def calls_at(unit: Unit, name: str, line: int) -> list[Expression]:
    """The calls of a function of this name in the statement at the line, those on the line itself first."""
    around = unit.statement_at(line)
    first, last = (around.first, around.last) if around else (line, line)
    return sorted((c for c in unit.calls(name) if first <= c.line <= last), key=lambda c: c.line != line)


def member_writes(draft: Draft, member: str) -> Iterator[tuple[str, Function, int, Expression]]:
    """Every assignment to a member of this name in the files of the stack, as (file, function, line, assignment)."""
    for path, unit in draft.units():
        for function in unit.functions:
            for statement in statements(unit, function):
                for each in statement.expressions:
                    yield from ((path, function, e.line, e) for e in within(each) if _sets(e, member))


def _sets(expression: Expression, member: str) -> bool:
    if expression.kind != "assign" or len(expression.parts) < 2:
        return False
    found = _MEMBER.search(re.sub(r"\[[^\[\]]*\]", "", expression.parts[0].text))
    return bool(found) and found[1] == member


def _plain(parameter: str) -> str:
    return re.sub(r"^(?:mut\s+|[*&\s])+", "", parameter).strip()


class _Trace:
    def __init__(self, draft: Draft, wanted: Wanted) -> None:
        self.draft = draft
        self.wanted = wanted
        self.seen: set[tuple[object, str]] = set()

    def back(self, spot: Spot, text: str, depth: int) -> None:
        if depth > _MAX_DEPTH or (spot.key, text) in self.seen:
            return
        self.seen.add((spot.key, text))
        if spot.place and spot.place.value(text) is not None:
            self.draft.cite(text, spot.place)
        own = _nearest([w for w in reaching(spot.unit, spot.function, text, spot.line) if w.role != "argument"])
        unset = next(
            (w for w in own if w.role == "declared" and _only_sometimes(self.draft, spot, w, _sets_of(own))), None
        )
        for nth, write in enumerate([unset] if unset else own):
            self._write(spot, write, own, nth, depth)
        if any(w.role == "assigned" and w.line < spot.line for w in own):
            return
        if spot.place and self._passed(spot, spot.place, text, depth):
            return
        if not own and (member := _MEMBER.search(text)):
            self._member(spot, member[1], text, depth)

    def _write(self, spot: Spot, write: Write, own: list[Write], nth: int, depth: int) -> None:
        draft = self.draft
        if self.wanted.null and write.role == "assigned" and write.value and bare(write.value).text.startswith("&"):
            return  # no address of a thing is null
        draft.link(spot.path, write.line, _WORDS[write.role], write.name, spot.function.name)
        score = max(0.3, 0.65 - 0.1 * nth - 0.04 * depth)
        if write.role == "declared":
            sets = _sets_of(own)
            reason = f"declares `{write.name}` without a value" + _only_sometimes(draft, spot, write, sets)
            draft.suspect(write.line, 0.85 if not sets or "only" in reason else score, reason, spot.path)
        elif write.role == "loop":
            reason = f"the loop lets `{write.name}` become {self.wanted.words}"
            if write.value and _GOES_THROUGH.search(write.code):
                reason = f"`{write.name}` is an element of `{cut(write.value.text, 60)}`, and is {self.wanted.words}"
            draft.suspect(write.line, score, reason, spot.path)
        elif write.value is None or write.role in ("freed", "address", "changed"):
            draft.suspect(write.line, score - 0.1, f"{_WORDS[write.role]} `{write.name}`", spot.path)
        else:
            self._from(spot, write, bare(write.value), score, depth)

    def _from(self, spot: Spot, write: Write, value: Expression, score: float, depth: int) -> None:
        draft, line, name = self.draft, write.line, write.name
        called = next((e for e in within(value) if e.kind == "call" and not e.text.startswith("sizeof")), None)
        if (self.wanted.null and value.text in NULLS) or value.text == self.wanted.words:
            draft.suspect(line, score + 0.1, f"sets `{name}` to {value.text}", spot.path)
        elif called is not None:
            self._called(replace(spot, line=line), name, called, score, depth)
        else:
            draft.suspect(line, score - 0.05, f"sets `{name}` to `{cut(value.text, 60)}`", spot.path)
        for part in within(value) if called is None else ():
            if part.kind in ("name", "member", "subscript") and part.text != name and self._may_be(spot, part.text):
                self.back(replace(spot, line=line), part.text, depth + 1)
                break

    def _may_be(self, spot: Spot, text: str) -> bool:
        """Whether it may be what gave the value: of a null only what is itself null now, or is not known."""
        value = spot.place.value(text) if spot.place else None
        return not self.wanted.null or value is None or is_null(value)

    def _called(self, spot: Spot, name: str, call: Expression, score: float, depth: int) -> None:
        draft, called, path, line = self.draft, callee(call), spot.path, spot.line
        found = draft.defined(called)
        if found is not None:
            unchecked = " without a check" if self.wanted.null else ""
            draft.suspect(line, score + 0.1, f"uses what `{called}` returns{unchecked}", path)
            self._returns(*found, depth)
            return
        if self.wanted.past_end and called in _LENGTHS:
            draft.suspect(line, 0.9, f"`{call.text}` is used as an index: the last one is `{call.text} - 1`", path)
            return
        why = _MAY_FAIL.get(called, "") if self.wanted.null else ""
        reason = f"`{name}` is what `{called}` gives" + (f", which {why}; nothing checks it" if why else "")
        draft.suspect(line, score + (0.15 if why else 0), reason, path)

    def _returns(self, file: str, unit: Unit, function: Function, depth: int) -> None:
        given = [(s, g) for s in statements(unit, function) if (g := _given(s)) is not None]
        nulls = [(s, g) for s, g in given if g.text in NULLS]
        for statement, value in nulls if self.wanted.null and nulls else given:
            self.draft.link(file, statement.first, "returns", value.text, function.name)
            score = 0.7 if value.text in NULLS and self.wanted.null else 0.45
            reason = f"`{function.name}` returns `{cut(value.text, 60)}` here"
            self.draft.suspect(statement.first, score, reason, file)
            if value.kind in ("name", "member"):
                self.back(Spot(file, unit, function, statement.first), value.text, depth + 1)

    def _passed(self, spot: Spot, place: Place, text: str, depth: int) -> bool:
        parameter = re.split(r"->|\.|\[", text)[0]
        found = argument(self.draft, place, parameter)
        at = spot_of(found[0]) if found else None
        if found is None or at is None:
            return False
        given = bare(found[1])
        self.draft.link(at.path, at.line, f"passes `{cut(given.text, 60)}` for", parameter, at.function.name)
        own = self.wanted.null and given.text in NULLS
        reason = f"passes `{cut(given.text, 60)}` for `{parameter}` of `{spot.function.name}`"
        self.draft.suspect(at.line, 0.85 if own else 0.6 if given.text == self.wanted.words else 0.45, reason, at.path)
        if onward := _inside(given, text, parameter):
            self.back(at, onward, depth + 1)
        elif call := next((e for e in within(given) if e.kind == "call"), None):
            self._called(at, parameter, call, 0.55, depth)
        return True

    def _member(self, spot: Spot, member: str, text: str, depth: int) -> None:
        found = list(member_writes(self.draft, member))
        if not found and self.wanted.null:
            self.draft.say(
                f"No line of the files on the stack assigns to `{member}`: it may be as its object was made."
            )
        if not found and (holder := _ROOT.match(text)):
            self.back(spot, holder[0], depth + 3 if self.wanted.null else depth + 1)
        for path, function, line, assignment in found[:6]:
            value = bare(assignment.parts[1])
            null = value.text in NULLS
            self.draft.link(path, line, "sets", assignment.parts[0].text, function.name)
            score = 0.65 if null and self.wanted.null else 0.4
            self.draft.suspect(line, score, f"sets `{member}` to `{cut(value.text, 60)}`", path)


def _nearest(writes: list[Write]) -> list[Write]:
    """The first few; of those that only hand out the address, which may change nothing, fewer."""
    handed = [w for w in writes if w.role == "address"][_MAX_HANDED:]
    return [w for w in writes if w not in handed][:_MAX_WRITES]


def _sets_of(writes: list[Write]) -> list[Write]:
    return [w for w in writes if w.role in ("assigned", "changed", "address")]


def _only_sometimes(draft: Draft, spot: Spot, declared: Write, sets: list[Write]) -> str:
    """Says so where every line that sets the name stands deeper, in a branch or loop, than its declaration."""
    source = draft.case.sources.read(spot.path)
    if (
        source is None
        or not sets
        or not all(_is_deeper(source.line(w.line), source.line(declared.line), declared.name) for w in sets)
    ):
        return ""
    lines = ", ".join(str(line) for line in sorted({w.line for w in sets}))
    return f", and only line {lines} sets it, under a condition"


def _is_deeper(line: str, declaration: str, name: str) -> bool:
    if line == declaration:
        return re.search(rf"\b(?:if|while|for|switch|else)\b[^;]*?\b{re.escape(name)}\s*=[^=]", line) is not None
    return _indent(line) > _indent(declaration)


def indent(draft: Draft, line: int) -> int:
    """The blanks before a line of the failing file."""
    source = draft.place.source
    return _indent(source.line(line)) if source else 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _given(statement: Statement) -> Expression | None:
    """What a `return` gives; None: it is none."""
    return bare(statement.expressions[0]) if statement.kind == "return" and statement.expressions else None


def _inside(given: Expression, text: str, parameter: str) -> str:
    """The expression of the caller that is `text` of the called function."""
    rest = text[len(parameter) :]
    if given.kind == "unary" and given.operator == "&" and given.parts:
        return given.parts[0].text + (rest.replace("->", ".", 1) if rest.startswith("->") else "")
    return given.text + rest if given.kind in ("name", "member", "subscript") else ""


def amount(draft: Draft, expression: Expression, place: Place | None = None) -> int | None:
    """What an expression of numbers gives with the values that its names have now."""
    expression = bare(expression)
    where = place or draft.place
    known = integer(expression.text)
    if known is None:
        known = number_of(where.value(expression.text))
    if known is not None or expression.kind != "binary" or len(expression.parts) != 2:
        return known
    left, right = (amount(draft, part, where) for part in expression.parts)
    if left is None or right is None:
        return None
    return {"+": left + right, "-": left - right, "*": left * right}.get(expression.operator)
