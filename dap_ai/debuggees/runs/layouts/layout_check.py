"""Checks whether a layout fits a file, and previews the resulting run."""

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
"""Minimum share of the characters of a file's strings that a layout must map, 0 to 1."""
_MOST_TOLD = 5
_PREVIEW_CHARS = 100


class LayoutCheck(msgspec.Struct, frozen=True):
    """Result of checking a layout against a file."""

    run: Run | None
    """Run that the layout makes of the file, or None if the file could not be read."""
    reached: float
    """Share of the characters of the file's strings that the layout maps, 0 to 1."""
    faults: Sequence[str]
    """Reasons why the layout does not fit this file; empty if the layout fits."""
    missed: Sequence[tuple[str, int]] = ()
    """Paths of the largest strings that the layout does not map, with number of characters, largest first."""

    @property
    def is_good(self) -> bool:
        """Whether the layout fits and may be saved."""
        return not self.faults


def check(layout: Layout, path: Path) -> LayoutCheck:
    """Read the file twice with the layout and check the result.

    The file's contents never raise an error.
    """
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
    """Return a fault if events of the file share an id.

    Several events of a run may be made from one event of the file.
    """
    places: dict[str, set[tuple[tuple[int, int] | None, str]]] = {}
    for event in run.events:
        if event.native_id:
            places.setdefault(event.native_id, set()).add((event.ref.lines, event.ref.pointer))
    twice = sorted(native for native, found in places.items() if len(_apart(found)) > 1)
    shown = ", ".join(repr(native) for native in twice[:_MOST_TOLD])
    return [f"{len(twice)} ids are not unique: {shown}"] if twice else []


def _apart(places: Iterable[tuple[tuple[int, int] | None, str]]) -> list[tuple[tuple[int, int] | None, str]]:
    """Return the places that are not inside another place. For example, a call is inside its event."""
    kept: list[tuple[tuple[int, int] | None, str]] = []
    for lines, pointer in sorted(places, key=lambda place: len(place[1])):
        if not any(lines == outer and pointer.startswith(f"{start}/") for outer, start in kept):
            kept.append((lines, pointer))
    return kept


def _references(run: Run) -> list[str]:
    """Return a fault if the ref of any event does not resolve, and a fault if any event is not in the file."""
    try:
        file = artefact(Path(run.root), Ref())
    except CannotRead as error:
        return [str(error)]
    wrong = [told for event in run.events if (told := _unresolved(file, event.ref))]
    made_up = [problem.text for problem in run.problems if "makes up an event" in problem.text]
    return [f"{len(wrong)} events point to nothing: {wrong[0]}" for _ in wrong[:1]] + made_up[:1]


def _unresolved(file: Artefact, ref: Ref) -> str:
    """Return why a ref does not resolve to a passage of the file; empty if the ref resolves."""
    try:
        start, end = file.span(ref)
    except CannotRead as error:
        return str(error)
    return "" if start < end else f"{ref.pointer or ref.lines} is empty"


def preview(run: Run, steps: int = 10) -> list[str]:
    """Return the first `steps` steps of a run, one line each."""
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
