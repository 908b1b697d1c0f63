"""Writes the first context for a model: a stop described in Markdown within a token budget.

To fit the budget, it reduces depth first, then names, then counts, and notes what is missing. One token is estimated as
4 characters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from dap_ai.agent.case.fitting import Section, fitted
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot, sub_expressions
from dap_ai.agent.case.text_tables import aligned, shortened
from dap_ai.agent.case.value_texts import CHARS_PER_TOKEN, cut, first_of, in_a_line, show_result, variables
from dap_ai.agent.report.sections import output_and_deeds
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import header_expressions, last_line
from dap_ai.debuggees.python.analysis.claims.excerpts import excerpt
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.loops import looping
from dap_ai.debuggees.python.analysis.syntax.nodes import lines_of
from dap_ai.protocol.contracts.inspection import ThreadFacts
from dap_ai.system.texts import fenced

MAX_LINES = 30
_MAX_TABLES, _TABLE_ROWS, _TABLE_WIDTH = 3, 5, 90


@dataclass
class _Shown:
    """The source lines already quoted, and the allowed lines, most suspicious first (None: every line is allowed)."""

    allowed: dict[tuple[str, int], None] | None
    functions: list[tuple[SourceFile, FunctionNode]] = field(default_factory=list[tuple[SourceFile, FunctionNode]])
    """Functions that contain an allowed line but are not on the stack, in the order of their first allowed lines."""
    lines: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def of(self, source: SourceFile, node: FunctionNode, most: int | None) -> list[int]:
        """Return the function's allowed lines in source order; at most `most` lines, the most suspicious ones."""
        if self.allowed is None:
            return list(lines_of(node))
        return sorted([line for path, line in self.allowed if path == source.path and line in lines_of(node)][:most])

    def admits(self, path: str, line: int) -> bool:
        """Whether a line is allowed and not yet quoted."""
        return (path, line) not in self.lines and (self.allowed is None or (path, line) in self.allowed)


class _Context:
    """The sections of one context; each source line is shown once."""

    def __init__(self, case: StopSnapshot, analysis: StopAnalysis | None, control: Control | None) -> None:
        allowed = excerpt(case, analysis, control) if analysis else None
        shown = self._shown = _Shown(allowed, list(_functions(case, allowed or {})))
        self.sections = [
            Section(9, lambda level: _stop(case, level), 3),
            Section(8, lambda level: _elsewhere(case, level), 2),
            Section(7, lambda level: _failing(case, analysis, level), 4),
            *[Section(6 - min(n, 4), partial(_place, case, p, n, shown), 6) for n, p in enumerate(case.places)],
            Section(3, lambda level: _called(case, analysis, shown, level), 5),
            Section(5, lambda level: _suspects(case, analysis, level), 3),
            Section(1, lambda level: _surroundings(case, level), 3),
        ]
        self._said: dict[tuple[int, ...], tuple[str, set[tuple[str, int]]]] = {}
        """Cached sections, by the levels of the section and its predecessors: the text, and the lines first shown in
        it."""

    def text(self) -> str:
        """Return the sections' text at their current levels."""
        self._shown.lines.clear()
        texts = [self._text(number) for number in range(len(self.sections))]
        return "\n\n".join(filter(None, texts))

    def _text(self, number: int) -> str:
        """Return one section's text, cached by its level and the levels of the sections before it."""
        levels = tuple(section.level for section in self.sections[: number + 1])
        if levels not in self._said:
            before = set(self._shown.lines)
            self._said[levels] = self.sections[number].text(), self._shown.lines - before
        text, lines = self._said[levels]
        self._shown.lines |= lines
        return text


def first_context(
    case: StopSnapshot, analysis: StopAnalysis | None, budget_tokens: int, control: Control | None = None
) -> str:
    """Return a stop's Markdown context within the token budget. `control`: a traced rerun of the failing check."""
    context = _Context(case, analysis, control)
    return fitted(context.sections, budget_tokens * CHARS_PER_TOKEN, context.text)


def _at(case: StopSnapshot, path: str, line: int) -> str:
    return f"{shorten(path, case.inspection.cwd)}:{line}"


def _stop(case: StopSnapshot, level: int) -> str:
    size = (400, 160, 60, 30)[level]
    lines: list[str] = []
    for error in case.inspection.exceptions[: (8, 4, 2, 1)[level]]:
        relation = f"{error.relation}: " if error.relation else ""
        if relation and error.traceback and case.remote:
            continue  # it is shown separately
        lines.append(f"{relation}{error.type}: {cut(error.message, size)} ({_at(case, error.file, error.line)})")
        lines += [f"  note: {cut(note, size)}" for note in error.notes[: 3 - level]]
    hidden = len(case.inspection.exceptions) - (8, 4, 2, 1)[level]
    if hidden > 0:
        lines.append(f"... {hidden} more exceptions")
    if not lines:
        lines.append(f"stopped: {case.stop.description or case.stop.reason} {cut(case.stop.text, size)}".rstrip())
    if level < 2 and (loop := looping(case)):
        lines.append(loop)
    if case.exception and case.exception.type == "AssertionError":
        lines.append("The assertion is to be taken as right.")
    return "\n".join(lines)


def _elsewhere(case: StopSnapshot, level: int) -> str:
    """Return the user frames, innermost first, of an exception in another process or a value; empty without one."""
    held = case.held if case.remote is None else ("in another process, which cannot be read", case.remote)
    if held is None or held[1].exception is None:
        return ""
    (head, there), error = held, held[1].exception
    rows = [f"{head}: {error.type}: {cut(error.message, (300, 60, 30)[level])}"]
    for place in there.places[: (6, 3, 1)[level]]:
        code = place.source.line(place.frame.line).strip() if place.source else ""
        rows.append(f"  {place.frame.name} {_at(case, place.frame.path, place.frame.line)}  {cut(code, 100)}".rstrip())
        if values := in_a_line(place.facts, level, 100):
            rows.append(f"    {values}")
    return "\n".join(rows)


def _failing(case: StopSnapshot, analysis: StopAnalysis | None, level: int) -> str:
    """Return the values of the failing line's sub-expressions, as pytest shows them for an assert."""
    place = analysis.diagnosis.place if analysis else case.focus
    if place is None or place.statement is None:
        return ""
    size = (60, 40, 30, 20, 0)[level]
    bound = {v.name for v in variables(place.facts)} if place.facts else set[str]()
    rows: dict[str, str] = {}
    for node in sub_expressions(header_expressions(place.statement)):
        text = ast.unparse(node)
        fact = place.evaluation(text)
        if fact is None or text in bound or fact.error in ("refused", "raised"):
            continue
        if fact.value is None or fact.value.kind not in ("function", "class", "module"):
            rows[text] = f"{cut(text, 80)} -> {show_result(fact, size)}"
    if level >= 4:
        return f"... {len(rows)} sub-expressions" if rows else ""
    return "\n".join(first_of(list(rows.values()), (8, 6, 4, 3)[level]))


def _place(case: StopSnapshot, place: FramePlace, index: int, shown: _Shown, level: int) -> str:
    frame = place.frame
    folded = _folded(case, frame)
    head = f"{folded}#{case.frames.index(frame)} {frame.name} {_at(case, frame.path, frame.line)}"
    if level >= 6:
        return head
    refusal = case.sources.refusal(frame.path)
    unseen = f"its source is not shown: {refusal}" if refusal else ""
    tables = _tables(place) if index + level == 0 else ()
    parts = [head, unseen, in_a_line(place.facts, level, 70 if index == 0 else 28), *tables]
    lines = _lines(place, shown, level, whole=index == 0)
    if lines:
        parts.append(fenced(lines, ""))
    return "\n".join(p for p in parts if p)


def _folded(case: StopSnapshot, frame: StackFrame) -> str:
    """Return a line that counts the library frames between this frame and the next inner user frame; may be empty."""
    position = case.frames.index(frame)
    count, name = 0, ""
    while position > count and not case.frames[position - count - 1].user:
        count += 1
        name = case.frames[position - count].path.replace("\\", "/").rsplit("/", 1)[-1]
    return f"... {count} library frames ({name})\n" if count else ""


def _tables(place: FramePlace) -> Iterator[str]:
    """Yield the first and last rows of each dataframe and series: the size alone seldom reveals an error."""
    found = variables(place.facts) if place.facts else []
    tables = [(v.name, v.value.table) for v in found if v.value.kind in ("dataframe", "series") and v.value.table]
    for name, table in tables[:_MAX_TABLES]:
        yield f"{name}:\n{fenced(aligned(shortened(table, _TABLE_ROWS), _TABLE_WIDTH), '')}"


def _lines(place: FramePlace, shown: _Shown, level: int, *, whole: bool) -> str:
    source, line, function = place.source, place.frame.line, place.function
    if source is None:
        return ""
    around = (8, 5, 3, 1, 0, 0)[level]
    first, last = max(1, line - around), min(len(source.lines), line + around // 2)
    if level < 3 and shown.allowed is not None:  # suspicious lines anywhere in the frame's code
        first, last = (function.lineno, last_line(function)) if function else (1, len(source.lines))
    elif whole and level < 2:
        first, last = source.window(line)
    elif function is not None:
        first, last = max(first, function.lineno), min(last, last_line(function))
    if shown.allowed is None and last - first > 2 * MAX_LINES:
        first, last = max(first, line - MAX_LINES), min(last, line + MAX_LINES // 2)
    own = range(first, last + 1) if function else [n for n in range(first, last + 1) if not source.function_at(n)]
    return _rows(source, own, line, shown)


def _rows(source: SourceFile, wanted: Iterable[int], marked: int, shown: _Shown) -> str:
    """Return the lines that are allowed and not yet quoted, with line numbers; `...` marks a gap."""
    numbers = [n for n in wanted if shown.admits(source.path, n) and source.line(n).strip()]
    shown.lines.update((source.path, n) for n in numbers)
    rows: list[str] = []
    for before, number in zip([None, *numbers], numbers, strict=False):
        if before is not None and any(source.line(n).strip() for n in range(before + 1, number)):
            rows.append("  ...")
        rows.append(f"{'>' if number == marked else ' '}{number} {cut(source.line(number), 160)}".rstrip())
    return "\n".join(rows)


def _called(case: StopSnapshot, analysis: StopAnalysis | None, shown: _Shown, level: int) -> str:
    """Return the source of functions that are not on the stack, most suspicious first, then of modules and classes."""
    if analysis is None:
        return ""
    functions = shown.functions
    count, most = ((len(functions), None), (8, 60), (5, 30), (2, 15), (1, 8), (0, 0))[level]
    parts: list[str] = []
    for source, node in functions[:count]:
        rows = _rows(source, shown.of(source, node, most), 0, shown)
        if rows:
            parts.append(f"called: {_name(source, node)} {_at(case, source.path, node.lineno)}\n{fenced(rows, '')}")
    parts += _outside(case, shown) if level < 3 else []
    known = {(s.source.path, s.node.lineno) for s, _ in analysis.scopes.values() if isinstance(s.node, FunctionNode)}
    hidden = len(known - {(source.path, node.lineno) for source, node in functions[:count]} - _on_stack(case))
    return "\n".join([*parts, f"... {hidden} more functions in reach"] if hidden > 0 else parts)


def _functions(case: StopSnapshot, allowed: Iterable[tuple[str, int]]) -> Iterator[tuple[SourceFile, FunctionNode]]:
    """Yield the functions that contain one of these lines but are not on the stack, in the order of the lines."""
    seen = _on_stack(case)
    for path, line in allowed:
        source = case.sources.read(path)
        node = source.function_at(line) if source else None
        if source and node and (path, node.lineno) not in seen:
            seen.add((path, node.lineno))
            yield source, node


def _on_stack(case: StopSnapshot) -> set[tuple[str, int]]:
    return {(p.frame.path, p.function.lineno) for p in case.places if p.function}


def _name(source: SourceFile, node: FunctionNode) -> str:
    """Return the function's name and parameters, because the context does not quote the `def` line."""
    return cut(f"{FunctionScope(source, node).name}({ast.unparse(node.args)})", 100)


def _outside(case: StopSnapshot, shown: _Shown) -> Iterator[str]:
    """Yield one block per file with the allowed lines that are outside functions and not yet quoted."""
    for path in sorted({path for path, _ in shown.allowed or ()}):
        source = case.sources.read(path)
        lines = sorted(line for file, line in shown.allowed or () if file == path)
        rows = _rows(source, [n for n in lines if not source.function_at(n)], 0, shown) if source else ""
        if rows:
            yield f"{shorten(path, case.inspection.cwd)}\n{fenced(rows, '')}"


def _suspects(case: StopSnapshot, analysis: StopAnalysis | None, level: int) -> str:
    if analysis is None or not analysis.suspects or level >= 3:
        return ""
    kept = analysis.suspects[: (2, 1, 1)[level]]
    rows = [f"{_at(case, s.file, s.line)} {s.score:.2f} {cut(s.reason, 48)}" for s in kept]
    return "suspicious (heuristic):\n" + "\n".join(rows)


def _surroundings(case: StopSnapshot, level: int) -> str:
    seen = case.inspection
    lines: list[str] = []
    if seen.python and level < 3:
        lines.append(f"python {seen.python}; argv {cut(_command_line(case), 120)}; cwd {cut(seen.cwd, 80)}")
    others = [t for t in seen.threads if not t.current]
    if others:
        tops = [f"{t.name}: {t.waiting or _top(case, t)}" for t in others]
        lines.append("other threads: " + "; ".join(first_of(tops, (6, 3, 1, 0)[level])))
    return "\n".join([*lines, *output_and_deeds(case, "".join(text for _, text in case.output), level)])


def _command_line(case: StopSnapshot) -> str:
    program, *arguments = case.inspection.argv or [""]
    return " ".join([shorten(program, case.inspection.cwd), *arguments])


def _top(case: StopSnapshot, thread: ThreadFacts) -> str:
    top = thread.frames[0] if thread.frames else None
    return f"{top.name} {_at(case, top.file, top.line)}" if top else "?"
