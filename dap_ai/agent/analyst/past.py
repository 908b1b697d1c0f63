"""The values that names of a frame had, one after the other, as a run of the failure in a copy shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_ai.agent.analyst.edits import shorten
from dap_ai.agent.analyst.runs import Control
from dap_ai.agent.case.stack import Place
from dap_ai.agent.case.values import cut
from dap_ai.protocol.contracts.snapshot import Changed

_MAX_ROWS, _MAX_CHARS, _FIRST = 6, 60, 3


def histories(control: Control, names: Sequence[str], place: Place, root: str) -> str:
    """A row for each line of the frame's function that gave one of the names a value; empty if none did."""
    rows = [f"- {row}" for row in _rows(control, names, place, root)]
    head = f"**Values it had.** When {control.check.words} is run again in a copy of the process:"
    return "\n\n".join([head, "\n".join(rows[:_MAX_ROWS])]) if rows else ""


def _rows(control: Control, names: Sequence[str], place: Place, root: str) -> Iterator[str]:
    source = place.source
    for traced in control.trace.lines:
        if source is None or traced.file != source.path or source.scope_at(traced.line) is not place.scope:
            continue
        for change in traced.changes:
            if change.name in names and change.texts:
                times = "once" if change.count == 1 else f"{change.count} times"
                spot = f"`{shorten(traced.file, root)}:{traced.line}`"
                yield f"{spot} set `{change.name}` {times}: {_folded(change)}"


def _folded(change: Changed) -> str:
    texts = [f"`{cut(text, _MAX_CHARS)}`" for text in change.texts]
    if change.count > len(texts) > _FIRST:
        texts.insert(_FIRST, "...")
    return " -> ".join(texts)
