"""A run of an LLM agent, normalized: what every reader makes, and all that analysis and commands know of a run.

Words: an *event* is one thing that happened (a query to the model, its response, a call of a tool, a result, ...). A
*cycle* is one query of an agent and what follows until its next one. A *step* is one call with its result; a response
without a call is a step of its own (`message`). Texts are as recorded: untrusted, with secrets and terminal escapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

EventKind = Literal["task", "query", "response", "call", "result", "note", "change", "error", "end"]
"""`change` is a commit of the workspace; `note` is whatever else the artefact says (system prompts, reminders, ...)."""
Status = Literal["ok", "error", "unknown"]
Verdict = Literal["solved", "failed", "limit", "error", "unknown"]
"""What the artefact itself records. `limit`: ended by a limit of steps, cost or time; `error`: ended by a fault outside
the agent's work. Never guessed."""


class Ref(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):  # made by the ten thousand, never in a circle
    r"""Where in the run's artefacts something was read. `debuggees/runs/refs.py` resolves it to the bytes.

    `path` is relative to the run's root, with `/` ("" is the root itself, where that is a file). `lines` are the first
    and last line, 1-based, split at \n only, in formats of lines; `pointer` is a JSON pointer (RFC 6901) within those
    lines' document, or within the whole document.
    """

    path: str = ""
    lines: tuple[int, int] | None = None
    pointer: str = ""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something in the artefacts that was not understood, or on which they disagree: said, never dropped."""

    ref: Ref
    text: str


class TokenUsage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What one query cost, as recorded; None where the artefact does not say. `input_tokens` includes the cached."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Agent(msgspec.Struct, omit_defaults=True):
    """One agent of the run. `name` is unique in the run; the main agent has no parent."""

    name: str
    parent: str = ""
    model: str = ""


class Event(msgspec.Struct, omit_defaults=True):
    """One thing that happened. Times are seconds since the run's start, None where the artefact has none."""

    index: int
    """0-based, in the order of happening."""
    kind: EventKind
    ref: Ref
    agent: str = "main"
    cycle: int = 0
    """1-based per agent; 0 before its first query."""
    step: int = 0
    """1-based over the run: the step that this event belongs to; 0 for none (task, query, note, ...)."""
    at_s: float | None = None
    took_s: float | None = None
    text: str = ""
    """The response's, result's or note's text; of a call the command where the tool is a shell."""
    reasoning: str = ""
    """Of a response: what the model thought, apart from its text."""
    call_id: str = ""
    """Joins a call and its result where the artefact has ids, or by order."""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    status: Status = "unknown"
    exit_code: int | None = None
    usage: TokenUsage | None = None
    native_id: str = ""
    """The artefact's own id of this event."""
    more: Sequence[Ref] = ()
    """Further places that say the same (another artefact of the same run)."""

    def beginning(self, chars: int) -> str:
        """The first characters of what it says; of an answer without a text those of its reasoning."""
        return (self.text or self.reasoning)[:chars]


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the run ended, and where that is recorded. `words` quotes it: `reward 0`, `exit_status Submitted`."""

    verdict: Verdict = "unknown"
    words: str = ""
    ref: Ref | None = None


class Parent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The run that this one was made from, and how."""

    path: str
    """Absolute, on the machine where it was made."""
    words: str
    """`fork at step 3: said "..."`."""
    step: int = 0
    """Where the two part; 0: nowhere, or it is not known."""
    ref: Ref | None = None


class Run(msgspec.Struct, omit_defaults=True):
    """One execution of an agent. Immutable by convention once a reader has returned it."""

    root: str
    """The file or folder that was read, absolute; the folder of a file whose links lead to others beside it."""
    format: str
    """The reader's name: `swe-agent`, `mini-swe-agent`, `openhands`, `harbor`, ..."""
    format_version: str = ""
    agents: Sequence[Agent] = ()
    """The main agent first."""
    task: str = ""
    """What the agent was asked to do, whole; "" where it is not recorded."""
    events: Sequence[Event] = ()
    outcome: Outcome = Outcome()
    started: str = ""
    """ISO 8601, as recorded."""
    seconds: float | None = None
    cost_usd: float | None = None
    workspace: str = ""
    """The directory that the agent worked in, as recorded (of another machine)."""
    followed: bool = False
    """Whether every change of the workspace is an event (`change`), so that none means that nothing was changed."""
    problems: Sequence[Problem] = ()
    parent: Parent | None = None
    """Of a replay or a fork."""
    artefacts: Sequence[str] = ()
    """Files that belong to the run, relative to the root; those read first."""

    @property
    def steps(self) -> int:
        """The number of steps, as shared numbering has it."""
        return max((event.step for event in self.events), default=0)


class RunStep(msgspec.Struct):
    """One call with its result, or one response without a call. Made by `steps_of`."""

    number: int
    response: Event | None
    """The response that asked for the call: several steps share one where calls are parallel."""
    call: Event | None
    result: Event | None
    others: Sequence[Event] = ()
    """Whatever else carries this step's number: late results, errors, changes of the workspace."""

    @property
    def response_text(self) -> str:
        """The response's text; "" where there is none."""
        return self.response.text if self.response is not None else ""

    @property
    def result_text(self) -> str:
        """The result's text; "" where there is none."""
        return self.result.text if self.result is not None else ""


def steps_of(run: Run) -> Sequence[RunStep]:
    """The steps of a run in order. A response belongs to the first step after it and to its parallel calls."""
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
