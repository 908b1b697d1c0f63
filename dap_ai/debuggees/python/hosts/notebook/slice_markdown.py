"""Renders a slice as Markdown: the cells in order of execution, with later edits, deletions and moves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import groupby, pairwise

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell
from dap_ai.debuggees.python.hosts.notebook.cell_statements import CellStatement
from dap_ai.debuggees.python.hosts.notebook.slices import CellSlice
from dap_ai.system.texts import code

_MAX_LINES = 12
"""Maximum lines shown of one statement; a longer statement is cut after these lines."""

Live = Callable[[str], str]
"""A function that returns a name's current value as a short text, or an empty string if the name has no value."""


class Since:
    """Knows which cells were rerun, edited, deleted or moved since they ran."""

    def __init__(self, cells: Sequence[Cell], deleted: Collection[str], saved: dict[str, str] | None = None) -> None:
        """`saved` maps cell ids to source in the notebook's file; None if unknown."""
        self._latest = {cell.id: cell for cell in cells if cell.id}
        self._deleted, self._saved = deleted, saved
        places = list(saved or ())
        self._place = {cell_id: index for index, cell_id in enumerate(places)}

    def edited(self, cell: Cell) -> str:
        """Returns a note if the cell's source has changed since it ran; empty if no change is known."""
        latest = self._latest.get(cell.id)
        if latest and latest.number > cell.number and latest.raw.strip() != cell.raw.strip():
            return f"an earlier text of this cell, which ran again as {latest.name}"
        now = (self._saved or {}).get(cell.id)
        if latest is cell and now is not None and now.strip() != cell.raw.strip():
            return "an earlier text of this cell, which has been edited since and not run"
        return ""

    def gone(self, cell: Cell) -> bool:
        """Whether the notebook no longer has this cell."""
        if not cell.id:
            return False
        return cell.id in self._deleted or (bool(self._saved) and bool(self._place) and cell.id not in self._place)

    def below(self, first: Cell, second: Cell) -> bool:
        """Whether the first cell stands below the second in the notebook."""
        one, other = self._place.get(first.id), self._place.get(second.id)
        return one is not None and other is not None and one > other


def slice_markdown(found: CellSlice, steps: Sequence[CellStatement], since: Since, live: Live) -> str:
    """Returns a slice as Markdown: the value, the code by cell, and notes."""
    if not found.picked:
        return f"No cell that ran here has made {code(found.name)}."
    return "\n\n".join([_head(found, steps, since, live), _code(found, steps, since), *_notes(found, steps, since)])


def _head(found: CellSlice, steps: Sequence[CellStatement], since: Since, live: Live) -> str:
    if found.made is None:
        return f"**{code(found.name)}** was bound by no statement of its own here; what it may come from:"
    step = steps[found.made]
    value = live(found.name)
    is_now = f" is {code(value)}" if value else ""
    by = since.edited(step.cell) and f" It was made by {since.edited(step.cell)}."
    return f"**{code(found.name)}**{is_now}, made at {code(f'{step.cell.name}:{step.first}')}.{by}"


def _code(found: CellSlice, steps: Sequence[CellStatement], since: Since) -> str:
    """Returns one code block, with a comment before each cell's code."""
    rows: list[str] = []
    for _, group in groupby((steps[k] for k in found.picked), lambda step: step.cell.number):
        picked = list(group)
        cell = picked[0].cell
        marks = ["deleted since"] if since.gone(cell) else []
        marks += ["an earlier text of this cell"] if since.edited(cell) and not marks else []
        marks += [f"failed at line {cell.failed_at}"] if cell.failed_at else []
        rows.append(f"# {cell.name}" + "".join(f", {mark}" for mark in marks))
        rows += [line for step in picked for line in _short(step)]
        rows.append("")
    return "```python\n" + "\n".join(rows).rstrip() + "\n```"


def _short(step: CellStatement) -> list[str]:
    lines = step.text.splitlines()
    left = len(lines) - _MAX_LINES
    return lines if left <= 1 else [*lines[:_MAX_LINES], f"    # ... {left} lines more"]


def _notes(found: CellSlice, steps: Sequence[CellStatement], since: Since) -> list[str]:
    cells = list({steps[k].cell.number: steps[k].cell for k in found.picked}.values())
    notes = [
        f"- {code(name)} has been bound anew since, at {code(f'{steps[anew].cell.name}:{steps[anew].first}')}: "
        f"{code(steps[used].cell.name)} ran with what it was before."
        for name, used, anew in found.stale
    ]
    for cell in cells:
        if since.gone(cell):
            notes.append(f"- {code(cell.name)} has been deleted since: what it made is still there.")
        elif edited := since.edited(cell):
            notes.append(f"- {_made(found, steps, cell)} was made by {edited} ({code(cell.name)}).")
    notes += [
        f"- {code(one.name)} ran before {code(other.name)}, and stands below it in the notebook."
        for one, other in pairwise(cells)
        if since.below(one, other)
    ]
    if any(steps[k].star for k in found.picked):
        notes.append("- `from ... import *` may have bound any name.")
    return ["\n".join(notes)] if notes else []


def _made(found: CellSlice, steps: Sequence[CellStatement], cell: Cell) -> str:
    names = [n for k in found.picked if steps[k].cell is cell for n in sorted(steps[k].binds | steps[k].changes)]
    return ", ".join(map(code, dict.fromkeys(names or [found.name])))
