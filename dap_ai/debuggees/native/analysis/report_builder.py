"""A native diagnosis in the making: the failing line, its values, and what is said, cited and suspected about it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut, show
from dap_ai.agent.report.citing import Cited
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.parsed import CompiledStatement, Expression, Function
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis, OriginLink
from dap_ai.debuggees.native.source.languages import unit_of
from dap_ai.debuggees.native.source.parsing import ParsedFile
from dap_ai.protocol.contracts.inspection import Fault, Value
from dap_ai.protocol.wire.ask_messages import Suspect

_NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)(?![\w.])")
_EMPTY = frozenset({"0", "0x0", "NULL", "nullptr", "None", "'\\0'"})
_MAY_BE_NULL = frozenset({"pointer", "smart", "optional", "none", "function", "object", "reference", "str"})
_OUTER_FOLDERS = 2
"""`/` and what is directly below it hold more than one project."""
NULLS = frozenset({"0", "NULL", "nullptr", "((void*)0)", "(void*)0", "(void *)0", "None", "ptr::null_mut()", "{}"})
"""How source says "no pointer"."""


class ReportBuilder:
    """What is known about one failing line, and the analysis as far as it is made."""

    def __init__(self, case: StopSnapshot, place: FramePlace) -> None:
        self.case = case
        self.place = place
        self.analysis = NativeAnalysis(case, place, "crash", report=case.report)
        self._suspects: dict[tuple[str, int], Suspect] = {}

    @cached_property
    def unit(self) -> ParsedFile | None:
        """The failing file, parsed."""
        return unit_of(self.place.source)

    @cached_property
    def function(self) -> Function | None:
        """The failing function."""
        return self.unit.function_at(self.line) if self.unit else None

    @cached_property
    def statement(self) -> CompiledStatement | None:
        """The failing statement."""
        return self.unit.statement_at(self.line) if self.unit else None

    @cached_property
    def expressions(self) -> list[Expression]:
        """Every sub-expression of the failing statement, outermost first."""
        return self.unit.expressions_at(self.line) if self.unit else []

    @property
    def signal(self) -> str:
        """`SIGSEGV`; empty: the stop is by none."""
        error = self.case.exception
        name = self.fault.signal if self.fault else (error.type if error else "")
        return name if name.startswith("SIG") else ""

    @property
    def report(self) -> Report | None:
        """The report that the program printed about its failure."""
        return self.case.report

    @property
    def fault(self) -> Fault | None:
        """The fault that the processor raised."""
        return self.case.inspection.fault

    @property
    def line(self) -> int:
        """The failing line."""
        return self.place.frame.line

    @cached_property
    def calls(self) -> list[Expression]:
        """The calls on the failing line."""
        return [e for e in self.expressions if e.kind == "call"]

    @cached_property
    def subscripts(self) -> list[Expression]:
        """The subscripts on the failing line, each with base and index."""
        return [e for e in self.expressions if e.kind == "subscript" and len(e.parts) > 1]

    def unit_of(self, file: str) -> ParsedFile | None:
        """Parses a source file; None if it cannot be read or parsed."""
        return unit_of(self.case.sources.read(file))

    def value(self, text: str) -> Value | None:
        """The value of an expression in the failing frame."""
        return self.place.value(text)

    def number(self, text: str) -> int | None:
        """The same as a whole number; a literal is its own."""
        literal = integer(text)
        return literal if literal is not None else number_of(self.value(text))

    def code(self, text: str, form: str = " is `{}`") -> str:
        """The expression as code, with its value where there is one; cites it."""
        value = self.value(text)
        if value is None or value.text == text:
            return f"`{cut(text, 80)}`"
        self.cite(text)
        return f"`{cut(text, 80)}`{form.format(brief(value))}"

    def aside(self, text: str) -> str:
        """The same within a sentence: "`n` (`3`)"."""
        return self.code(text, " (`{}`)")

    def stack(self, word: str) -> Stack | None:
        """The report's first stack with the word in its title: `freed`, `allocated`."""
        return next((s for s in (self.report.stacks if self.report else ()) if word in s.title), None)

    def spot(self, line: int, file: str = "") -> str:
        """`shop.c:12` as code; the failing file by default."""
        return f"`{shorten(file or self.place.frame.path, root_of(self.case))}:{line}`"

    def line_text(self, line: int, file: str = "") -> str:
        """A line of source, stripped."""
        source = self.case.sources.read(file or self.place.frame.path) or self.place.source
        return source.line(line).strip() if source else ""

    def say(self, sentence: str) -> None:
        """Adds a sentence."""
        self.analysis.sentences.append(sentence)

    def advise(self, *steps: str) -> None:
        """Adds next steps."""
        self.analysis.advice += [step for step in steps if step not in self.analysis.advice]

    def cite(self, text: str, place: FramePlace | None = None) -> None:
        """Cites an expression whose value was read."""
        where = place or self.place
        known = any(c.expression == text and c.place is where for c in self.analysis.cited)
        if not known and where.value(text) is not None:
            self.analysis.cited.append(Cited(where, text))

    def link(self, file: str, line: int, words: str, name: str, function: str) -> None:
        """A step back from the failing line; each once."""
        step = OriginLink(file, line, words, name, function)
        if step not in self.analysis.chain:
            self.analysis.chain.append(step)

    def suspect(self, line: int, score: float, reason: str, file: str = "") -> None:
        """A line that may hold the mistake; of two reasons for one line the stronger stays."""
        path = file or self.place.frame.path
        old = self._suspects.get((path, line))
        if line > 0 and (old is None or old.score < score):
            self._suspects[path, line] = Suspect(path, line, round(score, 2), reason)

    def lets_through(self, score: float, reason: str) -> None:
        """Suspect the failing line of a missing check, which is a guess. Comes last: a stronger reason stays."""
        here = self.place.frame.path, self.line
        self.suspect(self.line, score, reason)
        if self._suspects[here].reason == reason:
            self.analysis.unchecked.add(here)

    def done(self) -> NativeAnalysis:
        """The analysis, its suspects in order; the failing line is always one of them."""
        if self.signal or self.case.report:
            self.suspect(self.line, 0.3, "the line that failed")
        self.analysis.suspects = sorted(self._suspects.values(), key=lambda s: -s.score)
        return self.analysis

    def units(self) -> Iterable[tuple[str, ParsedFile]]:
        """Every parsed file of the stack, innermost first, each once."""
        found: dict[str, ParsedFile] = {}
        for place in [self.place, *self.case.places]:
            if unit := unit_of(place.source):
                found.setdefault(place.frame.path, unit)
        return found.items()

    def defined(self, name: str) -> tuple[str, ParsedFile, Function] | None:
        """The function of that name in the files of the stack."""
        plain = unqualified(name)
        known = ((path, unit, function) for path, unit in self.units() for function in unit.functions)
        return next((found for found in known if unqualified(found[2].name) == plain), None)

    def caller_of(self, place: FramePlace) -> FramePlace | None:
        """The user's frame that called this one, over frames of libraries; None: it was not read."""
        frames = self.case.frames
        at = next((n for n, f in enumerate(frames) if f.id == place.frame.id), len(frames))
        outer = next((f.id for f in frames[at + 1 :] if f.user), None)
        return next((p for p in self.case.places if p.frame.id == outer and p.source), None)


def root_of(case: StopSnapshot) -> str:
    """The folder that paths are told from: the program's, else that of the innermost source."""
    files = [p.frame.path for p in case.places if p.source and p.frame.user]
    files += [case.report.file] if case.report and case.report.file else []
    return case.inspection.cwd or (_shared([str(PurePath(file).parent) for file in files]) if files else "")


def _shared(folders: list[str]) -> str:
    """The folder that holds all of these, where it is a project's and not the file system's; else the first."""
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # relative ones among absolute ones, or two drives
        return folders[0]
    return common if len(PurePath(common).parts) > _OUTER_FOLDERS else folders[0]


def shown(value: Value, max_chars: int = 120) -> str:
    """A value as an answer cites it; what its text says already is not said twice."""
    return cut(value.text, max_chars) if value.note == value.text else show(value, max_chars)


def brief(value: Value) -> str:
    """A value within a sentence: of a pointer that can be followed its address only."""
    return value.text.partition(" -> ")[0] if value.kind == "pointer" and " -> " in value.text else shown(value, 80)


def short_name(name: str) -> str:
    """A frame's function without its parameters and without the hash of Rust: `Queue::last`."""
    plain = re.sub(r"::h[0-9a-f]{16}$", "", name).split("(", maxsplit=1)[0].strip()
    return plain.removeprefix("::") or name


def is_null(value: Value | None) -> bool:
    """Whether a pointer, or what stands for one, is null."""
    if value is None or value.kind not in _MAY_BE_NULL:
        return False
    return value.note.startswith("null") or value.kind == "none" or (not value.address and value.text in _EMPTY)


def is_broken(value: Value | None) -> bool:
    """Whether a pointer leads to memory that cannot be read."""
    return value is not None and value.kind in ("pointer", "reference", "smart") and "not readable" in value.note


def number_of(value: Value | None) -> int | None:
    """A value as a whole number: of an integer, a char with its code, an enum with its number."""
    if value is None or value.kind in ("pointer", "reference", "str", "list", "array", "struct", "float"):
        return None
    found = _NUMBER.search(value.text)
    return int(found[0], 0) if found and not re.match(r"-?0\d", found[0]) else None


def integer(text: str) -> int | None:
    """The number that a literal of C, C++ or Rust is; None: it is none."""
    plain = re.sub(r"(?i)(?:u?l{0,2}|l{1,2}u|[iu](?:8|16|32|64|128|size))$", "", text.replace("_", "").replace("'", ""))
    return int(plain, 0) if re.fullmatch(r"-?(?:0x[0-9a-fA-F]+|0|[1-9]\d*)", plain) else None


def unqualified(name: str) -> str:
    """`push` of `Stack<int>::push(int const&)` and of `app::stack::push::h0f84...`."""
    plain = re.sub(r"::h[0-9a-f]{16}$", "", name.split("(", maxsplit=1)[0].strip())
    plain = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", plain))
    return plain.rsplit("::", 1)[-1].rsplit(" ", 1)[-1].lstrip("*&")


def bare(expression: Expression) -> Expression:
    """The expression without casts and parentheses around it."""
    while expression.kind == "cast" and expression.parts:
        expression = expression.parts[-1]
    return expression


def within(expression: Expression) -> Iterator[Expression]:
    """The expression and all its parts, outermost first."""
    yield expression
    for part in expression.parts:
        yield from within(part)


def names_of(expression: Expression) -> list[str]:
    """The names, members and subscripts in an expression; none that is a part of another."""
    found = [e.text for e in within(expression) if e.kind in ("name", "member", "subscript")]
    return list(dict.fromkeys(n for n in found if not any(n != other and n in other for other in found)))


def statements(unit: ParsedFile, function: Function) -> Iterator[CompiledStatement]:
    """Every statement of a function in order of its lines, each once."""
    seen: set[tuple[int, int, str]] = set()
    for line in range(function.first, function.last + 1):
        found = unit.statement_at(line)
        if found and (found.first, found.last, found.text) not in seen:
            seen.add((found.first, found.last, found.text))
            yield found


def callee(call: Expression) -> str:
    """The unqualified name of what a call calls."""
    if not call.parts:
        return ""
    name = call.parts[0].text
    return re.split(r"->|\.|::", re.sub(r"<[^<>]*>", "", name))[-1].rstrip("!").strip()
