"""Threads and call stacks of a run: each agent is a thread, and each of several parallel calls is a thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.views.event_documents import Documents
from dap_ai.debuggees.runs.event_titles import line, title
from dap_ai.debuggees.runs.gist import name_of
from dap_ai.debuggees.runs.run_model import Event

FrameKind = Literal["event", "cycle", "change", "call", "run"]
_KINDS: Sequence[FrameKind] = ("event", "cycle", "change", "call", "run")
_FIRST_CALL = 1_000_000_000
"""First thread id of parallel calls; thread ids of agents start at 1."""
_MOST_PARENTS = 50
FIRST_PROGRAM = 1_000_000_000_000
"""First frame id of the agent's own program."""


class RunFrame(NamedTuple):
    """The event and the kind of a stack frame."""

    event: Event
    kind: FrameKind


class RunThreads:
    """Threads that exist while the run is stopped at an event."""

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts

    def grow(self) -> None:
        """Discard cached data about parallel calls, because more of the run was read."""
        self.__dict__.pop("_parallel", None)

    @property
    def _names(self) -> Sequence[str]:
        return [agent.name for agent in self._facts.run.agents] or ["main"]

    def at(self, index: int) -> dict[int, str]:
        """Return thread names by id: the main agent, the sub-agents that are active, and the parallel calls."""
        found = {1: self._name(0)}
        for number, name in enumerate(self._names[1:], 2):
            indices = self._facts.of_agent.get(name, ())
            if indices and indices[0] <= index <= indices[-1]:
                found[number] = self._name(number - 1)
        for call in self._calls_at(index):
            found[_FIRST_CALL + call.index] = f"{call.agent}: {title(call)}"
        return found

    def of(self, event: Event) -> int:
        """Return the thread id of an event."""
        if event.kind in ("call", "result") and (call := self._parallel.get(event.step)) is not None:
            return _FIRST_CALL + call[0]
        return self._names.index(event.agent) + 1 if event.agent in self._names else 1

    def agent(self, thread: int) -> str:
        """Return the agent of a thread. Raises RequestError."""
        if call := self.call(thread):
            return call.agent
        if not 0 < thread <= len(self._names):
            raise RequestError(f"there is no thread {thread}")
        return self._names[thread - 1]

    def call(self, thread: int) -> Event | None:
        """Return the call of a thread, or None for an agent's thread."""
        index = thread - _FIRST_CALL
        if not 0 <= index < len(self._facts.run.events):
            return None
        event = self._facts.run.events[index]
        return event if self._parallel.get(event.step, (-1, -1))[0] == index else None

    def last_event(self, thread: int, index: int) -> Event | None:
        """Return a thread's last event up to and including `index`, or None before the first. Raises RequestError."""
        if call := self.call(thread):
            end = self._parallel[call.step][1]
            return self._facts.run.events[end if end <= index else call.index] if call.index <= index else None
        return self._facts.last_of(self.agent(thread), index)

    def _name(self, number: int) -> str:
        agents = self._facts.run.agents
        model = agents[number].model if agents else ""
        return line(f"{self._names[number]} ({model})" if model else self._names[number])

    def _calls_at(self, index: int) -> Sequence[Event]:
        events = self._facts.run.events
        return [events[start] for start, end in self._parallel.values() if start <= index <= end] if events else []

    @cached_property
    def _parallel(self) -> Mapping[int, tuple[int, int]]:
        """(index of the call, index of its result) by step number, for calls of one agent that overlap."""
        spans: dict[int, tuple[int, int]] = {}
        waiting: dict[str, dict[int, int]] = defaultdict(dict)
        for event in self._facts.run.events:
            own = waiting[event.agent]
            if event.kind in ("query", "response"):
                own.clear()
            elif event.kind == "call" and event.step:
                own[event.step] = event.index
            elif event.kind == "result" and event.step in own:
                if len(own) > 1 or event.step in spans:
                    spans |= {step: spans.get(step, (start, start)) for step, start in own.items()}
                    spans[event.step] = (own[event.step], event.index)
                del own[event.step]
        return spans


class RunStack:
    """Stack frames at an event: the event, its cycle, the files it writes, the calling agents, and the run."""

    def __init__(self, facts: RunFacts, documents: Documents) -> None:
        self._facts = facts
        self._documents = documents

    def frames(self, event: Event) -> list[dict[str, Any]]:
        """Return DAP StackFrames, innermost first."""
        run, documents = self._facts.run, self._documents
        cycle = f"cycle {event.cycle} of {line(event.agent)}" if event.cycle else "before the first cycle"
        frames = [
            _frame(event, "event", title(event), *documents.place(event.index)),
            _frame(event, "cycle", cycle, documents.of(event), 1),
        ]
        if change := self._change(event):
            frames.append(_frame(event, "change", change, documents.change_by(event), 1))
        parents = [
            _frame(call, "call", f"{line(call.agent)}: {title(call)}", *documents.place(call.index))
            for call in self._parents(event)
        ]
        return [*frames, *parents, _frame(event, "run", line(name_of(run)), documents.run, 1)]

    def frame(self, ident: int) -> RunFrame:
        """Return the event and kind of the frame with that id. Raises RequestError."""
        index, kind = divmod(ident - 1, len(_KINDS))
        if not 0 <= index < len(self._facts.run.events):
            raise RequestError(f"there is no frame {ident}")
        return RunFrame(self._facts.run.events[index], _KINDS[kind])

    def _parents(self, event: Event) -> Sequence[Event]:
        """Return the calls that started the event's agent and its parents, innermost first."""
        found: list[Event] = []
        agent = event.agent
        while (call := self._facts.parents.get(agent)) and len(found) < _MOST_PARENTS:
            found.append(call)
            agent = call.agent
        return found

    def _change(self, event: Event) -> str:
        """Return `changes a.py, b.py`; empty if the event's step writes no file."""
        effect = self._facts.effects.get(event.step) if event.kind in ("call", "result") else None
        paths = dict.fromkeys(line(write.path) for write in effect.writes if write.how != "log") if effect else {}
        return line(f"changes {', '.join(paths)}") if paths else ""


def program_frames(told: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return DAP StackFrames of the agent's own program, with locations but without variables."""
    return [
        {
            "id": FIRST_PROGRAM + number,
            "name": line(str(frame.get("name") or "?")),
            "source": {
                "name": str(frame.get("path") or "?").replace("\\", "/").rpartition("/")[2],
                "path": str(frame.get("path") or "?"),
            },
            "line": frame["line"] if isinstance(frame.get("line"), int) else 0,
            "column": 1,
            "presentationHint": "subtle",
        }
        for number, frame in enumerate(told)
    ]


def _frame(event: Event, kind: FrameKind, name: str, source: Mapping[str, Any], at: int) -> dict[str, Any]:
    ident = event.index * len(_KINDS) + _KINDS.index(kind) + 1
    return {"id": ident, "name": name, "source": source, "line": at, "column": 1}
