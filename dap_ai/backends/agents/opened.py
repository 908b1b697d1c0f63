"""All that a session has once a run is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dap_ai.backends.agents.analysing import Analysed
from dap_ai.backends.agents.arguments import Refused
from dap_ai.backends.agents.breakpoints import Breakpoints
from dap_ai.backends.agents.console import Bounded, Console
from dap_ai.backends.agents.cursor import Cursor
from dap_ai.backends.agents.documents import Documents
from dap_ai.backends.agents.facts import Facts
from dap_ai.backends.agents.output import Telling
from dap_ai.backends.agents.references import References
from dap_ai.backends.agents.stack import Stack, Threads
from dap_ai.runs.model import Event, Run

Emit = Callable[[str, Mapping[str, Any]], None]
"""Sends an event: its name and body."""
Write = Callable[[str, str], str]
"""Makes a document of that name and text, in the place of one that is there; its path."""


class Loaded(NamedTuple):
    """A run, and what analysis sees in it."""

    run: Run
    analysed: Analysed
    path: str = ""
    """As it was opened."""
    against: str = ""
    """Of another run of the same task."""


class Opened:
    """One run that is being looked at. References and breakpoints live as long as the session."""

    def __init__(  # noqa: PLR0917  what a session lends to each of its runs
        self, loaded: Loaded, write: Write, emit: Emit, bounded: Bounded, references: References, stops: Breakpoints
    ) -> None:
        self.run = loaded.run
        self.facts = Facts(loaded.run, loaded.analysed, loaded.path, loaded.against)
        self.emit = emit
        self.references = references
        self.breakpoints = stops
        self.documents = Documents(self.facts, write, self._new_document)
        self.cursor = Cursor(self.facts)
        self.threads = Threads(self.facts)
        self.stack = Stack(self.facts, self.documents)
        self.console = Console(self.facts, bounded)
        self.telling = Telling(self.run, self.documents, lambda body: emit("output", body))

    @property
    def held(self) -> Event:
        """The held event. Raises Refused."""
        if (event := self.cursor.event) is None:
            raise Refused("the run has ended" if self.cursor.index >= 0 else "the run has not begun: configurationDone")
        return event

    def _new_document(self, source: Mapping[str, Any]) -> None:
        self.emit("loadedSource", {"reason": "new", "source": source})
