"""Extracts evidence from one recorded run of the failure: what the failing value and earlier checks depended on."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dap_ai.agent.case.value_texts import MISSING, literal_in
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.python.analysis.contrast.anomalies import Anomaly, anomalies, atoms
from dap_ai.debuggees.python.analysis.failure.assertion_demands import demand_of, method_call
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.record.trace_record import Spot, StatementRun, TraceRecord
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import DynamicSlice, slice_of
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, yields
from dap_ai.protocol.contracts.snapshot_messages import StepHistory

_MAX_PASSING, _MAX_EVENTS = 6, 500
"""Maximum number of passed checks to examine, and maximum number of events in the slice of a check."""
_LEAST_ODD = 0.55


@dataclass
class FailureRecord:
    """The evidence from a recorded run that failed the same way as the program."""

    record: TraceRecord
    failure: StatementRun
    slice: DynamicSlice
    passing: Counter[Spot]
    """(file, line) -> number of earlier, passed checks that depended on the line."""
    oddities: list[Anomaly]
    """The values that stand out, strongest first."""
    compared: tuple[str, str] | None = None
    """The texts of both sides of a failed comparison; None if a side is unknown or nothing is compared."""

    @property
    def strong_anomalies(self) -> list[Anomaly]:
        """The unusual values that are strong enough evidence to suspect the lines that made them."""
        return [odd for odd in self.oddities if odd.weight >= _LEAST_ODD]


def failure_record(history: StepHistory, sources: Sources, diagnosis: Diagnosis) -> FailureRecord | None:
    """Return the evidence from one recorded run, or None if the failing statement did not run in it."""
    place = diagnosis.place
    record = TraceRecord(history, sources)
    failure = record.end(place.frame.path, place.statement) if place.statement else None
    if failure is None:
        return None
    sliced = slice_of(record, failure, diagnosis.roots)
    compared = _compared(record, failure, diagnosis)
    odd = anomalies(record, sliced, _disputed(diagnosis, compared))
    return FailureRecord(record, failure, sliced, _passing(record, failure), odd, compared)


def _compared(record: TraceRecord, failure: StatementRun, diagnosis: Diagnosis) -> tuple[str, str] | None:
    """Return the texts of both sides of a failed comparison; None if a side is unknown or nothing is compared."""
    if diagnosis.compared:
        return diagnosis.compared
    sides = demand_of(diagnosis.place.statement).sides
    one, other = (_text(record, failure, diagnosis, side) for side in sides) if len(sides) == 2 else ("", "")
    return (one, other) if one and other else None


def _text(record: TraceRecord, failure: StatementRun, diagnosis: Diagnosis, side: ast.expr) -> str:
    """Return a value's text from the stop, the source or the function's only recorded call; empty if unknown."""
    if value := diagnosis.place.value(side):
        return value.text
    if isinstance(side, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
        return "" if literal_in(side) is MISSING else ast.unparse(side)
    name = called_name(side) if isinstance(side, ast.Call) else ""
    scopes = [(run, run.scope) for run in record.calls(failure) if run.name == name]
    # A generator function or coroutine function hands its caller a generator or coroutine, not its return value.
    given = [
        run.traced.result for run, scope in scopes if not (yields(scope) or isinstance(scope, ast.AsyncFunctionDef))
    ]
    return given[0] if len(scopes) == len(given) == 1 else ""


def _disputed(diagnosis: Diagnosis, compared: tuple[str, str] | None) -> set[str]:
    """Return the literals that a failed comparison found but did not expect.

    After a crash, return "None" if a value that the error message is about contains it.
    """
    if compared:
        left, right = map(atoms, compared)
        wanted = [diagnosis.is_literal(side) for side in demand_of(diagnosis.place.statement).sides]
        return left - right if wanted == [False, True] else right - left if wanted == [True, False] else left ^ right
    if diagnosis.place.statement is None or is_check(diagnosis.place.statement):
        return set()
    texts = [v.text for c in diagnosis.cited if (v := diagnosis.place.value(c.expression))]
    return {"None"} & {atom for text in texts for atom in atoms(text)}


def is_check(statement: ast.stmt | None) -> bool:
    """Whether a statement is a check: an `assert`, or a test method's call such as `assertEqual(...)`."""
    return isinstance(statement, ast.Assert) or method_call(statement) is not None


def _passing(record: TraceRecord, failure: StatementRun) -> Counter[Spot]:
    found: Counter[Spot] = Counter()
    for check in _checks(record.until(failure), failure)[-_MAX_PASSING:]:
        found.update(set(slice_of(record, check, max_events=_MAX_EVENTS).lines()))
    return found


def _checks(events: Sequence[StatementRun], failure: StatementRun) -> list[StatementRun]:
    """Return the events of checks that passed, without runs of the check that failed."""
    return [e for e in events if is_check(e.statement) and e.statement is not failure.statement]
