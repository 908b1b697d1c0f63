"""Results of analysing a native stop: the failing value, its origin, and the lines that may contain the mistake.

They are made from the case's values and parsed source (parsing.py). This module evaluates nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.report.citing import Cited
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.protocol.wire.ask_messages import Suspect


@dataclass(frozen=True)
class OriginLink:
    """One step back from the failing line to the line that a value came from."""

    file: str
    line: int
    words: str
    """What the line does to `name`, such as `sets`, `passes`, `frees` or `declares, without a value,`."""
    name: str
    function: str


@dataclass
class NativeAnalysis:
    """The analysis of one native stop. Suspects are sorted, the most suspicious first."""

    case: StopSnapshot
    place: FramePlace
    """The user's stack frame that failed."""
    kind: str
    """Kind of failure: `null dereference`, `use after free`, `overflow`, `stack overflow`, `assertion`,
    `uninitialised`, `integer overflow`, `division by zero`, `deadlock`, `panic`, `double free`, `leak`, `data race`,
    `stop` or `crash`."""
    effect: str = ""
    """The problem at the line in a few words, with the deciding value. If empty, use the first sentence or `kind`."""
    sentences: list[str] = field(default_factory=list[str])
    """Sentences that explain why the line failed, with the values that prove the explanation."""
    cited: list[Cited] = field(default_factory=list[Cited])
    chain: list[OriginLink] = field(default_factory=list[OriginLink])
    """Steps back from the failing line to a value's origin, nearest first."""
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    unchecked: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """File and line of each suspect that only passes on a value from another line."""
    advice: list[str] = field(default_factory=list[str])
    """Debugging steps to suggest to the user."""
    fix: SourceEdit | None = None
    """A proposed change of the source. It is untried, because a native program has no snapshots."""
    report: Report | None = None


def failing(case: StopSnapshot) -> FramePlace | None:
    """Return the frame to explain, or None. At a plain stop, it is the frame that the user chose.

    After a failure, it is the frame at the report's line, or else the innermost frame with source of the user's.
    """
    own = [p for p in case.places if p.source is not None and p.source.is_native and p.frame.user]
    report = case.report
    if report and report.line:
        name = Path(report.file).name
        for place in own:
            if place.frame.line == report.line and Path(place.frame.path).name == name:
                return place
    if not case.exception and not report and case.focus in own:
        return case.focus
    return own[0] if own else _report_place(case)


def _report_place(case: StopSnapshot) -> FramePlace | None:
    """Return the report's innermost frame with source, for a stack without user frames. The frame has no values."""
    for frame in (f for stack in (case.report.stacks if case.report else ()) for f in stack.frames if f.line):
        source = case.sources.read(frame.file)
        if source is not None and source.is_native:
            return FramePlace(StackFrame(0, frame.name, frame.file, frame.line, user=True), source)
    return None
