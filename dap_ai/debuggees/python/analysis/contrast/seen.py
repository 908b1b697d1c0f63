"""What one recorded run of the failure shows: on what the failing value and the checks before it depended."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dap_ai.agent.case.values import MISSING, literal_in
from dap_ai.agent.source.source import Sources
from dap_ai.debuggees.python.analysis.contrast.oddities import Oddity, atoms, oddities
from dap_ai.debuggees.python.analysis.failure.demands import demand_of, method_call
from dap_ai.debuggees.python.analysis.failure.facts import Diagnosis
from dap_ai.debuggees.python.analysis.record.record import Event, Record, Spot
from dap_ai.debuggees.python.analysis.slice.dependence import DynamicSlice, slice_of
from dap_ai.debuggees.python.analysis.syntax.definitions import called_name
from dap_ai.protocol.contracts.snapshot import History

_MAX_PASSING, _MAX_EVENTS = 6, 500
"""So many of the checks that were met are looked at, and of what each depended on."""
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
    compared: tuple[str, str] | None = None
    """The texts of the two sides of a failed comparison, where both are known."""

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
    compared = _compared(record, failure, diagnosis)
    odd = oddities(record, sliced, _disputed(diagnosis, compared))
    return Seen(record, failure, sliced, _passing(record, failure), odd, compared)


def _compared(record: Record, failure: Event, diagnosis: Diagnosis) -> tuple[str, str] | None:
    """The texts of what a failed comparison compares; None: it is none, or one of them is not known."""
    if diagnosis.compared:
        return diagnosis.compared
    sides = demand_of(diagnosis.place.statement).sides
    one, other = (_text(record, failure, diagnosis, side) for side in sides) if len(sides) == 2 else ("", "")
    return (one, other) if one and other else None


def _text(record: Record, failure: Event, diagnosis: Diagnosis, side: ast.expr) -> str:
    """A value as the stop holds it, as it is written, or as the only call of the function returned it in the run."""
    if value := diagnosis.place.value(side):
        return value.text
    if isinstance(side, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
        return "" if literal_in(side) is MISSING else ast.unparse(side)
    name = called_name(side) if isinstance(side, ast.Call) else ""
    runs = [run for run in record.calls(failure) if run.name == name]
    return runs[0].traced.result if len(runs) == 1 and not _suspends(runs[0].scope) else ""


def _suspends(scope: ast.AST) -> bool:
    """Whether a call of it gives a generator or a coroutine, not what it returns."""
    yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(scope))
    return yields or isinstance(scope, ast.AsyncFunctionDef)


def _disputed(diagnosis: Diagnosis, compared: tuple[str, str] | None) -> set[str]:
    """The literals of what was found and not expected; of a crash, a None that is in its values."""
    if compared:
        left, right = map(atoms, compared)
        wanted = [diagnosis.is_literal(side) for side in demand_of(diagnosis.place.statement).sides]
        return left - right if wanted == [False, True] else right - left if wanted == [True, False] else left ^ right
    if diagnosis.place.statement is None or is_check(diagnosis.place.statement):
        return set()
    texts = [v.text for c in diagnosis.cited if (v := diagnosis.place.value(c.expression))]
    return {"None"} & {atom for text in texts for atom in atoms(text)}


def is_check(statement: ast.stmt | None) -> bool:
    """Whether a statement demands something: `assert`, or a test's `assertEqual(...)`."""
    return isinstance(statement, ast.Assert) or method_call(statement) is not None


def _passing(record: Record, failure: Event) -> Counter[Spot]:
    found: Counter[Spot] = Counter()
    for check in _checks(record.until(failure), failure)[-_MAX_PASSING:]:
        found.update(set(slice_of(record, check, max_events=_MAX_EVENTS).lines()))
    return found


def _checks(events: Sequence[Event], failure: Event) -> list[Event]:
    """The demands that were met, other than the one that failed."""
    return [e for e in events if is_check(e.statement) and e.statement is not failure.statement]
