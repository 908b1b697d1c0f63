"""The debugger's position in a recorded run, an index into its events, and the moves that change it. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.breakpoint_hits import RunBreakpoint
from dap_ai.debuggees.runs.run_model import Event


@dataclass
class Moved:
    """Result of a move."""

    reason: str
    """The `reason` in DAP's `stopped` event; "end" if there are no more events."""
    description: str = ""
    hit: list[int] = field(default_factory=list[int])
    """Ids of the breakpoints that were hit."""
    logged: list[tuple[Event, str]] = field(default_factory=list[tuple[Event, str]])
    """(event, log message before substitution) of each logpoint on the way."""


class Cursor:
    """Position in a run; `index` is -1 before the first move, and past the last event once the run has ended."""

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts
        self.index = -1

    @property
    def _events(self) -> Sequence[Event]:
        return self._facts.run.events

    @property
    def event(self) -> Event | None:
        """The current event; None before the first move and after the run."""
        return self._events[self.index] if 0 <= self.index < len(self._events) else None

    def go_on(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """Move to the next stop, else to the last event; from the last event, past the end (reason "end")."""
        return self._forward(stops, lambda _: False)

    def step_in(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """Move to the next event of any agent."""
        return self._forward(stops, lambda _: True)

    def step_over(self, stops: Sequence[RunBreakpoint], agent: str) -> Moved:
        """Move to the agent's next cycle, past events of sub-agents; after the last cycle, to the agent's parent."""
        cycle = self._facts.next_cycle(agent, self.index)
        if cycle is None and not self._facts.known:
            return self._out(stops, agent)
        return self._forward(stops, lambda event: event.index == cycle)

    def step_out(self, stops: Sequence[RunBreakpoint], agent: str) -> Moved:
        """Move from a sub-agent to its parent; for the main agent, to the end of the cycle or the next cycle."""
        if self._parent(agent):
            return self._out(stops, agent)
        cycle = self._facts.next_cycle(agent, self.index)
        last = self._facts.last_of(agent, len(self._events) if cycle is None else cycle - 1)
        if last is None or last.index <= self.index or (cycle is None and self._facts.known):
            return self.step_over(stops, agent)
        return self._forward(stops, lambda event: event.index == last.index)

    def result_of(self, stops: Sequence[RunBreakpoint], call: Event) -> Moved:
        """Move to the result of a call, one of several parallel calls."""
        end = self._facts.end_of(call.step)
        return self._forward(stops, lambda event: end is None or event.index >= end)

    def back(self) -> Moved:
        """Move to the previous event."""
        if self.index <= 0:
            self.index = 0
            return Moved("entry", "the beginning of the run")
        self.index -= 1
        return Moved("step")

    def go_back(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """Move to the previous stop, or to the first event."""
        for index in range(min(self.index, len(self._events)) - 1, -1, -1):
            event = self._events[index]
            if hit := [stop for stop in stops if not stop.log and stop.takes(event, self._facts)]:
                self.index = index
                return _hit(hit)
        self.index = 0
        return Moved("entry", "the beginning of the run")

    def go_to(self, index: int) -> Moved:
        """Move to the event with that index, or to the nearest event."""
        self.index = max(0, min(index, len(self._events) - 1))
        return Moved("goto")

    def _forward(self, stops: Sequence[RunBreakpoint], wanted: Callable[[Event], bool]) -> Moved:
        moved = Moved("end", "the end of the run")
        last = len(self._events) - 1
        if self.index >= last:
            self.index = last + 1
            return moved
        for index in range(self.index + 1, last + 1):
            event = self._events[index]
            hit = [stop for stop in stops if stop.takes(event, self._facts)]
            moved.logged += [(event, stop.log) for stop in hit if stop.log]
            hit = [stop for stop in hit if not stop.log]
            if hit or wanted(event):
                self.index = index
                found = _hit(hit) if hit else Moved("step")
                found.logged = moved.logged
                return found
        self.index = last
        return moved

    def _out(self, stops: Sequence[RunBreakpoint], agent: str) -> Moved:
        parent = self._parent(agent)
        return self._forward(stops, lambda event: bool(parent) and event.agent == parent)

    def _parent(self, agent: str) -> str:
        return next((a.parent for a in self._facts.run.agents if a.name == agent), "")


def _hit(stops: Sequence[RunBreakpoint]) -> Moved:
    return Moved(stops[0].reason, "", [stop.ident for stop in stops])
