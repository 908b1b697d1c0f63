"""Results of analysing a native stop: the failing value, where it came from, which lines may contain the mistake.

Made from the case's values and parsed source (parsing.py); nothing is evaluated here.
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
    """One step back from the failing line to where a value came from."""

    file: str
    line: int
    words: str
    """What the line does to `name`: `sets`, `passes`, `frees`, `declares, without a value,`."""
    name: str
    function: str


@dataclass
class NativeAnalysis:
    """The analysis of one stop. Suspects are sorted, most suspicious first."""

    case: StopSnapshot
    place: FramePlace
    """The user's frame that failed."""
    kind: str
    """`null dereference`, `use after free`, `overflow`, `stack overflow`, `assertion`, `uninitialised`, `integer
    overflow`, `division by zero`, `deadlock`, `panic`, `double free`, `leak`, `data race`, `stop` or `crash`."""
    effect: str = ""
    """The problem at the line in a few words, with the deciding value; empty: use the first sentence, or `kind`."""
    sentences: list[str] = field(default_factory=list[str])
    """Sentences that explain why the line failed, with the values that prove it."""
    cited: list[Cited] = field(default_factory=list[Cited])
    chain: list[OriginLink] = field(default_factory=list[OriginLink])
    """Steps back from the failing line, nearest first."""
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    unchecked: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """File and line of suspects that only pass on a value from another line."""
    advice: list[str] = field(default_factory=list[str])
    """Suggested debugging steps."""
    fix: SourceEdit | None = None
    """A proposed change, never tried: a native program has no snapshots."""
    report: Report | None = None


def failing(case: StopSnapshot) -> FramePlace | None:
    """Return the frame to explain: the user's choice at a plain stop, else the report's frame, else the innermost."""
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
    """Return the report's innermost frame with source, for a stack without user frames; it has no values."""
    for frame in (f for stack in (case.report.stacks if case.report else ()) for f in stack.frames if f.line):
        source = case.sources.read(frame.file)
        if source is not None and source.is_native:
            return FramePlace(StackFrame(0, frame.name, frame.file, frame.line, user=True), source)
    return None
