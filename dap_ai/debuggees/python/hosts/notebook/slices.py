"""Computes slices over executed cells: the statements that contributed to a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from dap_ai.debuggees.python.hosts.notebook.cell_statements import CellStatement


@dataclass
class CellSlice:
    """The statements that contributed to a name's value.

    `picked`: their indices in order of execution; `made`: the index of the last statement that bound the name, or None.
    """

    name: str
    picked: list[int] = field(default_factory=list[int])
    made: int | None = None
    stale: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    """(name, index of the statement that uses it, later index that rebinds it): the slice has the name's old value."""


def slice_of(
    names: str | Sequence[str], steps: Sequence[CellStatement], *, before: int | None = None, same: Collection[str] = ()
) -> CellSlice:
    """Returns the slice of names as of the statement with index `before`; None means as of now.

    `same`: other names of the same object; changes through these names count as well.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    end = len(steps) if before is None else before
    found, seen = CellSlice(", ".join(wanted)), set[tuple[str, int]]()
    picked = set[int]()
    queue = [(name, end) for name in wanted]
    while queue:
        name, at = queue.pop()
        if (name, at) in seen:
            continue
        seen.add((name, at))
        for index in _makers(name, steps, at, same if name in wanted else ()):
            if found.made is None and name in wanted and name in steps[index].binds:
                found.made = index
            if index not in picked:
                picked.add(index)
                queue += [(used, index) for used in steps[index].uses | steps[index].changes]
    found.picked = sorted(picked)
    found.stale = sorted(_stale(found.picked, steps, wanted), key=lambda row: row[1:])
    return found


def _makers(name: str, steps: Sequence[CellStatement], before: int, same: Collection[str] = ()) -> Iterator[int]:
    """Yields indices of statements that made the name's value, latest first.

    These are the last statement that bound the name, and the later ones that may have changed the value.
    """
    for index in range(before - 1, -1, -1):
        step = steps[index]
        if name in step.binds or name in step.changes or step.star or not step.changes.isdisjoint(same):
            yield index
        if name in step.binds and name not in step.changes:
            return


def _stale(
    picked: Sequence[int], steps: Sequence[CellStatement], wanted: Sequence[str]
) -> Iterator[tuple[str, int, int]]:
    known = set(picked)
    for index in picked:
        for name in steps[index].uses - steps[index].binds:
            if name in wanted or not any(name in steps[k].binds for k in picked if k < index):
                continue
            later = (k for k in range(index + 1, len(steps)) if name in steps[k].binds and k not in known)
            anew = next(later, None)
            if anew is not None and steps[anew].text != _maker_text(name, steps, index):
                yield name, index, anew


def _maker_text(name: str, steps: Sequence[CellStatement], before: int) -> str:
    return next((steps[k].text for k in _makers(name, steps, before)), "")
