"""Exception filters of a run, each with the options that a client shows and the events at which it stops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.analysis.analysis_model import PatternName
from dap_ai.debuggees.runs.run_model import Event

Test = Callable[[Event, RunFacts], bool]
_HINT = "an expression over the event: tool == 'bash', len(text) > 5000"


@dataclass(frozen=True)
class ExceptionFilter:
    """One exception filter. An `analysed` filter stops only after the run's analysis."""

    label: str
    stops_at: Test
    description: str = ""
    is_default: bool = False
    condition_hint: str = _HINT
    analysed: bool = False
    patterns: frozenset[PatternName] = frozenset()
    """Failure patterns at whose last step the filter stops, and whose texts describe the stop; empty for all
    patterns."""


def _kind(kind: str) -> Test:
    return lambda event, _: event.kind == kind


def _is_end(event: Event, facts: RunFacts) -> bool:
    return event.kind == "end" or facts.is_last(event)


def _changes(event: Event, facts: RunFacts) -> bool:
    if event.kind == "change":
        return True
    if event.status == "error" or not facts.ends_step(event):
        return False
    effect = facts.effects.get(event.step)
    return effect is not None and effect.kind == "change" and not effect.noop and not effect.refused


def _fails_check(event: Event, facts: RunFacts) -> bool:
    check = facts.checks.get(event.step) if facts.ends_step(event) else None
    return check is not None and check.ok is False


def _is_onset(event: Event, facts: RunFacts) -> bool:
    if event.index != next(iter(facts.steps.get(event.step, ())), None):
        return False
    onset = facts.analysis.finding.onset
    return onset is not None and event.step == onset.step


def _pattern(
    label: str, description: str, *names: PatternName, is_default: bool = False, hint: str = _HINT
) -> ExceptionFilter:
    wanted = frozenset(names)

    def shows(event: Event, facts: RunFacts) -> bool:
        found = facts.patterns_at(event)
        return any(pattern.name in wanted or not wanted for pattern in found)

    return ExceptionFilter(label, shows, description, is_default, hint, analysed=True, patterns=wanted)


def _over_budget(event: Event, facts: RunFacts) -> bool:
    """Return whether a limit was hit at this event, by a failure pattern or by the run's recorded outcome."""
    if any(pattern.name == "limit" for pattern in facts.patterns_at(event)):
        return True
    return facts.run.outcome.verdict == "limit" and _is_end(event, facts)


FILTERS: Mapping[str, ExceptionFilter] = {
    "query": ExceptionFilter("Before a query", _kind("query"), "The model is about to be asked."),
    "response": ExceptionFilter("After a response", _kind("response"), "The model has answered."),
    "call": ExceptionFilter("Before a tool", _kind("call"), "A tool is about to be called."),
    "result": ExceptionFilter("After a tool", _kind("result"), "A tool has given its result."),
    "change": ExceptionFilter("Workspace changed", _changes, "A step has changed files.", analysed=True),
    "toolError": ExceptionFilter(
        "Tool error", lambda event, _: event.kind == "result" and event.status == "error", "A tool has failed."
    ),
    "apiError": ExceptionFilter("API error", _kind("error"), "The model's API or the agent failed.", is_default=True),
    "checkFailed": ExceptionFilter("Check failed", _fails_check, "Tests, a build or a linter failed.", analysed=True),
    "onset": ExceptionFilter("Onset", _is_onset, "Where the run went wrong, as far as it can be told.", analysed=True),
    "pattern": _pattern(
        "Any pattern", "Something that goes wrong in many runs; with a condition, one of them.", is_default=True,
        hint="'never-verified' in patterns, 'edit-lost' in patterns",
    ),
    "failedCheckIgnored": _pattern(
        "Failed check ignored", "A verification failed, and the agent went on.", "failed-check-ignored"
    ),
    "successWithoutChange": _pattern(
        "Success without change", "Success is reported, and the workspace is as it was.", "success-without-change"
    ),
    "loop": _pattern("Loop", "The same call or the same edit again.", "same-region-again", "same-call-again"),
    "budget": ExceptionFilter(
        "Budget", _over_budget,
        "A limit was hit; with a condition, the first event at which it holds: spent.cost > 0.5",
        condition_hint="spent.tokens > 100_000, spent.cost > 0.5, usage.total > 50_000", analysed=True,
    ),
    "end": ExceptionFilter("End", _is_end, "The run is over."),
}  # fmt: skip
"""Exception filters by DAP's `filter`. Names must not change, because editors store them in settings. The list is
short, because editors show all filters: a pattern without its own filter is a condition of the filter `pattern`."""


def announced() -> Sequence[Mapping[str, Any]]:
    """Return the exception filters for the response to `initialize`."""
    return [
        {
            "filter": name,
            "label": each.label,
            "description": each.description,
            "default": each.is_default,
            "supportsCondition": True,
            "conditionDescription": each.condition_hint,
        }
        for name, each in FILTERS.items()
    ]


def why(name: str, event: Event, facts: RunFacts) -> str:
    """Return the description of a stop at an exception filter; empty without a description."""
    each = FILTERS[name]
    if name == "onset" and (onset := facts.analysis.finding.onset):
        return onset.text
    found = [p.text for p in facts.patterns_at(event) if p.name in each.patterns or not each.patterns]
    if each.analysed and (each.patterns or name == "pattern") and found:
        return "; ".join(found)
    if name == "checkFailed" and (check := facts.checks.get(event.step)):
        return check.summary or check.error
    return ""
