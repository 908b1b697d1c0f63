"""Indexes of a run's events, and the results of the run's analysis once that is complete."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.adapter.plans import is_plan, items_of
from dap_ai.debuggees.runs.analysis.analysis_model import Effect, Pattern, RunAnalysis, StepCheck
from dap_ai.debuggees.runs.run_model import Event, Run, TokenUsage

_NEAR = 40
"""Number of an agent's events after a query that are searched for the response's token counts."""
_INDEXES = ("of_agent", "steps", "queries", "parents", "plans", "spent")
_SYSTEM = re.compile(r"(?:\A|\n\n)system: (.*?)(?=\n\n(?:user|assistant|tool): |\Z)", re.DOTALL)


class CumulativeCost:
    """Running totals of tokens and dollars over all agents."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._at: list[int] = []
        self._sums: list[tuple[int, float | None]] = []
        tokens, cost = 0, None
        for event in events:
            if (usage := event.usage) is None:
                continue
            tokens += tokens_of(usage) or 0
            cost = cost if usage.cost_usd is None else (cost or 0.0) + usage.cost_usd
            self._at.append(event.index)
            self._sums.append((tokens, cost))

    def until(self, index: int) -> tuple[int, float | None]:
        """Return (tokens, dollars) of all events up to and including `index`; dollars are None if not recorded."""
        place = bisect_right(self._at, index)
        return self._sums[place - 1] if place else (0, None)


class RunFacts:
    """Facts about a run, derived when first used.

    `analysed` provides the analysis; `path` is the run's path as the user gave it. `against` is the path of another run
    of the same task, to compare with. `known` says how much of the run has been read; empty means the whole run.
    """

    def __init__(self, run: Run, analysed: Analysed, path: str = "", against: str = "", known: str = "") -> None:
        self.run = run
        self.path = path or run.root
        self.against = against
        self.analysed = analysed
        self.known = known
        self._index: _Indexed | None = None
        self._heard: dict[str, Sequence[int]] = {}

    def grow(self, run: Run, analysed: Analysed, known: str) -> None:
        """Replace the run by a longer one with the same beginning."""
        self.run, self.analysed, self.known = run, analysed, known
        self._index = None
        self._heard.clear()
        for name in _INDEXES:
            self.__dict__.pop(name, None)

    def is_last(self, event: Event) -> bool:
        """Return whether the run ends with this event; False while the run is still being read."""
        return not self.known and event.index == len(self.run.events) - 1

    # -- indexes, built on first use ---------------------------------------------------------------------------------

    @cached_property
    def of_agent(self) -> Mapping[str, Sequence[int]]:
        """Indices of each agent's events, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        for event in self.run.events:
            found[event.agent].append(event.index)
        return found

    def last_of(self, agent: str, index: int) -> Event | None:
        """Return the agent's last event up to and including `index`, or None without such an event."""
        indices = self.of_agent.get(agent, ())
        place = bisect_right(indices, index)
        return self.run.events[indices[place - 1]] if place else None

    @cached_property
    def steps(self) -> Mapping[int, Sequence[int]]:
        """Indices of each step's events, in order."""
        found: dict[int, list[int]] = defaultdict(list)
        for event in self.run.events:
            if event.step:
                found[event.step].append(event.index)
        return found

    def end_of(self, step: int) -> int | None:
        """Return the index at which a step is complete: its first result, else its last event; None if unknown."""
        indices = self.steps.get(step, ())
        results = (index for index in indices if self.run.events[index].kind == "result")
        return next(results, indices[-1] if indices else None)

    def ends_step(self, event: Event) -> bool:
        """Return whether this event completes its step."""
        return event.step > 0 and event.index == self.end_of(event.step)

    def call_of(self, event: Event) -> Event | None:
        """Return the call of the event's step; None for a response, or for a step without a call."""
        if event.kind == "response":
            return None
        events = (self.run.events[index] for index in self.steps.get(event.step, ()))
        return next((other for other in events if other.kind == "call"), None)

    @cached_property
    def queries(self) -> Mapping[str, Sequence[int]]:
        """Indices of the first events of each agent's cycles: its queries or, if not recorded, its responses."""
        found: dict[str, list[int]] = defaultdict(list)
        cycles: dict[str, int] = defaultdict(int)
        for event in self.run.events:
            if event.cycle > cycles[event.agent]:
                cycles[event.agent] = event.cycle
                found[event.agent].append(event.index)
        return found

    def next_cycle(self, agent: str, index: int) -> int | None:
        """Return the index of the first event of the agent's next cycle, or None after the last cycle."""
        begins = self.queries.get(agent, ())
        place = bisect_right(begins, index)
        return begins[place] if place < len(begins) else None

    @cached_property
    def parents(self) -> Mapping[str, Event]:
        """The call that started each sub-agent: the parent's last call before the sub-agent's first event."""
        found: dict[str, Event] = {}
        for agent in self.run.agents:
            indices = self.of_agent.get(agent.name, ())
            past = self.of_agent.get(agent.parent, ()) if agent.parent and indices else ()
            place = bisect_right(past, indices[0]) if indices else 0
            for index in reversed(past[:place]):
                if self.run.events[index].kind == "call":
                    found[agent.name] = self.run.events[index]
                    break
        return found

    @cached_property
    def plans(self) -> Mapping[str, Sequence[int]]:
        """Indices at which each agent writes its to-do list."""
        found: dict[str, list[int]] = defaultdict(list)
        for event in filter(is_plan, self.run.events):
            found[event.agent].append(event.index)
        return found

    def plan_at(self, agent: str, index: int) -> Mapping[str, str]:
        """Return the agent's to-do items at an event, with their states; empty before the first list."""
        indices = self.plans.get(agent, ())
        place = bisect_right(indices, index)
        return items_of(self.run.events[indices[place - 1]]) if place else {}

    def heard(self, agent: str, kinds: Sequence[str]) -> Sequence[int]:
        """Return the indices of an agent's events of these kinds; a query without text is left out."""
        if agent not in self._heard:
            events = (self.run.events[index] for index in self.of_agent.get(agent, ()))
            said = (event for event in events if event.kind in kinds)
            self._heard[agent] = [event.index for event in said if event.kind != "query" or event.beginning(1)]
        return self._heard[agent]

    @staticmethod
    def count_before(indices: Sequence[int], index: int) -> int:
        """Return the number of these sorted indices that are below `index`."""
        return bisect_left(indices, index)

    def input_tokens(self, query: Event) -> int | None:
        """Return a query's input tokens, taken from its response; None if not recorded."""
        own = self.of_agent.get(query.agent, ())
        start = bisect_left(own, query.index)
        for index in own[start : start + _NEAR]:
            usage = self.run.events[index].usage
            if usage is not None and usage.input_tokens is not None:
                return usage.input_tokens
        return None

    def system_prompt(self, agent: str) -> str:
        """Return an agent's system prompt; empty if the agent's first query does not contain it."""
        begins = self.queries.get(agent, ())
        return system_prompt(self.run.events[begins[0]]) if begins else ""

    @cached_property
    def spent(self) -> CumulativeCost:
        """Running totals of tokens and cost."""
        return CumulativeCost(self.run.events)

    # -- analysis ----------------------------------------------------------------------------------------------------

    @property
    def analysis(self) -> RunAnalysis:
        """The run's analysis; empty until it is complete."""
        return self.analysed()

    @property
    def effects(self) -> Mapping[int, Effect]:
        """Effect of each step, by step number."""
        return self._indexed().effects

    @property
    def checks(self) -> Mapping[int, StepCheck]:
        """Result of each check, by step number."""
        return self._indexed().checks

    def patterns_at(self, event: Event) -> Sequence[Pattern]:
        """Return the failure patterns that end with this event; a pattern without steps ends with the run.

        Uses the analysis only for events that end a step or the run, because patterns end nowhere else.
        """
        if not self.ends_step(event) and not self.is_last(event):
            return ()
        return self._indexed().patterns.get(event.index, ())

    def _indexed(self) -> _Indexed:
        analysis = self.analysis
        if self._index is None or self._index.of is not analysis:
            patterns: dict[int, list[Pattern]] = defaultdict(list)
            for pattern in analysis.patterns:
                end = self.end_of(pattern.steps[-1]) if pattern.steps else len(self.run.events) - 1
                if end is not None:
                    patterns[end].append(pattern)
            effects, checks = {e.step: e for e in analysis.effects}, {c.step: c for c in analysis.checks}
            self._index = _Indexed(analysis, effects, checks, patterns)
        return self._index


class _Indexed(NamedTuple):
    """An analysis, indexed by step and event."""

    of: RunAnalysis
    effects: Mapping[int, Effect]
    checks: Mapping[int, StepCheck]
    patterns: Mapping[int, Sequence[Pattern]]


def tokens_of(usage: TokenUsage | None) -> int | None:
    """Return input plus output tokens; None if neither number is recorded."""
    known = [n for n in (usage.input_tokens, usage.output_tokens) if n is not None] if usage else []
    return sum(known) if known else None


def system_prompt(event: Event) -> str:
    """Return the system prompt that an event contains; empty without a system prompt."""
    if event.kind not in ("query", "note"):
        return ""
    return "\n\n".join(_SYSTEM.findall(event.text)) if "system: " in event.text else ""
