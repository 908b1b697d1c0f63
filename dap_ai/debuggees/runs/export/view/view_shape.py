"""Types of the run view's JSON. scripts/generate_protocol.py generates the view's TypeScript types from this file.

All strings are from the run and untrusted, so active and invisible characters in them are escaped
(protocol/wire/visible.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import EffectKind, StageName
from dap_ai.debuggees.runs.run_model import EventKind, Status, Verdict

VERSION = 1


class ShownEvent(msgspec.Struct, omit_defaults=True):
    """One event of the run."""

    index: int
    kind: EventKind
    agent: str
    cycle: int
    """Number of the agent's query, 1-based; 0 before the first query."""
    step: int
    """Step number in the run, 1-based; 0 if the event belongs to no step."""
    said: str
    """Summary of the event on one line."""
    text: str
    at_s: float | None = None
    took_s: float | None = None
    chars: int = 0
    """Number of characters of the whole text if `text` is cut; 0 if `text` is the whole text."""
    reasoning: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    call_id: str = ""
    status: Status = "unknown"
    exit_code: int | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    place: str = ""
    """Location of the event in the run's files: file, lines, JSON pointer."""
    commit: str = ""
    """Commit in the recording's `workspace.git`. Set for a change and for the state before the run."""
    diff: Sequence[str] = ()
    """Lines of a change's patch. Set only on request."""


class ShownWrite(msgspec.Struct, omit_defaults=True):
    """One file that a step's call writes."""

    path: str
    how: str
    diff: Sequence[str] = ()
    """Diff lines, which start with `+`, `-`, `@` or a blank. Empty if the call does not contain the text."""


class ShownStep(msgspec.Struct, omit_defaults=True):
    """Results of the analysis for one step."""

    step: int
    effect: EffectKind
    intent: str
    outcome: str
    ok: bool | None = None
    """Whether the step's check passed; None if the step is no check or the outcome is unknown."""
    failed: bool = False
    """Whether the step's check failed, its call was rejected, or its call ended with an error."""
    nothing: str = ""
    """Reason why the call did nothing or was rejected."""
    writes: Sequence[ShownWrite] = ()
    reads: Sequence[str] = ()


class ShownPattern(msgspec.Struct, omit_defaults=True):
    """A common failure pattern that the run shows."""

    name: str
    steps: Sequence[int]
    text: str
    quote: str = ""


class ShownSuspect(msgspec.Struct, omit_defaults=True):
    """A block of steps in which the run may have gone wrong."""

    step: int
    first: int
    last: int
    type: str
    text: str
    confidence: float
    chain: Sequence[tuple[int, str]] = ()
    """Steps from the onset to the symptom, as (step, description)."""
    evidence: Sequence[tuple[int, str]] = ()
    """Quotes from the run, as (step, quote). Step 0 stands for no step."""


class ShownStage(msgspec.Struct):
    """A range of steps in one stage, first and last included."""

    stage: StageName
    first: int
    last: int


class ShownAgent(msgspec.Struct, omit_defaults=True):
    """One agent of the run. The main agent has no parent."""

    name: str
    parent: str = ""
    model: str = ""


class RunView(msgspec.Struct, omit_defaults=True):
    """A run, or a part of its events from index `first` on, with the steps of these events."""

    version: int
    name: str
    """Last part of the run's path."""
    path: str
    format: str
    title: str
    """Task of the run in one line."""
    task: str
    verdict: Verdict
    words: str
    """Outcome in the words of the run's files."""
    agents: Sequence[ShownAgent]
    total: int
    """Number of events of the run that are known so far."""
    step_count: int
    started: str
    seconds: float | None
    cost_usd: float | None
    masked: bool
    """Whether secrets are masked."""
    followed: bool
    """Whether every change of the workspace is recorded as an event."""
    known: str
    """Which part of the run is read; empty if the whole run is read."""
    stages: Sequence[ShownStage]
    patterns: Sequence[ShownPattern]
    onset: ShownSuspect | None
    """Step where the run went wrong. If missing, `why_not` has the reason."""
    alternatives: Sequence[ShownSuspect]
    why_not: str
    problems: Sequence[str]
    first: int
    events: Sequence[ShownEvent]
    steps: Sequence[ShownStep]


class RunsView(msgspec.Struct, omit_defaults=True):
    """Two runs of one task, side by side."""

    runs: Sequence[RunView]
    same_task: bool
    differs: ShownDivergence | None
    """First change in which the runs differ; None if all changes are equal."""


class ShownDivergence(msgspec.Struct, omit_defaults=True):
    """First change of the work in which two runs differ. Step 0 means that the run has no further change."""

    step: int
    other: int
    same: int
    text: str
    diff: Sequence[str] = ()
