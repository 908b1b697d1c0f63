"""Builds the diagnosis of a native failure: the failing line, its values, sentences, citations and suspects."""

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
from dap_ai.system.texts import code

_NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)(?![\w.])")
_EMPTY = frozenset({"0", "0x0", "NULL", "nullptr", "None", "'\\0'"})
_MAY_BE_NULL = frozenset({"pointer", "smart", "optional", "none", "function", "object", "reference", "str"})
_OUTER_FOLDERS = 2
"""A folder with at most this many path parts, such as `/home`, holds more than one project."""
NULLS = frozenset({"0", "NULL", "nullptr", "((void*)0)", "(void*)0", "(void *)0", "None", "ptr::null_mut()", "{}"})
"""Source texts that mean a null pointer."""


class ReportBuilder:
    """The facts about one failing line, and the analysis of them built so far."""

    def __init__(self, case: StopSnapshot, place: FramePlace) -> None:
        self.case = case
        self.place = place
        self.analysis = NativeAnalysis(case, place, "crash", report=case.report)
        self._suspects: dict[tuple[str, int], Suspect] = {}

    @cached_property
    def unit(self) -> ParsedFile | None:
        """The parsed file that contains the failing line; None if it cannot be parsed."""
        return unit_of(self.place.source)

    @cached_property
    def function(self) -> Function | None:
        """The function that contains the failing line; None if unknown."""
        return self.unit.function_at(self.line) if self.unit else None

    @cached_property
    def statement(self) -> CompiledStatement | None:
        """The statement at the failing line; None if unknown."""
        return self.unit.statement_at(self.line) if self.unit else None

    @cached_property
    def expressions(self) -> list[Expression]:
        """Every sub-expression of the failing statement, outermost first."""
        return self.unit.expressions_at(self.line) if self.unit else []

    @property
    def signal(self) -> str:
        """Signal of the stop, such as `SIGSEGV`; empty if no signal stopped the program."""
        error = self.case.exception
        name = self.fault.signal if self.fault else (error.type if error else "")
        return name if name.startswith("SIG") else ""

    @property
    def report(self) -> Report | None:
        """The report that the program printed about its failure, or None."""
        return self.case.report

    @property
    def fault(self) -> Fault | None:
        """The fault that the processor raised, or None."""
        return self.case.inspection.fault

    @property
    def line(self) -> int:
        """1-based number of the failing line."""
        return self.place.frame.line

    @cached_property
    def calls(self) -> list[Expression]:
        """The calls in the failing statement."""
        return [e for e in self.expressions if e.kind == "call"]

    @cached_property
    def subscripts(self) -> list[Expression]:
        """The subscripts in the failing statement, each with base and index."""
        return [e for e in self.expressions if e.kind == "subscript" and len(e.parts) > 1]

    def unit_of(self, file: str) -> ParsedFile | None:
        """Return the parsed source file, or None if it cannot be read or parsed."""
        return unit_of(self.case.sources.read(file))

    def value(self, text: str) -> Value | None:
        """Return the value of an expression in the failing frame, or None if it was not read."""
        return self.place.value(text)

    def number(self, text: str) -> int | None:
        """Return an expression's value as an integer, or None. The value of a literal is the literal itself."""
        literal = integer(text)
        return literal if literal is not None else number_of(self.value(text))

    def code(self, text: str, form: str = " is {}") -> str:
        """Return the expression as code, with its value if the value was read. Cites the value."""
        value = self.value(text)
        if value is None or value.text == text:
            return code(cut(text, 80))
        self.cite(text)
        return f"{code(cut(text, 80))}{form.format(code(brief(value)))}"

    def aside(self, text: str) -> str:
        """Return the expression with its value in parentheses, for use within a sentence: "`n` (`3`)"."""
        return self.code(text, " ({})")

    def stack(self, word: str) -> Stack | None:
        """Return the report's first stack whose title contains the word, such as `freed` or `allocated`; or None."""
        return next((s for s in (self.report.stacks if self.report else ()) if word in s.title), None)

    def spot(self, line: int, file: str = "") -> str:
        """Return a file and line as code, such as `shop.c:12`. By default, the file is the failing one."""
        return code(f"{shorten(file or self.place.frame.path, root_of(self.case))}:{line}")

    def line_text(self, line: int, file: str = "") -> str:
        """Return a source line without surrounding blanks. By default, the file is the failing one."""
        source = self.case.sources.read(file or self.place.frame.path) or self.place.source
        return source.line(line).strip() if source else ""

    def say(self, sentence: str) -> None:
        """Add a sentence to the analysis."""
        self.analysis.sentences.append(sentence)

    def advise(self, *steps: str) -> None:
        """Add debugging steps to the advice, unless it contains them."""
        self.analysis.advice += [step for step in steps if step not in self.analysis.advice]

    def cite(self, text: str, place: FramePlace | None = None) -> None:
        """Cite the value of an expression as evidence, if the value was read."""
        where = place or self.place
        known = any(c.expression == text and c.place is where for c in self.analysis.cited)
        if not known and where.value(text) is not None:
            self.analysis.cited.append(Cited(where, text))

    def link(self, file: str, line: int, words: str, name: str, function: str) -> None:
        """Add a step back from the failing line to the chain, unless the chain contains it."""
        step = OriginLink(file, line, words, name, function)
        if step not in self.analysis.chain:
            self.analysis.chain.append(step)

    def suspect(self, line: int, score: float, reason: str, file: str = "") -> None:
        """Suspect that a line contains the mistake.

        If a line has several reasons, the one with the highest score wins.
        """
        path = file or self.place.frame.path
        old = self._suspects.get((path, line))
        if line > 0 and (old is None or old.score < score):
            self._suspects[path, line] = Suspect(path, line, round(score, 2), reason)

    def lets_through(self, score: float, reason: str) -> None:
        """Suspect the failing line of a missing check, as a guess.

        Call this method last, so that a stronger reason wins.
        """
        here = self.place.frame.path, self.line
        self.suspect(self.line, score, reason)
        if self._suspects[here].reason == reason:
            self.analysis.unchecked.add(here)

    def done(self) -> NativeAnalysis:
        """Return the analysis with sorted suspects. After a failure, the failing line is always a suspect."""
        if self.signal or self.case.report:
            self.suspect(self.line, 0.3, "the line that failed")
        self.analysis.suspects = sorted(self._suspects.values(), key=lambda s: -s.score)
        return self.analysis

    def units(self) -> Iterable[tuple[str, ParsedFile]]:
        """Return each parsed file on the stack once, innermost first, with its path."""
        found: dict[str, ParsedFile] = {}
        for place in [self.place, *self.case.places]:
            if unit := unit_of(place.source):
                found.setdefault(place.frame.path, unit)
        return found.items()

    def defined(self, name: str) -> tuple[str, ParsedFile, Function] | None:
        """Return the function of that name in the files on the stack, with its path and file; or None."""
        plain = unqualified(name)
        known = ((path, unit, function) for path, unit in self.units() for function in unit.functions)
        return next((found for found in known if unqualified(found[2].name) == plain), None)

    def caller_of(self, place: FramePlace) -> FramePlace | None:
        """Return the user's frame that called this one, across library frames; None if that frame was not read."""
        frames = self.case.frames
        at = next((n for n, f in enumerate(frames) if f.id == place.frame.id), len(frames))
        outer = next((f.id for f in frames[at + 1 :] if f.user), None)
        return next((p for p in self.case.places if p.frame.id == outer and p.source), None)


def root_of(case: StopSnapshot) -> str:
    """Return the folder that shown paths are relative to: the program's working folder, else that of its sources."""
    files = [p.frame.path for p in case.places if p.source and p.frame.user]
    files += [case.report.file] if case.report and case.report.file else []
    return case.inspection.cwd or (_shared([str(PurePath(file).parent) for file in files]) if files else "")


def _shared(folders: list[str]) -> str:
    """Return the folder that all folders share if it is a project's; else the first of the folders."""
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # relative and absolute paths mixed, or two drives
        return folders[0]
    return common if len(PurePath(common).parts) > _OUTER_FOLDERS else folders[0]


def shown(value: Value, max_chars: int = 120) -> str:
    """Format a value for citation. A note that equals the value's text is omitted."""
    return cut(value.text, max_chars) if value.note == value.text else show(value, max_chars)


def brief(value: Value) -> str:
    """Format a value for use within a sentence. A pointer with a readable target is shown as its address only."""
    return value.text.partition(" -> ")[0] if value.kind == "pointer" and " -> " in value.text else shown(value, 80)


def short_name(name: str) -> str:
    """Return the name of a frame's function without parameters and Rust's hash, such as `Queue::last`."""
    plain = re.sub(r"::h[0-9a-f]{16}$", "", name).split("(", maxsplit=1)[0].strip()
    return plain.removeprefix("::") or name


def is_null(value: Value | None) -> bool:
    """Whether a pointer or pointer-like value is null."""
    if value is None or value.kind not in _MAY_BE_NULL:
        return False
    return value.note.startswith("null") or value.kind == "none" or (not value.address and value.text in _EMPTY)


def is_broken(value: Value | None) -> bool:
    """Whether a pointer points to unreadable memory."""
    return value is not None and value.kind in ("pointer", "reference", "smart") and "not readable" in value.note


def number_of(value: Value | None) -> int | None:
    """Return a value as an integer, for an integer, a char's code or an enum's number; None for any other value."""
    if value is None or value.kind in ("pointer", "reference", "str", "list", "array", "struct", "float"):
        return None
    found = _NUMBER.search(value.text)
    return int(found[0], 0) if found and not re.match(r"-?0\d", found[0]) else None


def integer(text: str) -> int | None:
    """Parse an integer literal of C, C++ or Rust. Return None if the text is not an integer literal."""
    plain = re.sub(r"(?i)(?:u?l{0,2}|l{1,2}u|[iu](?:8|16|32|64|128|size))$", "", text.replace("_", "").replace("'", ""))
    return int(plain, 0) if re.fullmatch(r"-?(?:0x[0-9a-fA-F]+|0|[1-9]\d*)", plain) else None


def unqualified(name: str) -> str:
    """Return only the last part of a function's name: `push` for `Stack<int>::push(int const&)`."""
    plain = re.sub(r"::h[0-9a-f]{16}$", "", name.split("(", maxsplit=1)[0].strip())
    plain = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", plain))
    return plain.rsplit("::", 1)[-1].rsplit(" ", 1)[-1].lstrip("*&")


def bare(expression: Expression) -> Expression:
    """Strip the casts around an expression."""
    while expression.kind == "cast" and expression.parts:
        expression = expression.parts[-1]
    return expression


def within(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts, outermost first."""
    yield expression
    for part in expression.parts:
        yield from within(part)


def names_of(expression: Expression) -> list[str]:
    """Return the names, members and subscripts in an expression, except those that are part of another one in it."""
    found = [e.text for e in within(expression) if e.kind in ("name", "member", "subscript")]
    return list(dict.fromkeys(n for n in found if not any(n != other and n in other for other in found)))


def statements(unit: ParsedFile, function: Function) -> Iterator[CompiledStatement]:
    """Yield each statement of a function once, in line order."""
    seen: set[tuple[int, int, str]] = set()
    for line in range(function.first, function.last + 1):
        found = unit.statement_at(line)
        if found and (found.first, found.last, found.text) not in seen:
            seen.add((found.first, found.last, found.text))
            yield found


def callee(call: Expression) -> str:
    """Return the unqualified name of the function that a call calls."""
    if not call.parts:
        return ""
    name = call.parts[0].text
    return re.split(r"->|\.|::", re.sub(r"<[^<>]*>", "", name))[-1].rstrip("!").strip()
