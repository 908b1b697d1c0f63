"""A model's first context about a native stop, within a budget: fault, report, failing line, frames, threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.agent.case.fitting import Section, fitted
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.case.value_texts import CHARS_PER_TOKEN, cut, first_of, in_a_line, show, show_result, variables
from dap_ai.agent.report.sections import output_and_deeds
from dap_ai.agent.report.source_edits import shorten
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.analysis.program_reports import own_output
from dap_ai.debuggees.native.answer.native_notes import notes
from dap_ai.debuggees.native.source.frame_folding import (
    FoldedFrames,
    clean_name,
    folded,
    in_words,
    is_inlined,
    is_user_frame,
)
from dap_ai.debuggees.native.source.languages import function_at, unit_of
from dap_ai.debuggees.native.source.program_report import shown
from dap_ai.protocol.contracts.inspection import ThreadFacts, ThreadFrame, Value
from dap_ai.system.texts import code, fenced

_Lines = set[tuple[str, int]]
"""Source lines that the context already quotes, as (path, line)."""
_REGISTERS = 10


def first_context(case: StopSnapshot, analysis: NativeAnalysis | None, budget_tokens: int) -> str:
    """Return a model's first context as Markdown of at most `budget_tokens`."""
    quoted: _Lines = set()
    runs = folded(case.frames, case.total_frames, case.outermost)
    sections = [
        Section(9, partial(_stop, case), 3),
        Section(8, partial(_report, case), 4),
        Section(7, partial(_failing, case, analysis), 4),
        *(Section(6 - min(n, 4), partial(_run, case, run, quoted), 6) for n, run in enumerate(runs)),
        Section(5, partial(_suspects, case, analysis), 3),
        Section(4 if _waiting(case) else 2, partial(_threads, case), 3),
        Section(3, partial(_hindrances, case), 2),
        Section(1, partial(_surroundings, case), 3),
    ]

    def text() -> str:
        quoted.clear()
        joined: list[str] = []
        for section in sections:
            said = section.text()
            # Rows of one stack are kept together; a section with a block of source is set apart.
            gap = "\n" if said.startswith("#") and joined and joined[-1].startswith("#") else "\n\n"
            joined += [gap if joined else "", said] if said else []
        return "".join(joined)

    return fitted(sections, budget_tokens * CHARS_PER_TOKEN, text)


def _folder(case: StopSnapshot) -> str:
    """Return the folder of the program's source, to which shown paths are relative."""
    top = next((p for p in case.places if p.frame.user), None)
    path = top.frame.path if top else case.report.file if case.report else ""
    return str(PurePath(path).parent) if PurePath(path).is_absolute() else case.inspection.cwd


def _at(case: StopSnapshot, path: str, line: int) -> str:
    return f"{shorten(path, _folder(case))}:{line}"


def _stop(case: StopSnapshot, level: int) -> str:
    fault, size = case.inspection.fault, (300, 160, 80, 40)[level]
    if fault is None or not fault.signal:
        if case.report:  # the report contains the debugger's description
            return ""
        return f"stopped: {cut(case.stop.description or case.stop.reason, size)} {cut(case.stop.text, size)}".rstrip()
    parts = [f"{fault.signal}: {fault.code}" if fault.code else fault.signal]
    if fault.address is not None:
        parts.append(f"{fault.access or 'access'} of {fault.address:#x}")
    if fault.instruction and level < 2:
        parts.append(f"at {code(cut(fault.instruction, 60))}")
    return ", ".join(parts)


def _report(case: StopSnapshot, level: int) -> str:
    report = case.report
    if report is None:
        return ""
    kind = "" if report.kind in report.message or report.tool in ("panic", "assert") else report.kind
    first = report.stacks[0].title if report.tool == "ThreadSanitizer" and report.stacks else ""
    accessed = first if _on_top(case, report) else ""
    said = ": ".join(filter(None, [report.tool, kind, report.message, accessed]))
    where = f" ({_at(case, report.file, report.line)})" if report.line and not _on_top(case, report) else ""
    rows = [cut(said, (400, 300, 160, 80, 60)[level]) + where]
    facts = [fact for fact in report.facts if not (report.tool == "assert" and fact.startswith("in "))]
    rows += [cut(fact, 200) for fact in facts[: (8, 4, 2, 1, 0)[level]]]
    stacks = report.stacks[1 if _on_top(case, report) else 0 :][: (6, 4, 2, 1, 0)[level]]
    rows += [f"{cut(stack.title, 120)}: {_chain(case, stack, (6, 4, 3, 1, 0)[level])}" for stack in stacks]
    if report.kind == "assertion":
        rows.append("The assertion is to be taken as right.")
    return "\n".join(rows)


def _chain(case: StopSnapshot, stack: Stack, count: int) -> str:
    """Format a report's stack, innermost frame first, with the source line of the innermost frame."""
    rows = shown([ThreadFrame(f.name, shorten(f.file, _folder(case)), f.line) for f in stack.frames])
    top = stack.frames[0]
    source = case.sources.read(top.file) if top.line else None
    if source and top.line <= len(source.lines):
        rows[0] += f" {code(cut(source.line(top.line).strip(), 100))}"
    return " <- ".join(rows[:count]) + (f" <- ... {len(rows) - count} more" if len(rows) > count else "")


def _on_top(case: StopSnapshot, report: Report) -> bool:
    """Whether the report's first stack is the stack of this stop, which the context shows anyway."""
    return bool(case.places) and report.line == case.places[0].frame.line


def _failing(case: StopSnapshot, analysis: NativeAnalysis | None, level: int) -> str:
    """List the values of the failing line's sub-expressions."""
    place = analysis.place if analysis else case.focus
    unit = unit_of(place.source) if place else None
    if place is None or unit is None:
        return ""
    size = (80, 60, 40, 20, 0)[level]
    bound = {v.name for v in variables(place.facts)} if place.facts else set[str]()
    rows: dict[str, str] = {}
    for expression in unit.expressions_at(place.frame.line):
        fact = place.evaluation(expression.text)
        if fact is None or expression.kind == "literal" or expression.text in bound:
            continue
        if fact.error in ("refused", "missing") or (fact.value is not None and fact.value.kind == "function"):
            continue
        rows[expression.text] = f"{cut(expression.text, 80)} -> {show_result(fact, size)}"
    if size == 0:
        return f"... {len(rows)} sub-expressions" if rows else ""
    return "\n".join(first_of(list(rows.values()), (10, 6, 4, 3)[level]))


def _run(case: StopSnapshot, run: FoldedFrames, quoted: _Lines, level: int) -> str:
    """Format one of the user's frames, or a run of folded frames."""
    if run.kind == "library":
        outermost = run.last + 1 >= max(case.total_frames, len(case.frames)) and bool(case.places)
        names = tuple(dict.fromkeys(name.split("(")[0].rstrip(":") or name for name in run.names))
        return "" if outermost and run.first else f"#{run.first} {in_words(replace(run, names=names))}"
    if run.kind == "" and not run.names:
        return f"#{run.first}-{run.last} {in_words(run)}"
    frame = _numbered(case, run.first)
    rows = [_frame(case, frame, run.first, quoted, level)]
    if run.kind == "recursion":
        more = " or more" if case.more_frames and run.last + 1 >= case.total_frames else ""
        rows.append(f"#{run.first}-{run.last} {in_words(run)}{more}")
        inside = case.frames[run.first + 1 : run.last + 1]
        nested = [p for p in case.places if p.frame in inside][: (3, 2, 1, 0, 0, 0, 0)[level]]
        rows += [f"#{case.frames.index(p.frame)} {in_a_line(p.facts, level, 40, _shown)}" for p in nested if p.facts]
    return "\n".join(rows)


def _numbered(case: StopSnapshot, number: int) -> StackFrame:
    """Return the frame with this number, from the innermost or outermost frames that were read."""
    outer = number - (case.total_frames - len(case.outermost))
    return case.frames[number] if number < len(case.frames) else case.outermost[outer]


def _frame(case: StopSnapshot, frame: StackFrame, index: int, quoted: _Lines, level: int) -> str:
    place = next((p for p in case.places if p.frame is frame), None)
    where = f" {_at(case, frame.path, frame.line)}" if frame.path else ""
    head = f"#{index} {clean_name(frame.name)}{where}{' (inlined)' if is_inlined(frame.name) else ''}"
    if place is None or level >= 6:
        return head
    top = bool(case.places) and place is case.places[0]
    parts = [head, in_a_line(place.facts, level, 100 if top else 70, _shown)]
    lines = "\n".join(_rows(place, quoted, level, whole=top))
    parts.append(fenced(lines, place.language) if lines else "")
    return "\n".join(part for part in parts if part)


def _shown(value: Value, size: int) -> str:
    return value.text if value.text == value.note else show(value, size)


def _rows(place: FramePlace, quoted: _Lines, level: int, *, whole: bool) -> Iterator[str]:
    """Yield numbered source lines around the frame's line, which is marked. Lines already quoted are omitted."""
    source, line = place.source, place.frame.line
    if source is None or level >= 5:
        return
    around = (2, 2, 1, 1, 0)[level]
    first, last = source.window(line) if whole and level < 2 else (line - around, line + around // 2)
    function = function_at(source, line)
    if function:
        first, last = max(first, function.first), min(last, function.last)
    for number in range(max(1, first), min(len(source.lines), last) + 1):
        if (source.path, number) not in quoted and source.line(number).strip():
            quoted.add((source.path, number))
            yield f"{'>' if number == line else ' '}{number} {cut(source.line(number), 160)}".rstrip()


def _suspects(case: StopSnapshot, analysis: NativeAnalysis | None, level: int) -> str:
    if analysis is None or not analysis.suspects or level >= 3:
        return ""
    kept = analysis.suspects[: (3, 2, 1)[level]]
    rows = [f"{_at(case, s.file, s.line)} {s.score:.2f} {cut(s.reason, 90)}" for s in kept]
    return "suspicious (heuristic):\n" + "\n".join(rows)


def _waiting(case: StopSnapshot) -> list[ThreadFacts]:
    return [t for t in case.inspection.threads if t.wants or t.owner]


def _threads(case: StopSnapshot, level: int) -> str:
    """List which thread waits for what, and where the other threads are."""
    threads = case.inspection.threads
    if len(threads) < 2:
        return ""
    waiting = _waiting(case)
    others = [t for t in threads if not t.current and t not in waiting]
    kept = (16, 8, 4, 2)[level]
    rows = [
        f"thread {_of(t)} waits for {t.waiting or 'a lock'} {_lock_text(t, threads)}{_top(case, t)}" for t in waiting
    ]
    rows = [" ".join(row.split()) for row in rows[:kept]]
    tops = [f"{_of(t)}:{t.waiting and f' {t.waiting}'}{_top(case, t)}" for t in others[: (6, 3, 1, 0)[level]]]
    more = len(threads) - len(rows) - len(tops) - sum(t.current and t not in waiting for t in threads)
    tops += [f"... {more} more"] if more > 0 else []
    return "\n".join([*rows, "other threads: " + "; ".join(tops)] if tops else rows)


def _of(thread: ThreadFacts) -> str:
    return f"{thread.name or 'thread'} ({thread.ident})"


def _lock_text(thread: ThreadFacts, threads: list[ThreadFacts]) -> str:
    owner = next((t for t in threads if t.ident == thread.owner), None)
    held = f", held by {_of(owner)}" if owner else f", held by {thread.owner}" if thread.owner else ""
    return f"{code(thread.wants)}{held}" if thread.wants else held.removeprefix(", ")


def _top(case: StopSnapshot, thread: ThreadFacts) -> str:
    frame = next((f for f in thread.frames if is_user_frame(f.name, f.file)), None)
    if frame:
        return f" in {clean_name(frame.name)} {_at(case, frame.file, frame.line)}"
    return f" in {clean_name(thread.frames[0].name).split('(')[0]}" if thread.frames else ""


def _hindrances(case: StopSnapshot, level: int) -> str:
    """Explain what cannot be read here and what the user can do. Without source, show registers."""
    top = case.places[0] if case.places else None
    rows = notes(case, top if top and top.source else None)[: (6, 3, 1)[level]]
    if case.inspection.registers and level < 2 and (top is None or top.source is None):
        kept = list(case.inspection.registers.items())[:_REGISTERS]
        rows.append("registers: " + " ".join(f"{name}={cut(value, 20)}" for name, value in kept))
    return "\n".join(rows)


def _surroundings(case: StopSnapshot, level: int) -> str:
    seen = case.inspection
    rows = [f"program {seen.binary.path}; source in {_folder(case)}"] if seen.binary and level < 2 else []
    return "\n".join([*rows, *output_and_deeds(case, own_output(case), level)])
