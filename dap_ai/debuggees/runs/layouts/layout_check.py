"""Whether a layout may be trusted with a file, and what it makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dap_ai.debuggees.runs.layouts.layout_model import Layout
from dap_ai.debuggees.runs.layouts.layout_reader import read
from dap_ai.debuggees.runs.refs import Artefact, artefact
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Ref, Run, RunStep, steps_of
from dap_ai.system.texts import cut

LEAST_REACHED = 0.95
"""Of the characters of text of a file."""
_MOST_TOLD = 5
_PREVIEW_CHARS = 100


class LayoutCheck(msgspec.Struct, frozen=True):
    """What came of a check."""

    run: Run | None
    """None where nothing could be read."""
    reached: float
    """The share of the file's text that the layout finds, 0 to 1."""
    faults: Sequence[str]
    """Why the layout cannot be trusted with this file; none: it can."""
    missed: Sequence[tuple[str, int]] = ()
    """Where text stands that is not reached, and how many characters; the most first."""

    @property
    def is_good(self) -> bool:
        """Whether the layout may be kept."""
        return not self.faults


def check(layout: Layout, path: Path) -> LayoutCheck:
    """Reads the file twice by the layout and looks at what came of it. Never raises for what the file holds."""
    try:
        found, again = read(path, layout), read(path, layout)
    except CannotRead as error:
        return LayoutCheck(None, 0.0, [str(error)])
    reached = found.reached / found.total if found.total else 0.0
    faults = [*_ids(found.run), *_references(found.run)]
    if not steps_of(found.run):
        faults.append("no event is a response or a call, so the run has no step")
    if reached < LEAST_REACHED:
        most = ", ".join(f"{place} ({chars})" for place, chars in found.missed[:_MOST_TOLD])
        faults.append(f"only {reached:.1%} of the text is reached, not {LEAST_REACHED:.0%}; most is missed at {most}")
    if again.run.events != found.run.events:
        faults.append("reading it once more gives another run")
    return LayoutCheck(found.run, reached, faults, found.missed[:_MOST_TOLD])


def _ids(run: Run) -> list[str]:
    """Ids that more than one event of the file has; several events of a run may come from one of the file."""
    places: dict[str, set[tuple[tuple[int, int] | None, str]]] = {}
    for event in run.events:
        if event.native_id:
            places.setdefault(event.native_id, set()).add((event.ref.lines, event.ref.pointer))
    twice = sorted(native for native, found in places.items() if len(_apart(found)) > 1)
    shown = ", ".join(repr(native) for native in twice[:_MOST_TOLD])
    return [f"{len(twice)} ids are not unique: {shown}"] if twice else []


def _apart(places: Iterable[tuple[tuple[int, int] | None, str]]) -> list[tuple[tuple[int, int] | None, str]]:
    """Places without those within another of them: a call stands within its event."""
    kept: list[tuple[tuple[int, int] | None, str]] = []
    for lines, pointer in sorted(places, key=lambda place: len(place[1])):
        if not any(lines == outer and pointer.startswith(f"{start}/") for outer, start in kept):
            kept.append((lines, pointer))
    return kept


def _references(run: Run) -> list[str]:
    """Events whose reference points to nothing."""
    try:
        file = artefact(Path(run.root), Ref())
    except CannotRead as error:
        return [str(error)]
    wrong = [told for event in run.events if (told := _unresolved(file, event.ref))]
    made_up = [problem.text for problem in run.problems if "makes up an event" in problem.text]
    return [f"{len(wrong)} events point to nothing: {wrong[0]}" for _ in wrong[:1]] + made_up[:1]


def _unresolved(file: Artefact, ref: Ref) -> str:
    """Why a reference points to nothing; "" where it points to something."""
    try:
        start, end = file.span(ref)
    except CannotRead as error:
        return str(error)
    return "" if start < end else f"{ref.pointer or ref.lines} is empty"


def preview(run: Run, steps: int = 10) -> list[str]:
    """The first steps of a run, a line each."""
    return [_line(step) for step in steps_of(run)[:steps]]


def _line(step: RunStep) -> str:
    said = _short(step.response.text or step.response.reasoning) if step.response else ""
    called = ""
    if step.call:
        given = step.call.text or msgspec.json.encode(step.call.arguments or {}).decode()
        called = f"{step.call.tool or '(no tool)'}: {_short(given)}"
    brought = ""
    if step.result:
        code = f" (exit {step.result.exit_code})" if step.result.exit_code is not None else ""
        brought = f"-> {_short(step.result.text)}{code}"
    return f"{step.number:>4}  " + "  ".join(filter(None, (said, called, brought)))


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _PREVIEW_CHARS)
