"""The events that the cursor has come past, told in the console: a line each, a group for what is of one cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from dap_ai.backends.agents.documents import Documents
from dap_ai.backends.agents.facts import Facts
from dap_ai.runs.model import Event
from dap_ai.runs.titles import line, title

_MOST = 200
"""Events of one move that are told one by one: the last ones."""
_KINDS = {"error": "important"}
_OWN = "stdout"
"""The category of what the run itself did: VS Code shows all of "console" as a warning."""


class Telling:
    """What was told once is not told again."""

    def __init__(self, facts: Facts, documents: Documents, say: Callable[[dict[str, Any]], None]) -> None:
        self._facts = facts
        self._documents = documents
        self._say = say
        self._passed = 0

    def grown(self, text: str) -> None:
        """How much of the run is read."""
        self._line(text)

    def problems(self) -> None:
        """What the reader did not understand."""
        found = self._facts.run.problems
        for problem in found[:_MOST]:
            self._line(f"problem: {line(problem.text, 500)}")
        if len(found) > _MOST:
            self._line(f"{len(found) - _MOST} problems more")

    def is_past(self, index: int) -> None:
        """What led up to this event was told before."""
        self._passed = index + 1

    def passed(self, index: int) -> None:
        """Up to and with this event."""
        end = min(index + 1, len(self._facts.run.events))
        new = self._facts.run.events[self._passed : end]
        if len(new) > _MOST:
            self._line(f"{len(new) - _MOST} events more, up to here")
        for (agent, cycle), events in groupby(new[-_MOST:], key=lambda event: (event.agent, event.cycle)):
            self._cycle(agent, cycle, list(events))
        self._passed = max(self._passed, end)

    def logged(self, event: Event, text: str) -> None:
        """What a logpoint says."""
        self._line(line(text, 10_000), event)

    def _cycle(self, agent: str, cycle: int, events: Sequence[Event]) -> None:
        """The group is closed at once: in an open one an editor would put what the user types and is answered."""
        is_group = cycle > 0 and len(events) > 1
        if is_group:
            self._line(f"cycle {cycle} of {line(agent)}", events[0], group="start", category=_OWN)
        for event in events:
            self._line(title(event), event, category=_KINDS.get(event.kind, _OWN))
        if is_group:
            self._say({"category": _OWN, "output": "", "group": "end"})

    def _line(self, text: str, event: Event | None = None, **more: Any) -> None:
        at: dict[str, Any] = {}
        if event is not None:
            at["source"], at["line"] = self._documents.place(event.index)
        self._say({"category": "console", "output": f"{text}\n", **at, **more})
