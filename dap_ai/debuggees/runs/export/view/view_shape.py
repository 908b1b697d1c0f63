"""Types of the run view's JSON; scripts/generate_protocol.py generates the view's TypeScript types from this file.

All texts come from the run and are untrusted; active or invisible characters in them are escaped
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
    """One event."""

    index: int
    kind: EventKind
    agent: str
    cycle: int
    """1-based per agent; 0 before its first query."""
    step: int
    """1-based over the run; 0 for none."""
    said: str
    """What it says, on one line, by rule."""
    text: str
    at_s: float | None = None
    took_s: float | None = None
    chars: int = 0
    """How many characters the text has, where only its beginning is here; 0: it is whole."""
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
    """Where it is recorded: file, lines, JSON pointer."""
    commit: str = ""
    """Of a change, or of the state before the run: a commit in the recording's `workspace.git`."""
    diff: Sequence[str] = ()
    """Of a change, where it was asked for: the lines of a patch."""


class ShownWrite(msgspec.Struct, omit_defaults=True):
    """One file that a step's call writes."""

    path: str
    how: str
    diff: Sequence[str] = ()
    """Lines that start with `+`, `-`, `@` or a blank; none where the call does not hold the text."""


class ShownStep(msgspec.Struct, omit_defaults=True):
    """What analysis sees in one step."""

    step: int
    effect: EffectKind
    intent: str
    outcome: str
    ok: bool | None = None
    """How a check came out; None: it was none, or nobody knows."""
    failed: bool = False
    """A check that failed, a call that was refused or ended with an error."""
    nothing: str = ""
    """Why the call did nothing."""
    writes: Sequence[ShownWrite] = ()
    reads: Sequence[str] = ()


class ShownPattern(msgspec.Struct, omit_defaults=True):
    """Something that goes wrong in many runs, seen here."""

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
    """From there to the symptom: step, words."""
    evidence: Sequence[tuple[int, str]] = ()
    """Step (0: none), words of the run."""


class ShownStage(msgspec.Struct):
    """A range of steps, both ends included."""

    stage: StageName
    first: int
    last: int


class ShownAgent(msgspec.Struct, omit_defaults=True):
    """One agent; the main one has no parent."""

    name: str
    parent: str = ""
    model: str = ""


class RunView(msgspec.Struct, omit_defaults=True):
    """A run, or a part of it: `events` from `first` on, and the steps that they belong to."""

    version: int
    name: str
    """The last part of its path."""
    path: str
    format: str
    title: str
    """Its task in a line."""
    task: str
    verdict: Verdict
    words: str
    """What the run itself records of its end."""
    agents: Sequence[ShownAgent]
    total: int
    """Events of the run, as far as it is known."""
    step_count: int
    started: str
    seconds: float | None
    cost_usd: float | None
    masked: bool
    """Secrets are masked."""
    followed: bool
    """Every change of the workspace is an event."""
    known: str
    """How much of the run is read; "" is all."""
    stages: Sequence[ShownStage]
    patterns: Sequence[ShownPattern]
    onset: ShownSuspect | None
    """Where the run went wrong; else `why_not` has the reason."""
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
    """The first change that differs; None: all are alike."""


class ShownDivergence(msgspec.Struct, omit_defaults=True):
    """Where two runs first change the work differently; a step of 0: that run changes nothing more."""

    step: int
    other: int
    same: int
    text: str
    diff: Sequence[str] = ()
