"""Builds a run for a reader: collects events in file order, then sorts and numbers them and joins results to calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime, timezone
from itertools import chain, count
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.json_spans import escaped
from dap_ai.debuggees.runs.readers.json_shapes import arguments, command, status_of
from dap_ai.debuggees.runs.run_model import Agent, Event, EventKind, Outcome, Problem, Ref, Run, Status

MAIN = "main"
MOST_TOLD = 20
"""Maximum number of problems of one sort that are listed. Further problems are only counted."""


class RunBuilder:
    """Collects events in file order. `finished` gives each event its index, cycle and step.

    If the format numbers the steps itself, the reader passes `step` for its calls and calls `finished(numbered=True)`.
    """

    def __init__(self, root: Path, reader: str, version: str = "") -> None:
        self.run = Run(str(root), reader, format_version=version)
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self.agents: dict[str, Agent] = {MAIN: Agent(MAIN)}
        self.started: float | None = None
        """First time passed to `since_start`, in seconds since 1970, or None."""

    def document(self, path: Path, name: str = "") -> Any:
        """Parse a JSON file as far as possible. Syntax errors become problems. Raises CannotRead."""
        value, problems = document(path, name)
        self.problems += problems
        return value

    def since_start(self, moment: float | None) -> float | None:
        """Return the seconds from the first time passed to this method to `moment`. None if `moment` is None."""
        if moment is None:
            return None
        self.started = moment if self.started is None else self.started
        return moment - self.started

    def new_agent(self, wanted: str, parent: str, model: str = "") -> str:
        """Add an agent and return its name. If the name `wanted` is taken, a number is appended."""
        names = chain([wanted], (f"{wanted}-{number}" for number in count(2)))
        name = next(name for name in names if name not in self.agents)
        self.agents[name] = Agent(name, parent, model)
        return name

    def add(self, kind: EventKind, ref: Ref, **fields: Any) -> Event:
        """Append an event and return it."""
        event = Event(len(self.events), kind, ref, **fields)
        self.events.append(event)
        return event

    def call(self, ref: Ref, tool: str, given: Any, *, text: str | None = None, **fields: Any) -> Event:
        """Append a call event and return it. `given` are the call's arguments, as an object or JSON text.

        `text` defaults to the command or code in the arguments. If the arguments cannot be parsed, the status is
        `error`.
        """
        found, is_readable = arguments(given)
        fields = {"status": "unknown" if is_readable else "error", **fields}
        text = command(found, given) if text is None else text
        return self.add("call", ref, text=text, tool=tool, arguments=found, **fields)

    def result(
        self, ref: Ref, text: str, *, exit_code: int | None = None, status: Status = "unknown", **fields: Any
    ) -> Event:
        """Append a result event and return it.

        An exit code determines the result's status and overrides `status`.
        """
        status = status_of(exit_code, status)
        return self.add("result", ref, text=text, exit_code=exit_code, status=status, **fields)

    def problem(self, ref: Ref, text: str) -> None:
        """Record a passage of the file that the reader did not understand."""
        self.problems.append(Problem(ref, text))

    def leftovers(
        self,
        value: Mapping[str, Any],
        taken: Collection[str],
        pointer: str = "",
        path: str = "",
        lines: tuple[int, int] | None = None,
    ) -> None:
        """Add a note for each non-empty key of an object, except the keys in `taken`.

        Users can then view these values.
        """
        for key, item in value.items():
            if key not in taken and item not in (None, "", [], {}):
                ref = Ref(path, lines, f"{pointer}/{escaped(key)}")
                self.add("note", ref, text=item if isinstance(item, str) else "")

    def finished(self, *, by_time: bool = False, numbered: bool = False) -> Run:
        """Number the events, join results to calls, and return the run.

        `by_time` sorts events by `at_s`. `numbered` means that the events already have step numbers.
        """
        if by_time:
            self.events = in_time(self.events)
        for index, event in enumerate(self.events):
            event.index = index
        _count_cycles(self.events)
        self.problems += _join(self.events)
        if not numbered:
            _count_steps(self.events)
        _spread_steps(self.events)
        self.problems += _unanswered(self.events)
        run = self.run
        run.started = run.started or ("" if self.started is None else iso(self.started))
        run.agents, run.events, run.problems = list(self.agents.values()), self.events, self.problems
        run.artefacts = run.artefacts or ([""] if Path(run.root).is_file() else ())
        return run

    def ended(self, outcome: Outcome, text: str = "") -> Event:
        """Set the run's outcome, and append and return an `end` event."""
        self.run.outcome = outcome
        status = "error" if outcome.verdict in ("failed", "error", "limit") else "unknown"
        return self.add(
            "end",
            outcome.ref or Ref(),
            text=text or outcome.words,
            status="ok" if outcome.verdict == "solved" else status,
        )


def in_time(events: list[Event]) -> list[Event]:
    """Return the events sorted by time. An event without a time stays after the event before it."""
    keys, now = list[float](), float("-inf")
    for event in events:
        now = now if event.at_s is None else event.at_s
        keys.append(now)
    order = sorted(range(len(events)), key=keys.__getitem__)
    return [events[at] for at in order]


def iso(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC. Empty for a value outside the calendar."""
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _count_cycles(events: list[Event]) -> None:
    """Number the cycles of each agent.

    A query starts a cycle. A response without a recorded query starts a cycle too.
    """
    cycles: dict[str, int] = defaultdict(int)
    asked: set[str] = set()
    for event in events:
        if event.kind == "query" or (event.kind == "response" and event.agent not in asked):
            cycles[event.agent] += 1
        if event.kind == "query":
            asked.add(event.agent)
        elif event.kind == "response":
            asked.discard(event.agent)
        event.cycle = cycles[event.agent]


def _join(events: list[Event]) -> list[Problem]:
    """Join each result to its call by id. A result without an id belongs to the agent's first call without a result."""
    calls = _Calls()
    problems: list[Problem] = []
    for event in events:
        if event.kind == "call":
            if event.call_id and event.call_id in calls.known:
                problems.append(Problem(event.ref, f"the id of a call is not unique: {event.call_id!r}"))
            event.call_id = event.call_id or f"call-{event.index}"
            calls.wait(event)
        elif event.kind == "result":
            call = calls.answered_by(event)
            if call is None:
                problems.append(Problem(event.ref, "a result without the call that it answers"))
            else:
                event.call_id, event.tool, event.step = call.call_id, event.tool or call.tool, call.step
    return problems


class _Calls:
    """Calls without a result, by id and by agent, each in order."""

    def __init__(self) -> None:
        self.known: dict[str, Event] = {}
        self._by_id: dict[str, dict[int, Event]] = defaultdict(dict)
        self._by_agent: dict[str, dict[int, Event]] = defaultdict(dict)

    def wait(self, call: Event) -> None:
        self.known[call.call_id] = call
        self._by_id[call.call_id][call.index] = call
        self._by_agent[call.agent][call.index] = call

    def answered_by(self, result: Event) -> Event | None:
        """Return the call that a result answers, or None. The call then no longer waits for a result.

        A second result for an id belongs to the last call with that id.
        """
        waiting = self._by_id[result.call_id] if result.call_id else self._by_agent[result.agent]
        call = next(iter(waiting.values()), None) or (self.known.get(result.call_id) if result.call_id else None)
        if call is not None:
            self._by_id[call.call_id].pop(call.index, None)
            self._by_agent[call.agent].pop(call.index, None)
        return call


def _unanswered(events: list[Event]) -> list[Problem]:
    """Return a problem for each call without a result.

    The last call of each agent is left out, because the run may have ended there.
    """
    last = {event.agent: event.index for event in events if event.kind == "call"}
    answered = {(event.agent, event.call_id, event.step) for event in events if event.kind == "result"}
    lost = [
        event
        for event in events
        if event.kind == "call"
        and (event.agent, event.call_id, event.step) not in answered
        and event.index != last[event.agent]
    ]
    told = [
        Problem(call.ref, f"step {call.step}: the call of {call.tool or 'a tool'} has no result")
        for call in lost[:MOST_TOLD]
    ]
    more = len(lost) - len(told)
    return [*told, Problem(Ref(), f"{more} more calls have no result")] if more else told


def _count_steps(events: list[Event]) -> None:
    """Number the steps. Each call is a step, and so is each response without a call."""
    calling = _responses_with_calls(events)
    steps: dict[str, int] = {}
    number = 0
    for event in events:
        if event.kind == "call" or (event.kind == "response" and event.index not in calling):
            number += 1
            event.step = number
        if event.kind == "call":
            steps[f"{event.agent}\0{event.call_id}"] = number
        elif event.kind == "result":
            event.step = steps.get(f"{event.agent}\0{event.call_id}", 0)


def _responses_with_calls(events: list[Event]) -> set[int]:
    """Return the indices of the responses after which the agent calls a tool before its next response."""
    last: dict[str, int] = {}
    calling: set[int] = set()
    for event in events:
        if event.kind == "response":
            last[event.agent] = event.index
        elif event.kind == "call" and event.agent in last:
            calling.add(last[event.agent])
    return calling


def _spread_steps(events: list[Event]) -> None:
    """Give each response the step of its first call, and each error the latest step of its agent."""
    last: dict[str, int] = {}
    open_response: dict[str, Event] = {}
    for event in events:
        if event.kind == "response":
            open_response[event.agent] = event
        elif event.kind == "call" and (response := open_response.pop(event.agent, None)) and not response.step:
            response.step = event.step
        elif event.kind == "error" and not event.step:
            event.step = last.get(event.agent, 0)
        if event.step:
            last[event.agent] = event.step
