"""Types of the rows of a scan, one row per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis, RunStage
from dap_ai.debuggees.runs.export.encoding import total_usage
from dap_ai.debuggees.runs.run_model import Run, Verdict
from dap_ai.debuggees.runs.run_summary import row_of

_MAX_REASON_CHARACTERS = 2_000


class PatternMatch(msgspec.Struct, frozen=True):
    """A failure pattern and the steps that show it."""

    name: str
    steps: Sequence[int]


class Counts(msgspec.Struct, frozen=True):
    """Numbers of events, steps by effect kind, checks and so on. The effect kinds add up to all steps."""

    events: int = 0
    calls: int = 0
    error_results: int = 0
    submit: int = 0
    change: int = 0
    install: int = 0
    verify: int = 0
    run: int = 0
    explore: int = 0
    message: int = 0
    checks: int = 0
    failed_checks: int = 0
    agents: int = 0
    problems: int = 0


class ScanRow(msgspec.Struct, frozen=True):
    """The row of one run in a scan. A field is None if the run does not record it."""

    path: str
    format: str = ""
    agent: str = ""
    model: str = ""
    task: str = ""
    """Task on one line, shortened."""
    steps: int = 0
    outcome: Verdict = "unknown"
    outcome_words: str = ""
    cost_usd: float | None = None
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    stages: Sequence[RunStage] = ()
    patterns: Sequence[PatternMatch] = ()
    counts: Counts = Counts()
    reason: str = ""
    """Error why the run could not be read; empty if the run was read."""


def scan_row(path: str, run: Run, analysis: RunAnalysis) -> ScanRow:
    """Return the row of a run that was read successfully."""
    row = row_of(path, run)
    usage = total_usage(run.events)
    return ScanRow(
        path=path,
        format=row.format,
        agent=row.agent,
        model=row.model,
        task=row.task,
        steps=row.steps,
        outcome=row.outcome,
        outcome_words=run.outcome.words[:_MAX_REASON_CHARACTERS],
        cost_usd=row.cost_usd,
        seconds=row.seconds,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        stages=analysis.stages,
        patterns=[PatternMatch(pattern.name, list(pattern.steps)) for pattern in analysis.patterns],
        counts=_counts(run, analysis),
    )


def unread(path: str, reason: str) -> ScanRow:
    """Return the row of a run that could not be read."""
    return ScanRow(path, reason=reason[:_MAX_REASON_CHARACTERS] or "it cannot be read")


def _counts(run: Run, analysis: RunAnalysis) -> Counts:
    effects = Counter(effect.kind for effect in analysis.effects)
    return Counts(
        events=len(run.events),
        calls=sum(event.kind == "call" for event in run.events),
        error_results=sum(event.kind == "result" and event.status == "error" for event in run.events),
        checks=len(analysis.checks),
        failed_checks=sum(check.ok is False for check in analysis.checks),
        agents=len(run.agents),
        problems=len(run.problems),
        **effects,
    )
