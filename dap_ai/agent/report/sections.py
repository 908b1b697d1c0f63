"""Sections of an answer that all debuggee kinds share, such as the chain of causes and the root cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.report.wording import CAUSE, GUESS, WHY
from dap_ai.protocol.wire.ask_messages import Suspect

BACK = "Back from the failing line"
THE_FAILED_LINE = "the line that failed"
"""Start of a suspect's reason if the suspect is the failing line itself."""


def where(case: StopSnapshot, file: str, line: int) -> str:
    """Formats a file and line as code: `shop.py:12`."""
    return f"`{shorten(file, case.inspection.cwd)}:{line}`"


def quote(place: FramePlace) -> str:
    """Returns a frame's current line as a code block."""
    source = place.source
    return source.block(f"{place.frame.line}  {source.line(place.frame.line).strip()}") if source else "(no source)"


def chain_of(links: list[str], head: str = BACK) -> str:
    """Returns the section *Why* with the links of a chain of causes, nearest first; empty without links."""
    rows = "\n".join(f"{n}. {link}" for n, link in enumerate(links, 1))
    return f"{WHY} {head}:\n\n{rows}" if rows else ""


def cause_of(
    case: StopSnapshot, suspects: Sequence[Suspect], where: Callable[[str, int], str], is_sure: Callable[[], bool]
) -> str:
    """Returns the section *Root cause* for suspects, most suspicious first.

    `where` formats a file and line as code.
    """
    if not suspects:
        return f"{CAUSE} Nothing stands out in the code that was read."
    first, *others = suspects
    source = case.sources.read(first.file)
    code = source.block(f"{first.line}  {source.line(first.line).strip()}") if source else "(no source)"
    end = "" if first.reason.endswith(("?", "!")) else "."
    text = f"{CAUSE if is_sure() else GUESS} {where(first.file, first.line)}: {first.reason}{end}\n\n{code}"
    return f"{text}\n\nOther suspects: {listed(others, where)}." if others else text


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
