"""Collects a run's events while a reader finds them.

Numbers events, cycles and steps, and joins results to calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.debuggees.runs.readers import portion
from dap_ai.debuggees.runs.readers.run_builder import MAIN, MOST_TOLD, in_time
from dap_ai.debuggees.runs.readers.thin_events import Page, TextLocation, ThinEvent
from dap_ai.debuggees.runs.run_model import Agent, Event, EventKind, Problem, Ref


class Timeline:
    """Events in the order in which a reader finds them.

    Their times are seconds since 1970 until `finish` makes the times relative to the first event.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self.steps = 0
        self._event = ThinEvent if portion.current_portion() else Event
        self._shrunk = 0
        self._agents: dict[str, Agent] = {MAIN: Agent(MAIN)}
        self._namesakes: dict[str, int] = defaultdict(int)
        self._cycles: dict[str, int] = defaultdict(int)
        self._last_calls: dict[str, Event] = {}
        self._open: dict[str, list[Event]] = defaultdict(list)
        self._answered: set[int] = set()
        self._told: dict[str, int] = defaultdict(int)

    @property
    def agents(self) -> Sequence[Agent]:
        """All agents of the run, the main agent first."""
        return list(self._agents.values())

    def agent(self, name: str, parent: str = "", model: str = "") -> str:
        """Add an agent, or add the model to a known agent. Returns the agent's name."""
        known = self._agents.get(name, Agent(name, parent))
        self._agents[name] = Agent(name, known.parent, known.model or model)
        return name

    def new_agent(self, wanted: str, parent: str) -> str:
        """Add an agent and return its name. If the name `wanted` is taken, a number is appended."""
        base = wanted.strip() or "agent"
        name = base
        while name in self._agents:
            self._namesakes[base] += 1
            name = f"{base}-{self._namesakes[base] + 1}"
        return self.agent(name, parent)

    def has_agent(self, name: str) -> bool:
        """Return whether an agent with this name exists."""
        return name in self._agents

    def new_cycle(self, agent: str) -> None:
        """Start a cycle of the agent, which is its next query to the model."""
        self._cycles[agent] += 1

    def add(self, kind: EventKind, ref: Ref, *, agent: str = MAIN, at: float | None = None, **fields: Any) -> Event:
        """Append an event and return it. `at` is in seconds since 1970.

        An event without `step` belongs to no step.
        """
        event = self._event(len(self.events), kind, ref, agent, self._cycles[agent], at_s=at, **fields)
        self.events.append(event)
        return event

    def shrink(self, page: Page) -> None:
        """Replace long texts of the events since the last call of this method with their locations in the file.

        The event before these events is included, because the line may have extended it.
        """
        for event in self.events[max(0, self._shrunk - 1) :]:
            if isinstance(event, ThinEvent):
                event.shrink(page)
        self._shrunk = len(self.events)

    def message_step(self) -> int:
        """Return the number of a new step. Used for a response without a call."""
        self.steps += 1
        return self.steps

    def call(
        self, ref: Ref, tool: str, arguments: Mapping[str, Any] | None, *, call_id: str = "", step: int = 0, **more: Any
    ) -> Event:
        """Append a call event and return it. Without `step`, the call is a new step."""
        event = self.add(
            "call", ref, tool=tool, arguments=arguments, call_id=call_id, step=step or self.message_step(), **more
        )
        self._last_calls[call_id] = event
        self._open[call_id].append(event)
        return event

    def is_open(self, call_id: str) -> bool:
        """Return whether a call with this id has no result so far."""
        return bool(self._open.get(call_id))

    def result(self, ref: Ref, text: str | TextLocation, *, call_id: str, **more: Any) -> Event:
        """Append a result event and return it.

        The result answers the latest call with this id that has no result so far.
        """
        waiting = self._open.get(call_id)
        call = waiting.pop() if waiting else self._last_calls.get(call_id)
        if call is None:
            self.problem(ref, f"a result for the call {call_id!r}, which is not recorded", "result without a call")
            return self.add("result", ref, text=text, call_id=call_id, **more)
        if id(call) in self._answered:
            self.problem(ref, f"one more result for the call {call_id!r}", "one more result")
        self._answered.add(id(call))
        fields: dict[str, Any] = {"tool": call.tool, "agent": call.agent, **more}
        event = self.add("result", ref, text=text, call_id=call_id, step=call.step, **fields)
        event.cycle = call.cycle
        if event.took_s is None and event.at_s is not None and call.at_s is not None and event.at_s >= call.at_s:
            event.took_s = event.at_s - call.at_s
        return event

    def problem(self, ref: Ref, text: str, sort: str = "") -> None:
        """Record a passage of the file that the reader did not understand.

        Of many problems of one `sort`, only the first are listed. The others are counted.
        """
        self._told[sort or text] += 1
        if self._told[sort or text] <= MOST_TOLD:
            self.problems.append(Problem(ref, text))

    def tell_unanswered(self) -> None:
        """Record a problem for each call without a result."""
        for call in self.events:
            if call.kind == "call" and id(call) not in self._answered:
                words = (
                    f"step {call.step}: the call of {call.tool or 'a tool'} has no result: it was never executed, or "
                )
                self.problem(call.ref, f"{words}its result was not recorded", "unanswered")

    def sort_by_time(self) -> None:
        """Sort events by time and renumber steps.

        If any response or call has no time, the recorded order is kept. Any other event without a time stays after the
        event before it.
        """
        if any(event.at_s is None for event in self.events if event.kind in ("response", "call")):
            return
        ordered = in_time(self.events)
        if ordered != self.events:
            self.events = ordered
            self.number_anew()

    def sort_by_place(self) -> None:
        """Sort events by file and line and renumber steps. Used by readers that add events in another order."""
        files = {name: at for at, name in enumerate(dict.fromkeys(event.ref.path for event in self.events))}
        self.events.sort(key=lambda event: (files[event.ref.path], event.ref.lines or (0, 0)))
        self.number_anew()

    def number_anew(self) -> None:
        """Renumber the steps in order of first appearance."""
        steps: dict[int, int] = {}
        for event in self.events:
            if event.step:
                event.step = steps.setdefault(event.step, len(steps) + 1)

    def _spread_steps(self) -> None:
        """Give each response the step of the first call that follows it."""
        waiting: dict[str, Event] = {}
        for event in self.events:
            if event.kind == "response":
                waiting[event.agent] = event
            elif event.kind == "call" and (response := waiting.pop(event.agent, None)) and not response.step:
                response.step = event.step

    def finish(self) -> float | None:
        """Number the events, make their times relative to the first, and report the number of unlisted problems.

        Returns the start of the run in seconds since 1970, or None if no event has a time.
        """
        start = min((event.at_s for event in self.events if event.at_s is not None), default=None)
        self._spread_steps()
        for index, event in enumerate(self.events):
            event.index = index
            if event.at_s is not None and start is not None:
                event.at_s -= start
        for sort, times in self._told.items():
            if times > MOST_TOLD:
                self.problems.append(Problem(Ref(), f"{times - MOST_TOLD} more problems of the same sort: {sort}"))
        return start
