"""Normalized model of an LLM agent's run: the output of every reader and the only input of analysis and commands.

Terms: an *event* is one thing that happened (a model query, its response, a tool call, a result, ...). A *cycle* is one
query of an agent and everything until its next query. A *step* is one call with its result; a response without a call
is a separate step (`message`). Texts are as recorded: untrusted, and may contain secrets and terminal escapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

EventKind = Literal["task", "query", "response", "call", "result", "note", "change", "error", "end"]
"""`change` is a commit of the workspace; `note` is anything else that the artefact records (system prompts, reminders,
...)."""
Status = Literal["ok", "error", "unknown"]
Verdict = Literal["solved", "failed", "limit", "error", "unknown"]
"""Outcome that the artefact itself records, never guessed. `limit`: ended by a limit of steps, cost or time; `error`:
ended by a fault outside the agent's work."""


class Ref(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):  # created by the ten thousand, never in a cycle
    r"""Location in the run's artefacts. `debuggees/runs/refs.py` resolves it to the bytes.

    `path` is relative to the run's root and uses `/`; empty if the root itself is the file. `lines` is (first,
    last), 1-based, split at \n only, in line-based formats. `pointer` is a JSON pointer (RFC 6901) within the document
    in those lines, or within the whole file.
    """

    path: str = ""
    lines: tuple[int, int] | None = None
    pointer: str = ""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Part of a run's files that the reader did not understand, or a contradiction between files. Always reported."""

    ref: Ref
    text: str


class TokenUsage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Recorded tokens and cost of one query; None if not recorded. `input_tokens` includes cached tokens."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Agent(msgspec.Struct, omit_defaults=True):
    """An agent of the run. `name` is unique in the run; the main agent has no parent."""

    name: str
    parent: str = ""
    model: str = ""


class Event(msgspec.Struct, omit_defaults=True):
    """One thing that happened in a run. Times are seconds since the run's start, None if not recorded."""

    index: int
    """0-based position in chronological order."""
    kind: EventKind
    ref: Ref
    agent: str = "main"
    cycle: int = 0
    """1-based number of the agent's cycle; 0 before the agent's first query."""
    step: int = 0
    """1-based number of the event's step, counted over the whole run; 0 outside any step (task, query, note, ...)."""
    at_s: float | None = None
    took_s: float | None = None
    text: str = ""
    """Text of the response, result or note; for a call of a shell tool, the command."""
    reasoning: str = ""
    """For a response: the model's reasoning, separate from its text."""
    call_id: str = ""
    """Id that joins a call and its result; assigned by the reader if the artefact has no ids."""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    status: Status = "unknown"
    exit_code: int | None = None
    usage: TokenUsage | None = None
    native_id: str = ""
    """The artefact's own id for this event."""
    more: Sequence[Ref] = ()
    """Other locations of the same event, in other files of the run."""

    def beginning(self, chars: int) -> str:
        """Return the first `chars` characters of the text or, without a text, of the reasoning."""
        return (self.text or self.reasoning)[:chars]


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the run ended, and where that is recorded. `words` quotes the record: `reward 0`, `exit_status Submitted`."""

    verdict: Verdict = "unknown"
    words: str = ""
    ref: Ref | None = None


class Parent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Original run of a replay or fork, and how the replay or fork was made."""

    path: str
    """Absolute path of the original run, on the machine where the replay or fork was made."""
    words: str
    """How the replay or fork was made: `fork at step 3: said "..."`."""
    step: int = 0
    """Step at which the two runs diverge; 0 if they do not diverge, or if the step is unknown."""
    ref: Ref | None = None


class Run(msgspec.Struct, omit_defaults=True):
    """One execution of an agent. Immutable by convention once a reader has returned it."""

    root: str
    """Absolute path of the file or folder that was read; for a file with links to its siblings, the parent folder."""
    format: str
    """Name of the reader: `swe-agent`, `mini-swe-agent`, `openhands`, `harbor`, ..."""
    format_version: str = ""
    agents: Sequence[Agent] = ()
    """Agents of the run, the main agent first."""
    task: str = ""
    """Full text of the task that the agent was given; empty if not recorded."""
    events: Sequence[Event] = ()
    outcome: Outcome = Outcome()
    started: str = ""
    """Start time in ISO 8601, as recorded."""
    seconds: float | None = None
    cost_usd: float | None = None
    workspace: str = ""
    """The agent's working directory, as recorded, possibly on another machine."""
    followed: bool = False
    """Whether the run records every change of the workspace as a `change` event."""
    problems: Sequence[Problem] = ()
    parent: Parent | None = None
    """For a replay or a fork: the original run."""
    artefacts: Sequence[str] = ()
    """Files of the run, relative to the root, in the order in which they are read."""

    @property
    def steps(self) -> int:
        """The number of steps, which is the highest step number."""
        return max((event.step for event in self.events), default=0)


class RunStep(msgspec.Struct):
    """One call with its result, or one response without a call. Created by `steps_of`."""

    number: int
    response: Event | None
    """The response that requested the call. Steps of parallel calls share a response."""
    call: Event | None
    result: Event | None
    others: Sequence[Event] = ()
    """All other events with this step's number: late results, errors, changes of the workspace."""

    @property
    def response_text(self) -> str:
        """The response's text; empty without a response."""
        return self.response.text if self.response is not None else ""

    @property
    def result_text(self) -> str:
        """The result's text; empty without a result."""
        return self.result.text if self.result is not None else ""


def steps_of(run: Run) -> Sequence[RunStep]:
    """Return the steps of a run in order. A response belongs to the first step after it and to its parallel calls."""
    steps: dict[int, RunStep] = {}
    last: dict[str, Event] = {}
    for event in run.events:
        if event.kind == "response":
            last[event.agent] = event
        if not event.step:
            continue
        step = steps.setdefault(event.step, RunStep(event.step, last.get(event.agent), None, None))
        if event.kind == "call" and step.call is None:
            step.call = event
        elif event.kind == "result" and step.result is None:
            step.result = event
        elif event.kind != "response":
            step.others = [*step.others, event]
    return [steps[number] for number in sorted(steps)]
