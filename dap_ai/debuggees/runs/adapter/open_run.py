"""State of a debug session while a run is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.run_growth import BackgroundReader, Growth
from dap_ai.debuggees.runs.adapter.stopping.cursor import Cursor
from dap_ai.debuggees.runs.adapter.stopping.run_breakpoints import RunBreakpoints
from dap_ai.debuggees.runs.adapter.views.event_documents import Documents
from dap_ai.debuggees.runs.adapter.views.references import References
from dap_ai.debuggees.runs.adapter.views.run_console import Bounded, RunConsole
from dap_ai.debuggees.runs.adapter.views.run_stack import RunStack, RunThreads
from dap_ai.debuggees.runs.event_titles import line, title
from dap_ai.debuggees.runs.run_model import Event, Run

Emit = Callable[[str, Mapping[str, Any]], None]
"""Sends a DAP event; takes its name and body."""
Write = Callable[[str, str], str]
"""Writes a document, or replaces an existing document; takes name and text, returns the path."""
Later = Callable[[Growth], None]
"""Receives portions of a run that are read in the background."""
_MOST = 200
"""Maximum number of a move's events that are printed, counted from its end."""
_KINDS = {"error": "important"}
_OWN = "stdout"
"""Output category for the run's own events; VS Code shows all of "console" as warnings."""


class Loaded(NamedTuple):
    """A run and its analysis."""

    run: Run
    analysed: Analysed
    path: str = ""
    """Path of the run, as the user gave it."""
    against: str = ""
    """Path of another run of the same task, to compare with; empty for none."""
    rest: BackgroundReader | None = None
    """Reader of the rest of the run, if `run` is only the beginning."""
    known: str = ""
    """Text about the part of the run that has been read; empty if the whole run has been read."""


class OpenRun:
    """An open run with its documents, threads, stack and console.

    Variable references and breakpoints outlive the run and last as long as the session.
    """

    def __init__(  # noqa: PLR0917  objects of the session, shared by its runs
        self,
        loaded: Loaded,
        write: Write,
        emit: Emit,
        bounded: Bounded,
        references: References,
        stops: RunBreakpoints,
        later: Later,
        *,
        live: bool = False,
    ) -> None:
        """Open a run; `live` means that the run's agent is running."""
        self._later = later
        self.rest = loaded.rest
        self.facts = RunFacts(loaded.run, loaded.analysed, loaded.path, loaded.against, loaded.known)
        self.emit = emit
        self.pins: dict[int, int] = {}
        """Index of the event at which each stopped thread is held, by thread id."""
        self.programs: dict[int, Sequence[Mapping[str, Any]]] = {}
        """Frames of the agent's own program, by id of the stopped thread: `name`, `path`, `line`; innermost first."""
        self.references = references
        self.breakpoints = stops
        self.documents = Documents(self.facts, write, self._new_document, grows=live)
        self.cursor = Cursor(self.facts)
        self.threads = RunThreads(self.facts)
        self.stack = RunStack(self.facts, self.documents)
        self.console = RunConsole(self.facts, bounded)
        self.messages = RunMessages(self.facts, self.documents, lambda body: emit("output", body))

    @property
    def run(self) -> Run:
        """The run, as far as it has been read."""
        return self.facts.run

    def grow(self, run: Run, analysed: Analysed, known: str) -> None:
        """Replace the run by a longer one with the same beginning; an empty `known` means that the run is complete."""
        self.facts.grow(run, analysed, known)
        self.threads.grow()
        self.documents.grow()
        self.rest = self.rest if known else None

    def read_on(self) -> None:
        """Start reading the rest of the run."""
        if self.rest is not None:
            self.rest.begin(self._later)

    @property
    def current_event(self) -> Event:
        """The current event. Raises RequestError before the first and after the last event."""
        if (event := self.cursor.event) is None:
            raise RequestError(
                "the run has ended" if self.cursor.index >= 0 else "the run has not begun: configurationDone"
            )
        return event

    def _new_document(self, source: Mapping[str, Any]) -> None:
        self.emit("loadedSource", {"reason": "new", "source": source})


class RunMessages:
    """Prints a run's events and problems as output, each of them once."""

    def __init__(self, facts: RunFacts, documents: Documents, say: Callable[[dict[str, Any]], None]) -> None:
        self._facts = facts
        self._documents = documents
        self._say = say
        self._passed = 0

    def grown(self, text: str) -> None:
        """Print how much of the run has been read."""
        self._line(text)

    def problems(self) -> None:
        """Print the reader's problems: content that it did not understand."""
        found = self._facts.run.problems
        for problem in found[:_MOST]:
            self._line(f"problem: {line(problem.text, 500)}")
        if len(found) > _MOST:
            self._line(f"{len(found) - _MOST} problems more")

    def is_past(self, index: int) -> None:
        """Mark the events up to and including this one as printed."""
        self._passed = index + 1

    def passed(self, index: int) -> None:
        """Print the events up to and including this one."""
        end = min(index + 1, len(self._facts.run.events))
        new = self._facts.run.events[self._passed : end]
        if len(new) > _MOST:
            self._line(f"{len(new) - _MOST} events more, up to here")
        for (agent, cycle), events in groupby(new[-_MOST:], key=lambda event: (event.agent, event.cycle)):
            self._cycle(agent, cycle, list(events))
        self._passed = max(self._passed, end)

    def logged(self, event: Event, text: str) -> None:
        """Print a logpoint's message."""
        self._line(line(text, 10_000), event)

    def _cycle(self, agent: str, cycle: int, events: Sequence[Event]) -> None:
        """Print the events of a cycle as a group, and close the group so that no later output goes into it."""
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
