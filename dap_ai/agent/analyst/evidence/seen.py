"""What one recorded run of the failure shows: on what the failing value and the checks before it depended."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dap_ai.agent.analyst import assertions
from dap_ai.agent.analyst.evidence.dependence import DynamicSlice, slice_of
from dap_ai.agent.analyst.evidence.oddities import Oddity, atoms, oddities
from dap_ai.agent.analyst.evidence.record import Event, Record, Spot
from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.case.source import Sources
from dap_ai.protocol.contracts.snapshot import History

_MAX_PASSING = 6
_LEAST_ODD = 0.55


@dataclass
class Seen:
    """A run that failed as the program did."""

    record: Record
    failure: Event
    slice: DynamicSlice
    passing: Counter[Spot]
    """Of each line, how many checks that passed before depended on it."""
    oddities: list[Oddity]
    """The values that stand out, the most telling first."""

    @property
    def telling(self) -> list[Oddity]:
        """Those that stand out so much that they are a reason to suspect the line that made them."""
        return [odd for odd in self.oddities if odd.weight >= _LEAST_ODD]


def seen_in(history: History, sources: Sources, diagnosis: Diagnosis) -> Seen | None:
    """What a run shows; None where the failing statement is not in its record."""
    place = diagnosis.place
    record = Record(history, sources)
    failure = record.end(place.frame.path, place.statement) if place.statement else None
    if failure is None:
        return None
    sliced = slice_of(record, failure, diagnosis.roots)
    odd = oddities(record, sliced, _disputed(diagnosis))
    return Seen(record, failure, sliced, _passing(record, failure), odd)


def _disputed(diagnosis: Diagnosis) -> set[str]:
    """The literals of what was found and not expected; of a crash, a None that is in its values."""
    place, statement = diagnosis.place, diagnosis.place.statement
    sides: list[ast.expr] = []
    match statement:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            sides = [left, right]
        case ast.Expr(value=ast.Call(args=[left, right, *_])) if assertions.called(statement):
            sides = [left, right]
        case _:
            texts = [v.text for c in diagnosis.cited if (v := place.value(c.expression))]
            return {"None"} & {atom for text in texts for atom in atoms(text)}
    found = [value.text if (value := place.value(side)) else _written(side) for side in sides]
    return atoms(found[0]) ^ atoms(found[1]) if all(found) else set()


def _written(side: ast.expr) -> str:
    return repr(side.value) if isinstance(side, ast.Constant) else ""


def is_check(statement: ast.stmt) -> bool:
    """Whether a statement demands something: `assert`, or a test's `assertEqual(...)`."""
    return isinstance(statement, ast.Assert) or assertions.called(statement) is not None


def _passing(record: Record, failure: Event) -> Counter[Spot]:
    found: Counter[Spot] = Counter()
    for check in _checks(record.until(failure), failure)[-_MAX_PASSING:]:
        found.update(set(slice_of(record, check).lines()))
    return found


def _checks(events: Sequence[Event], failure: Event) -> list[Event]:
    """The demands that were met, other than the one that failed."""
    return [e for e in events if is_check(e.statement) and e.statement is not failure.statement]
