"""Sections of an answer that all debuggee kinds share, such as the chain of causes and the root cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.report.wording import CAUSE, GUESS, UNKNOWN, WHY
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.protocol.wire.report import Cause, Certainty, Section
from dap_ai.system.texts import code

_MOST_UNSURE = 2
"""Maximum number of suspicious lines to name where none is the cause."""
BACK = "Back from the failing line"
THE_FAILED_LINE = "the line that failed"
"""Start of a suspect's reason if the suspect is the failing line itself."""


def where(case: StopSnapshot, file: str, line: int) -> str:
    """Formats a file and line as code: `shop.py:12`."""
    return code(f"{shorten(file, case.inspection.cwd)}:{line}")


def quote(place: FramePlace) -> str:
    """Returns a frame's current line as a code block."""
    source = place.source
    return source.block(f"{place.frame.line}  {source.line(place.frame.line).strip()}") if source else "(no source)"


def chain_of(links: list[str], head: str = BACK) -> str:
    """Returns the section *Why* with the links of a chain of causes, nearest first; empty without links."""
    rows = "\n".join(f"{n}. {link}" for n, link in enumerate(links, 1))
    return f"{WHY} {head}:\n\n{rows}" if rows else ""


def cause_of(
    case: StopSnapshot, suspects: Sequence[Suspect], where: Callable[[str, int], str], certainty: Certainty
) -> list[Section]:
    """Returns the sections *Root cause* and *Other suspects* for suspects, most suspicious first.

    `where` formats a file and line as code.
    """
    if not suspects:
        return [Section("cause", f"{CAUSE} Nothing stands out in the code that was read.")]
    first, *others = suspects
    source = case.sources.read(first.file)
    code = source.block(f"{first.line}  {source.line(first.line).strip()}") if source else "(no source)"
    end = "" if first.reason.endswith(("?", "!")) else "."
    heading = CAUSE if certainty == "proved" else GUESS
    parts = [Section("cause", f"{heading} {where(first.file, first.line)}: {first.reason}{end}\n\n{code}")]
    return [*parts, *([Section("suspects", f"Other suspects: {listed(others, where)}.")] if others else [])]


def claim_of(case: StopSnapshot, suspect: Suspect, spot: str, certainty: Certainty) -> Cause:
    """Returns the claim that a suspect is the root cause. `spot`: its place as Markdown code."""
    source = case.sources.read(suspect.file)
    line_text = source.line(suspect.line).strip() if source else ""
    return Cause(suspect.file, suspect.line, spot, line_text, suspect.reason, certainty)


def unknown_cause(suspects: Sequence[Suspect], where: Callable[[str, int], str]) -> list[Section]:
    """Returns the section *Root cause: not known* with the most suspicious lines but the failing line."""
    others = [suspect for suspect in suspects if suspect.reason != THE_FAILED_LINE][:_MOST_UNSURE]
    more = f" Most suspicious: {listed(others, where)}." if others else ""
    return [Section("cause", f"{UNKNOWN} Nothing shows which line is wrong.{more}")]


def listed(suspects: Sequence[Suspect], where: Callable[[str, int], str]) -> str:
    """Formats suspects on one line, each with its reason. `where` formats a file and line as code."""
    return "; ".join(f"{where(s.file, s.line)} ({s.reason})" for s in suspects)


def output_and_deeds(case: StopSnapshot, tail: str, level: int) -> Iterator[str]:
    """Yields the end of the output, the edited values and the user's last actions.

    Higher levels, from 0 to 3, give shorter texts.
    """
    size = (300, 120, 40, 0)[level]
    if tail.strip():
        mark = "... " if len(tail) > size else ""
        yield f"output: {mark}{tail[-size:].strip()}" if size else f"output: ... {len(tail)} characters"
    if case.edited:
        yield f"not computed by the program: {' '.join(case.edited)}"
    if case.history:
        shown = case.history[-(6, 3, 1, 1)[level] :]
        did = (f"{h.text}{f' -> {cut(h.result, 60)}' if h.result else ''}" for h in shown)
        yield "the user did: " + "; ".join(did)
