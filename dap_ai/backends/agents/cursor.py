"""Where in a recorded run the debugger stands, and where a move takes it. Pure: an index into the run's events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dap_ai.backends.agents.stops import Stop
from dap_ai.runs.model import Event, Run


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
    """The event at which the run is held; `index` is -1 before the first move."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.index = -1

    @property
    def event(self) -> Event | None:
        """The held event; None before the first, or where the run has none."""
        return self._run.events[self.index] if 0 <= self.index < len(self._run.events) else None

    def go_on(self, stops: Sequence[Stop]) -> Moved:
        """To the next stop; "end" at the last event, and once more there is nothing left."""
        return self._forward(stops, lambda _: False, "breakpoint")

    def step(self, stops: Sequence[Stop], how: str) -> Moved:
        """`stepIn`: the next event; `next`: the next cycle of this agent; `stepOut`: its end, or back to its parent."""
        here = self.event
        if here is None or how == "stepIn":
            return self._forward(stops, lambda _: True, "step")
        if how == "next":
            return self._forward(stops, lambda e: e.agent == here.agent and e.cycle > here.cycle, "step")
        parent = next((a.parent for a in self._run.agents if a.name == here.agent), "")
        if parent:
            return self._forward(stops, lambda e: e.agent == parent, "step")
        return self._forward(stops, lambda e: e.agent == here.agent and e.cycle > here.cycle, "step")

    def back(self) -> Moved:
        """The event before."""
        self.index = max(0, self.index - 1)
        return Moved("step")

    def go_back(self, stops: Sequence[Stop]) -> Moved:
        """To the stop before, or to the first event."""
        for index in range(min(self.index, len(self._run.events)) - 1, -1, -1):
            event = self._run.events[index]
            hit = [stop for stop in stops if not stop.log and stop.takes(event)]
            if hit:
                self.index = index
                return Moved(hit[0].reason, hit[0].text, [stop.ident for stop in hit if stop.ident])
        self.index = 0
        return Moved("entry", "the beginning of the run")

    def go_to(self, index: int) -> Moved:
        """To an event."""
        self.index = max(0, min(index, len(self._run.events) - 1))
        return Moved("goto")

    def _forward(self, stops: Sequence[Stop], wanted: Callable[[Event], bool], reason: str) -> Moved:
        moved = Moved("end", "the end of the run")
        last = len(self._run.events) - 1
        if self.index >= last:
            self.index = last + 1
            return moved
        for index in range(self.index + 1, last + 1):
            event = self._run.events[index]
            hit = [stop for stop in stops if stop.takes(event)]
            moved.logged += [(event, stop.log) for stop in hit if stop.log]
            hit = [stop for stop in hit if not stop.log]
            if hit or wanted(event):
                self.index = index
                moved.reason, moved.description = (hit[0].reason, hit[0].text) if hit else (reason, "")
                moved.hit = [stop.ident for stop in hit if stop.ident]
                return moved
        self.index = last
        return moved
