"""Collects evidence for a fix beyond the failed check. A fix without such evidence is not shown."""

from __future__ import annotations

import ast

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import ScopeNode
from dap_ai.debuggees.python.analysis.contrast.failure_record import is_check
from dap_ai.debuggees.python.analysis.experiments.hiding import literals
from dap_ai.debuggees.python.analysis.failure.assertion_demands import demand_of
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trial, Trials
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.executions import line_counts
from dap_ai.protocol.contracts.snapshot_messages import RunTrace

_LEAST_WEIGHT = 0.3
"""Minimum weight of a rule's finding that counts as evidence for a change to its line."""
_LACKS_NAME = ("NameError", "UnboundLocalError", "AttributeError")
_NAMES = ("name", "unused name", "attribute")


def prove(analysis: StopAnalysis, trials: Trials) -> None:
    """Set `Trial.proof` of each passing fix to a clause on its further evidence, or to an empty string."""
    for trial in trials.tried:
        if trial.passes and not trial.doubt:
            trial.proof = _proof(analysis, trials, trial)


def _proof(analysis: StopAnalysis, trials: Trials, trial: Trial) -> str:
    known = analysis.finding_at(*trial.place)
    if trial.candidate.reason:
        return "a rule says why"
    if trial.verified and known and known.weight >= _LEAST_WEIGHT and not trials.unlike(trial):
        return "a rule points to its line"
    error = analysis.case.exception
    if trial.at_failure and error and error.type in _LACKS_NAME and trial.candidate.kind in _NAMES:
        return "it puts a name that there is in the place of one that there is not"
    if not trial.verified:
        return ""
    if trial.beside:
        return trial.beside
    before = analysis.seen.passing[trial.place] if analysis.seen else 0
    if count := before + _after(analysis, trial, trials.usable[-1]):
        one = "1 other check that depends on the changed line passes, too"
        return one if count == 1 else f"{count} other checks that depend on the changed line pass, too"
    statement = analysis.diagnosis.place.statement
    if not isinstance(statement, ast.Raise) and not (is_check(statement)):
        return "" if trials.unlike(trial) else "no change with another effect passes"
    elsewhere = any(t.verified and not t.doubt and _scope(t) != _scope(trial) for t in trials.tried)
    odd = analysis.seen.strong_anomalies if analysis.seen else []
    is_data = any(each.event.spot != trial.place for each in odd)  # anomalous data cannot be explained by a code change
    if elsewhere or _brings(trial.candidate.edit):
        return ""
    # `a < 10` or the condition of a `raise` accepts many wrong values.
    return "no change to another function passes" if demand_of(statement).relation == "==" and not is_data else ""


def _scope(trial: Trial) -> tuple[str, ScopeNode | None]:
    source = trial.candidate.edit.source
    return source.path, source.scope_at(trial.candidate.line)


def _brings(edit: SourceEdit) -> bool:
    """Whether the edit adds a statement or constant: some added constant can satisfy any single check."""
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    return edit.growth > 0 or bool(literals(edit.lines) - literals(old))


def _after(analysis: StopAnalysis, trial: Trial, control: Control) -> int:
    """Return how many checks ran only with the fix. Return 0 if no line of the fix ran more often than before."""
    edit, source = trial.candidate.edit, analysis.case.places[0].source
    trace = (trial.outcome and trial.outcome.trace) or RunTrace()
    now = line_counts(trace)
    spots = [(edit.source.path, n) for n in range(edit.first, max(edit.first, edit.last) + 1)]
    if source is None or (edit.growth and source is edit.source):
        return 0
    if all(now.get(spot, 0) <= control.counts.get(spot, 0) for spot in spots):
        return 0
    keys = [(source.path, s.lineno) for s in source.index.statements if is_check(s)]
    return sum(key in now and key not in control.counts for key in keys)
