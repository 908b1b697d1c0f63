"""Where in a recorded run the debugger stands, and where a move takes it. Pure: an index into the run's events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.breakpoint_hits import RunBreakpoint
from dap_ai.debuggees.runs.run_model import Event


@dataclass
class Moved:
    """What a move came to."""

    reason: str
    """As in DAP's `stopped`; "end": there is nothing more."""
    description: str = ""
    hit: list[int] = field(default_factory=list[int])
    """The breakpoints that it has hit."""
    logged: list[tuple[Event, str]] = field(default_factory=list[tuple[Event, str]])
    """What logpoints on the way say: the event, and the message as it was set."""


class Cursor:
    """The event at which the run is held; `index` is -1 before the first move, and beyond the last once it is over."""

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts
        self.index = -1

    @property
    def _events(self) -> Sequence[Event]:
        return self._facts.run.events

    @property
    def event(self) -> Event | None:
        """The held event; None before the first, or where the run has none."""
        return self._events[self.index] if 0 <= self.index < len(self._events) else None

    def go_on(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """To the next stop; "end" at the last event, and once more there is nothing left."""
        return self._forward(stops, lambda _: False)

    def step_in(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """The next event, of whatever agent."""
        return self._forward(stops, lambda _: True)

    def step_over(self, stops: Sequence[RunBreakpoint], agent: str) -> Moved:
        """The next cycle of an agent; what sub-agents do meanwhile is passed. After its last cycle, its parent."""
        cycle = self._facts.next_cycle(agent, self.index)
        if cycle is None and not self._facts.known:
            return self._out(stops, agent)
        return self._forward(stops, lambda event: event.index == cycle)

    def step_out(self, stops: Sequence[RunBreakpoint], agent: str) -> Moved:
        """Out of a sub-agent, back to its parent; of the main agent to the end of its cycle, from there to the next."""
        if self._parent(agent):
            return self._out(stops, agent)
        cycle = self._facts.next_cycle(agent, self.index)
        last = self._facts.last_of(agent, len(self._events) if cycle is None else cycle - 1)
        if last is None or last.index <= self.index or (cycle is None and self._facts.known):
            return self.step_over(stops, agent)
        return self._forward(stops, lambda event: event.index == last.index)

    def result_of(self, stops: Sequence[RunBreakpoint], call: Event) -> Moved:
        """The result of one of several parallel calls."""
        end = self._facts.end_of(call.step)
        return self._forward(stops, lambda event: end is None or event.index >= end)

    def back(self) -> Moved:
        """The event before."""
        if self.index <= 0:
            self.index = 0
            return Moved("entry", "the beginning of the run")
        self.index -= 1
        return Moved("step")

    def go_back(self, stops: Sequence[RunBreakpoint]) -> Moved:
        """To the stop before, or to the first event."""
        for index in range(min(self.index, len(self._events)) - 1, -1, -1):
            event = self._events[index]
            if hit := [stop for stop in stops if not stop.log and stop.takes(event, self._facts)]:
                self.index = index
                return _hit(hit)
        self.index = 0
        return Moved("entry", "the beginning of the run")

    def go_to(self, index: int) -> Moved:
        """To an event."""
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
