"""Updates the ranking with evidence from reruns of the failure in copies of the process."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.debuggees.python.analysis.contrast.anomalies import Anomaly
from dap_ai.debuggees.python.analysis.contrast.failure_record import FailureRecord, failure_record, is_check
from dap_ai.debuggees.python.analysis.contrast.spectrum import share, spectrum
from dap_ai.debuggees.python.analysis.failure.assertion_demands import demand_of, unmet
from dap_ai.debuggees.python.analysis.failure.assertions import sides_of
from dap_ai.debuggees.python.analysis.failure.exception_messages import difference_in
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.enclosing import is_of_test
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import SlicePart
from dap_ai.system.texts import code

_MAX_TEXT = 60
_PARTS = {
    "sets": "sets {}",
    "changes": "changes {}",
    "passes": "passes the argument {}",
    "returns": "returns the result of {}",
    "writes": "writes {}",
    "calls": "calls {}",
    "ends": "is where {} ended",
    "decides": "decided which way was taken",
}
_NO_STEPS = ast.Import | ast.ImportFrom | ast.ClassDef | FunctionNode


def update_ranking(
    analysis: StopAnalysis, controls: Sequence[Control], neighbours: NeighbourTests | None = None
) -> None:
    """Add the lines that the failing value depended on, and raise those where an anomalous value first appeared.

    With neighbour tests, also raise the lines that only failing tests run.
    """
    seen = analysis.seen = widest_record(controls, analysis.case, analysis.diagnosis)
    if seen is not None:
        _apply_record(analysis, seen)
    if neighbours is not None:
        apply_spectrum(analysis, controls, neighbours)


def _apply_record(analysis: StopAnalysis, seen: FailureRecord) -> None:
    for spot, part in seen.slice.lines().items():
        if part.distance and not isinstance(part.event.statement, _NO_STEPS) and not is_check(part.event.statement):
            analysis.scores.setdefault(spot, _depended(analysis.case, part))
            analysis.reasons.setdefault(spot, _PARTS[part.role].format(code(part.name)))
    _clear(analysis, seen)
    _heed(analysis, seen)
    _compare(analysis, seen)


def apply_spectrum(analysis: StopAnalysis, controls: Sequence[Control], neighbours: NeighbourTests) -> None:
    """Raise lines that only failing tests run, lower the others, and drop lines that the failing test did not run.

    Code outside functions and a function's head run before the test, so these lines are lowered and never dropped.
    """
    if not neighbours.compare:
        return
    before = analysis.scores
    last = {(each.file, each.line): each.last for control in controls for each in control.trace.lines}
    found = spectrum(analysis.case, before, last, neighbours)
    scale = max(before.values(), default=WEIGHTS.suspected) / max(found.values(), default=1.0)
    others = {spot: score * WEIGHTS.not_run for spot, score in before.items() if not _is_within(analysis.case, spot)}
    analysis.scores = others | {spot: score * scale for spot, score in found.items()}
    for spot in found:
        analysis.reasons.setdefault(spot, neighbours.describe_line(spot))
    analysis.share = partial(share, analysis.case, neighbours)
    analysis.order()


def _is_within(case: StopSnapshot, spot: tuple[str, int]) -> bool:
    source = case.sources.read(spot[0])
    function = source.function_at(spot[1]) if source else None
    return function is not None and spot[1] > function.lineno


def _clear(analysis: StopAnalysis, seen: FailureRecord) -> None:
    """Lower the score of a line on which passed checks depended, if the failing value did not depend on it."""
    for spot in set(analysis.scores) & set(seen.passing) - set(seen.slice.lines()):
        analysis.scores[spot] *= WEIGHTS.cleared
        analysis.founded.discard(spot)


def _compare(analysis: StopAnalysis, seen: FailureRecord) -> None:
    """Put a sentence such as `` `f(x)` is `[]`, not `[1]` `` first if only the rerun shows what `f(x)` returned."""
    case, diagnosis = analysis.case, analysis.diagnosis
    demand = demand_of(diagnosis.place.statement)
    if seen.compared and diagnosis.compared is None and demand.relation == "==":
        message = case.exception.message if case.exception else ""
        sides = sides_of(case, diagnosis, demand, seen.compared)
        diagnosis.sentences[:1] = [f"{unmet('==', sides, difference_in(case.hide(message)))}."]


def _depended(case: StopSnapshot, part: SlicePart) -> float:
    run = part.event.run
    score = WEIGHTS.depended * WEIGHTS.further**part.distance
    score *= WEIGHTS.at_module if isinstance(run.scope, ast.Module) else 1.0
    return score * (WEIGHTS.of_test if is_of_test(case, run.source.path, run.name) else 1.0)


def _heed(analysis: StopAnalysis, seen: FailureRecord) -> None:
    strong = seen.strong_anomalies
    for odd in seen.oddities:
        spot = odd.event.spot
        analysis.scores[spot] = 1 - (1 - analysis.scores.get(spot, 0.0)) * (1 - WEIGHTS.odd * odd.weight)
        known = analysis.finding_at(*spot)
        if odd in strong and (known is None or known.weight < odd.weight):
            analysis.blame(spot, describe_anomaly(odd))
        analysis.reasons.setdefault(spot, describe_anomaly(odd))
    frame = analysis.diagnosis.place.frame
    failed = frame.path, frame.line
    if failed in analysis.scores and strong and all(o.event.spot != failed for o in strong):
        analysis.scores[failed] *= WEIGHTS.noticed


def describe_anomaly(odd: Anomaly) -> str:
    """Return a sentence such as: `amount` became `nan` (the first `nan` of the run), in round 2: `row` is `{...}`."""
    verb = "got" if odd.is_part else "returned" if odd.name.endswith("()") else "became"
    head = f"{code(odd.name)} {verb} {code(cut(odd.text, _MAX_TEXT))} ({odd.why})"
    return f"{head}, in {odd.datum}" if odd.datum else head


def widest_record(controls: Sequence[Control], case: StopSnapshot, diagnosis: Diagnosis) -> FailureRecord | None:
    """Return the record of the widest run that failed at the same place as the program, or None."""
    for control in reversed(controls):
        history = control.trace.history if control.usable or control.fails_there else None
        seen = failure_record(history, case.sources, diagnosis) if history else None
        if seen is not None:
            return seen
    return None
