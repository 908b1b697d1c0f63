"""Checks in a rerun of the failure whether the mistake that a finding suspects happened."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from dap_ai.agent.case.value_texts import cut, literal_in
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, last_line, own_statements
from dap_ai.debuggees.python.analysis.failure.builtin_errors import wrong_result
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.rules.dropped_results import DROPPED, dropped_callee, failures
from dap_ai.debuggees.python.analysis.ranking.rules.guards import SKIP_NONE
from dap_ai.debuggees.python.analysis.ranking.rules.none_values import GIVES_NONE
from dap_ai.debuggees.python.analysis.ranking.rules.returns import IMPLICIT_NONE
from dap_ai.debuggees.python.analysis.ranking.rules.sharing import REPEATED
from dap_ai.debuggees.python.analysis.ranking.rules.ties import NO_ORDER
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.record.enclosing import whole_test
from dap_ai.debuggees.python.analysis.syntax.data_sources import calls_of
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_none
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, TracedCall, ValueChanges
from dap_ai.system.texts import code

_LIKELY = 0.8
"""Minimum prior of a change that is more often the fix than adding a forgotten `return`."""

_OF_A_FUNCTION = {IMPLICIT_NONE}
"""Rules whose evidence shows which function is wrong, but not which of its lines: perhaps a test should have been
true."""


def confirm_dynamically(analysis: StopAnalysis, trials: Trials) -> None:
    """Raise the score of each line whose finding the widest run confirms, and lower it if the run refutes this."""
    if not trials.usable:
        return
    trace = trials.usable[-1].trace
    for finding in [f for f in analysis.findings if f.rule in _LOOK]:
        seen = _LOOK[finding.rule](finding, analysis, trace)
        key = (finding.scope.source.path, finding.line)
        if seen:
            share = _of_failing_tests(finding, trials)
            finding.reason, finding.weight = seen, WEIGHTS.seen * share
            finding.seen = share == 1.0 and finding.rule not in _OF_A_FUNCTION and _is_judged(analysis, trials)
            analysis.blame(key, seen)
            _lift(analysis, finding, trials, share)
        elif seen == "" and key in analysis.scores:
            analysis.scores[key] *= WEIGHTS.not_seen
    _none_returned(analysis, trace)


def _is_judged(analysis: StopAnalysis, trials: Trials) -> bool:
    """Whether the stop is outside any test, or in a test that was compared with neighbour tests."""
    return whole_test(analysis.case) is None or (trials.neighbours is not None and trials.neighbours.compare)


def _none_returned(analysis: StopAnalysis, trace: RunTrace) -> None:
    """If a None failed, rank first the `return None` of a function that otherwise returns, or must return, a value."""
    error = analysis.case.exception
    if error is None or "NoneType" not in error.message:
        return
    must_not = wrong_result(error.message)
    ran = {(line.file, line.line) for line in trace.lines}
    for call in reversed(trace.calls):
        others = {c.result for c in trace.calls if (c.file, c.line) == (call.file, call.line) and c is not call}
        must = must_not and call.function.rpartition(".")[2] == must_not
        gave = call.result == "None" and (must or others - {"None", ""})
        source = analysis.case.sources.read(call.file) if gave else None
        function = source.function_starting(call.line) if source else None
        found = [(call.file, n.lineno) for n in own_statements(function) if _is_none(n)] if function else []
        seen = [key for key in found if key in ran and key in analysis.scores]
        if len(seen) == 1:
            analysis.blame(seen[0], f"{code(_call_text(call))} returned `None` in the run again")
            analysis.scores[seen[0]] = max(WEIGHTS.seen, 0.01 + max(analysis.scores.values()))
            return


def _is_none(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return) and (statement.value is None or is_none(statement.value))


def _of_failing_tests(finding: SuspectedMistake, trials: Trials) -> float:
    """Return how closely the finding's line is tied to failing tests, 0..1; 1 without test evidence."""
    tests, source = trials.neighbours, finding.scope.source
    statement = source.statement_at(finding.line)
    if tests is None or statement is None:
        return 1.0
    return max(tests.ochiai((source.path, line)) for line in range(statement.lineno, last_line(statement) + 1))


def _lift(analysis: StopAnalysis, finding: SuspectedMistake, trials: Trials, share: float) -> None:
    """Raise the finding's line above changes that merely passed, but not above a rule's passing fix."""
    key = (finding.scope.source.path, finding.line)
    held = trials.passing
    likely = any(t.candidate.reason and t.candidate.kind != SKIP_NONE for t in held) or (
        finding.rule == IMPLICIT_NONE and any(t.candidate.prior >= _LIKELY for t in held)
    )
    top = 0.0 if likely or share < 1 else 0.01 + max(analysis.scores.values(), default=0.0)
    analysis.scores[key] = max(analysis.scores.get(key, 0.0), WEIGHTS.seen * share**2, top)


def _confirm_none(finding: SuspectedMistake, _analysis: StopAnalysis, trace: RunTrace) -> str | None:
    """Return evidence that a name became None at the line.

    Return an empty string if no name became None, None if unknown.
    """
    changes, complete = _changes(finding, trace)
    for change in changes:
        if "None" in change.texts:
            return f"{finding.reason}: {code(change.name)} {_went(change)}"
    return "" if complete else None


def _changes(finding: SuspectedMistake, trace: RunTrace) -> tuple[list[ValueChanges], bool]:
    """Return the recorded values of the names that the line binds, and whether all values were recorded."""
    statement = finding.scope.source.statement_at(finding.line)
    names = set(bindings(statement)) if statement else set[str]()
    row = next((t for t in trace.lines if (t.file, t.line) == (finding.scope.source.path, finding.line)), None)
    changes = [change for change in row.changes if change.name in names] if row else []
    complete = bool(changes) and all(change.count <= len(change.texts) for change in changes)
    return changes, complete and not trace.truncated


def _none_repeated(finding: SuspectedMistake, _analysis: StopAnalysis, trace: RunTrace) -> str | None:
    """Return an empty string if the run shows that the container's items were never equal, else None."""
    changes, complete = _changes(finding, trace)
    return "" if complete and all(_items_differ(literal_in(text)) for c in changes for text in c.texts) else None


def _items_differ(made: Any) -> bool:
    """Whether all items of a list or dict differ; False for any other value."""
    if not isinstance(made, dict | list):
        return False
    items: list[Any] = [*(made.values() if isinstance(made, dict) else made)]
    return not any(one == other for one, other in combinations(items, 2))


def _went(change: ValueChanges) -> str:
    if len(change.texts) == 1:
        return "became `None` in the run again"
    texts = " -> ".join(code(cut(text, 30)) for text in change.texts)
    return f"went {texts} in the run again"


def _confirm_drop(finding: SuspectedMistake, analysis: StopAnalysis, trace: RunTrace) -> str | None:
    """Return evidence of the first call whose failure was discarded.

    Return an empty string if all calls worked, None if unknown.
    """
    callee = dropped_callee(finding.scope, finding.line, analysis.view)
    if callee is None or len(list(calls_of(analysis.view.resolver, callee))) != 1:
        return None  # a traced call may come from another line
    calls = _calls_to(callee, trace)
    failed = next((call for call in calls if call.result in failures(callee)), None)
    if failed is None:
        return "" if calls and not trace.truncated else None
    spot = f"{Path(finding.scope.source.path).name}:{finding.line}"
    advice = f"Look at the result in {code(spot)}: stop, skip or raise an error where it is {code(failed.result)}."
    analysis.diagnosis.advice.insert(0, advice)
    return f"{code(_call_text(failed))} returned {code(failed.result)} in the run again, and that is discarded here"


def _none_given(finding: SuspectedMistake, analysis: StopAnalysis, trace: RunTrace) -> str | None:
    """Return evidence of a call that reached the function's end without a `return`, or None."""
    node = finding.scope.node
    if not isinstance(node, FunctionNode) or finding.line != node.lineno:
        return None
    given = next((call for call in _calls_to(finding.scope, trace) if call.result == "None"), None)
    if given is None:
        return None
    means = f"`return` a value for it, or raise an error at the end of {code(node.name)}"
    analysis.diagnosis.advice.insert(0, f"Decide what {code(_call_text(given))} means: {means}.")
    return f"{code(_call_text(given))} returned `None` in the run again: it reached no `return`"


def _calls_to(callee: FunctionScope, trace: RunTrace) -> list[TracedCall]:
    return [call for call in trace.calls if (call.file, call.line) == (callee.source.path, callee.first_line)]


def _call_text(call: TracedCall) -> str:
    arguments = ", ".join(cut(a, 40) for a in call.arguments if not a.startswith(("self=", "cls=")))
    return f"{call.function}({arguments})"


_LOOK: dict[str, Callable[[SuspectedMistake, StopAnalysis, RunTrace], str | None]] = {
    GIVES_NONE: _confirm_none,
    DROPPED: _confirm_drop,
    REPEATED: _none_repeated,
    IMPLICIT_NONE: _none_given,
    NO_ORDER: lambda finding, _analysis, _trace: finding.reason,
}
"""Rule -> function that returns evidence of the mistake, an empty string if it did not happen, or None if unknown."""
