"""Failure reports that the program itself prints: of sanitizers, Rust panics, failed assertions and C++'s terminate.

The reports are read from the program's output, the stop's text and the names of the current functions. `exceptionInfo`
is not requested, because lldb-dap calls functions of the program for it. Before UBSan prints its text, `words_of` reads
the text from the variables of UBSan's own frame. If UBSan's library lacks debug information, the text is unavailable.
The rest of the module does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, NamedTuple

from dap_ai.agent.case.crash_report import Report, Tool
from dap_ai.agent.source.syntax import node_of
from dap_ai.debuggees.native.source.panics import ending_reports
from dap_ai.debuggees.native.source.program_report import plain
from dap_ai.debuggees.native.source.sanitizers import sanitizer_reports
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Query
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

if TYPE_CHECKING:
    from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot


_ABORT = r"\b(?:abort|raise|pthread_kill|__GI_|__libc_message|_exit|Die)"
_SANITIZER = r"__(?:asan|lsan|hwasan|msan|tsan|sanitizer)|(?:asan|lsan|hwasan|msan|tsan)_|AsanDie|Sanitizer"
_SAYS: Mapping[Tool, re.Pattern[str]] = {
    "AddressSanitizer": re.compile(_SANITIZER),
    "LeakSanitizer": re.compile(_SANITIZER),
    "MemorySanitizer": re.compile(_SANITIZER),
    "ThreadSanitizer": re.compile(_SANITIZER),
    "UndefinedBehaviorSanitizer": re.compile(r"ubsan"),
    "panic": re.compile(rf"rust_panic|rust_begin_unwind|panicking|panic_|begin_panic|{_ABORT}"),
    "assert": re.compile(rf"assert|Check|LogMessage|{_ABORT}", re.IGNORECASE),
    "terminate": re.compile(rf"terminate|__cxa_|{_ABORT}"),
    "libc": re.compile(rf"malloc|fortify|stack_chk|_int_free|free|{_ABORT}"),
}
"""Matches functions that the user's frame calls only while the program makes such a report."""
_BEFORE = re.compile(r"=*|\w+Sanitizer:DEADLYSIGNAL")
_AT_HOOK = re.compile(r"__ubsan_on_report")
"""Matches the function that UBSan calls before it prints."""
_AT_RACE = re.compile(r"__tsan_on_report")
_STOPS: Mapping[str, str] = {
    "Heap buffer overflow": "heap-buffer-overflow",
    "Use of deallocated memory": "heap-use-after-free",
    "Stack buffer overflow": "stack-buffer-overflow",
    "Stack buffer underflow": "stack-buffer-underflow",
    "Global buffer overflow": "global-buffer-overflow",
    "Use of stack memory after return": "stack-use-after-return",
    "Use of out-of-scope stack memory": "stack-use-after-scope",
    "Use of poisoned memory": "use-after-poison",
    "Container overflow": "container-overflow",
    "Stack space exhausted": "stack-overflow",
    "Dereference of null pointer": "null-deref",
    "Invalid memory access": "unknown-crash",
    "Deadly signal": "SEGV",
    "Deallocation of freed memory": "double-free",
    "Deallocation of non-allocated memory": "bad-free",
    "Mismatch between allocation and deallocation APIs": "alloc-dealloc-mismatch",
    "Overlapping memory ranges": "param-overlap",
}
"""AddressSanitizer's kinds of errors, by lldb's descriptions."""


class Words(NamedTuple):
    """Kind of an error that UBSan found, such as `signed-integer-overflow`, and its sentence. Empty if unavailable."""

    kind: str = ""
    sentence: str = ""


NO_WORDS = Words()
"""Result if no text of UBSan is available."""


def report_of(case: StopSnapshot, words: Words = NO_WORDS) -> Report | None:
    """Return the run's last report about this stop, or None. `words` is the result of words_of."""
    text = plain("".join(said for _, said in case.output))
    found = [report for _, report in _found(text)]
    told = _stop_report(case, words)
    if told and told.tool == "UndefinedBehaviorSanitizer":
        return told
    about = [report for report in found if _is_about(case, report)]
    if told:
        about = [report for report in found if report.tool == told.tool] or [told]
    if not about:
        return None
    here = [report for report in about if _same_place(case, report)]
    return _completed(here[-1] if here and about[-1].tool == here[-1].tool else about[-1], told)


def own_output(case: StopSnapshot) -> str:
    """Return the program's output before its failure report, without messages of the debugger."""
    text = plain("".join(said for category, said in case.output if category != "console"))
    if case.report is None:
        return text
    told = case.report.tool, case.report.message
    starts = [n for n, report in _found(text) if (report.tool, report.message) == told]
    lines = text.split("\n")
    lines = lines[: starts[-1]] if starts else lines
    while lines and _BEFORE.fullmatch(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def _found(text: str) -> list[tuple[int, Report]]:
    return sorted([*sanitizer_reports(text), *ending_reports(text)], key=lambda pair: pair[0])


def _is_about(case: StopSnapshot, report: Report) -> bool:
    """Whether the program stopped while it made the report, or at the line that UBSan just reported."""
    if report.tool == "UndefinedBehaviorSanitizer":
        return not _inside(case, _AT_HOOK) and (_same_place(case, report) or _inside(case, _SAYS[report.tool]))
    if _inside(case, _SAYS[report.tool]):
        return True
    signal = case.exception.type if case.exception else case.stop.description + case.stop.text
    return "SIGABRT" in signal


def _inside(case: StopSnapshot, pattern: re.Pattern[str]) -> bool:
    """Whether the name of a function that the user's innermost frame called matches."""
    for frame in case.frames:
        if frame.user:
            return False
        if pattern.search(frame.name):
            return True
    return False


def _same_place(case: StopSnapshot, report: Report) -> bool:
    frame = case.places[0].frame if case.places else None
    return frame is not None and frame.line == report.line > 0 and _base(frame.path) == _base(report.file)


def _base(path: str) -> str:
    return PureWindowsPath(path).name  # handles the separators of both systems


def _stop_report(case: StopSnapshot, words: Words) -> Report | None:
    """Make a report from the debugger's description of a sanitizer stop, with or without the report's text."""
    stop = (case.stop.description or case.stop.text).strip()
    if stop in _STOPS:
        return _bare(case, "AddressSanitizer", _STOPS[stop], stop)
    if _inside(case, _AT_RACE):
        return _bare(case, "ThreadSanitizer", "data race", stop)
    if _inside(case, _AT_HOOK):
        kind = words.kind or re.sub(r"\W+", "-", stop.lower()).strip("-")
        return _bare(case, "UndefinedBehaviorSanitizer", kind, words.sentence or stop)
    return None


def _bare(case: StopSnapshot, tool: Tool, kind: str, message: str) -> Report:
    """Make a report without the program's text, located in the user's innermost frame."""
    frame = case.places[0].frame if case.places and case.places[0].frame.user else None
    text = f"{tool}: {kind}: {message}" if message != kind else f"{tool}: {kind}"
    return Report(tool, kind, message, file=frame.path if frame else "", line=frame.line if frame else 0, text=text)


def _completed(report: Report, told: Report | None) -> Report:
    """Add facts from the debugger to a report whose text lacks them because its beginning was cut off."""
    if told is None or report is told:
        return report
    kind = told.kind if report.kind in ("", "crash") else report.kind
    return replace(report, kind=kind, file=report.file or told.file, line=report.line or told.line)


_FRAME = "__ubsan::Diag::~Diag"
_EXPRESSIONS = ("UBR.IssueKind", "UBR.Buffer.buffer_.data_")
_MAX_CHARS = 400


async def words_of(debugger: Debugger, frames: Sequence[StackFrame]) -> Words:
    """Return kind and sentence of the innermost UBSan report on this stack. Raises NotStopped."""
    frame = next((each for each in frames if each.name.startswith(_FRAME)), None)
    if frame is None:
        return NO_WORDS
    query = FrameQuery(frame.id, variables=False, expressions=[node_of(text, "cpp") for text in _EXPRESSIONS])
    try:
        reply = await debugger.inspect(Query([query], "observe", exception=False, threads=False, max_text=_MAX_CHARS))
    except NotStopped:
        raise
    except RequestFailed:
        return NO_WORDS
    return Words(*map(_text, reply.frames[0].values)) if reply.frames else NO_WORDS


def _text(fact: ExpressionResult) -> str:
    """Return the characters of a string value on one line."""
    literal = fact.value.text if fact.value and fact.value.kind == "str" else ""
    return " ".join(literal.strip('"').replace('\\"', '"').replace("\\n", " ").split())
