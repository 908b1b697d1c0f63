"""Documents of a run as files: `run.md`, and one document for each event that was opened."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.views.run_document import RUN_FILE, index_of, line_of, run_document
from dap_ai.debuggees.runs.call_diff import change_lines
from dap_ai.debuggees.runs.event_titles import title
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.protocol.wire.visible import visible

_MANY_DIGITS = 6
"""Digits of event numbers in document names while the number of events is unknown."""
_MAX_CHARS = 8_000_000
"""Maximum characters per document."""


class Documents:
    """Documents of a run. `write` creates a file and returns its path; each new document is passed to `told`."""

    def __init__(
        self,
        facts: RunFacts,
        write: Callable[[str, str], str],
        told: Callable[[dict[str, Any]], None],
        *,
        grows: bool = False,
    ) -> None:
        """Write `run.md`.

        With `grows`, the run is live: `run.md` is rewritten instead of continued in other files.
        """
        self._facts = facts
        self._write = write
        self._grows = grows
        self._told = told
        self._paths: dict[str, str] = {}
        self._end = 0
        """Number of events in `run.md` and its continuations."""
        self._events: dict[str, int] = {}
        """Event index by document path."""
        self._digits = max(_MANY_DIGITS if facts.known and not grows else 3, len(str(len(facts.run.events))))
        self._held: dict[int, str] = {}
        """Name of each stopped event's document, by event index."""
        self._parts: list[tuple[int, str]] = []
        """(index of the first event, name) of `run.md` and each continuation."""
        self.grow()

    def grow(self) -> None:
        """Write new events to another file: `run.md`, then `run-2.md`, so that open documents never change."""
        first, facts = self._end, self._facts
        if self._grows:
            return self._rewrite()
        if self._parts and first >= len(facts.run.events):
            return None
        name = RUN_FILE if not self._parts else f"{RUN_FILE.removesuffix('.md')}-{len(self._parts) + 1}.md"
        self._paths[name] = self._write(name, run_document(facts.run, facts.known, first))
        self._parts.append((first, name))
        self._end = len(facts.run.events)
        if first:
            self._told(self._source(name))
        return None

    def _rewrite(self) -> None:
        facts = self._facts
        self._paths[RUN_FILE] = self._write(RUN_FILE, run_document(facts.run, facts.known))
        self._parts, self._end = [(0, RUN_FILE)], len(facts.run.events)

    @property
    def run(self) -> dict[str, Any]:
        """`run.md` as a DAP Source."""
        return self._source(RUN_FILE)

    def place(self, index: int) -> tuple[dict[str, Any], int]:
        """Return (document, 1-based line) of an event in `run.md` or a continuation."""
        first, name = self._parts[bisect_right(self._parts, index, key=itemgetter(0)) - 1]
        return self._source(name), line_of(index - first)

    def lines(self, path: str) -> range:
        """Return the lines of a document that have events; empty for an unknown document."""
        for at, (first, name) in enumerate(self._parts):
            if path == self._paths[name]:
                end = self._parts[at + 1][0] if at + 1 < len(self._parts) else self._end
                return range(line_of(0), line_of(end - first))
        return range(1, 2 if path in self._events else 1)

    @property
    def all(self) -> list[dict[str, Any]]:
        """All existing documents."""
        return [self._source(name) for name in self._paths]

    def of(self, event: Event) -> dict[str, Any]:
        """Return the document of an event."""
        if name := self._held.get(event.index):
            return self._source(name)
        ending = {"call": ".json", "change": ".diff"}.get(event.kind, ".md")
        return self._made(event, f"{self._number(event)}-{event.kind}{_tool(event)}{ending}", content)

    def hold(self, event: Event, text: str, ending: str, write: Callable[[str, str], str]) -> str:
        """Replace a stopped event's document by an editable document; return its path."""
        name = f"{self._number(event)}-{event.kind}{_tool(event)}{ending}"
        self._held[event.index] = name
        self._paths[name] = path = write(name, text)
        self._events[path] = event.index
        return path

    def let_go(self, index: int) -> None:
        """Forget the editable document of an event that is no longer stopped, so that the next one is read-only."""
        if (name := self._held.pop(index, "")) and name in self._paths:
            self._events.pop(self._paths.pop(name), None)

    def moved(self, to: Mapping[int, int]) -> None:
        """Change the indices of stopped events, given as old to new, and keep their documents."""
        self._held = {to.get(index, index): name for index, name in self._held.items()}
        held = {self._paths[name] for name in self._held.values()}
        self._events = {path: to.get(at, at) if path in held else at for path, at in self._events.items()}

    def forget(self) -> None:
        """Discard documents, because events have changed; keep `run.md` and the documents of stopped events."""
        kept = {name for _, name in self._parts} | set(self._held.values())
        self._paths = {name: path for name, path in self._paths.items() if name in kept}

    def change_by(self, event: Event) -> dict[str, Any]:
        """Return a document with the diff of what the event's step writes."""
        return self._made(event, f"{self._number(event)}-change.diff", lambda each: diff_of(each, self._facts))

    def event_at(self, path: str, line: int) -> int | None:
        """Return the index of the event at a line of a document; None for an unknown document."""
        for first, name in self._parts:
            if path == self._paths[name] and (known := self.lines(path)):
                return first + index_of(max(known[0], min(line, known[-1])))
        return self._events.get(path)

    def line_at(self, path: str, index: int) -> int:
        """Return the 1-based line of an event in a document; 1 in the event's own document."""
        source, line = self.place(index)
        return line if path == source["path"] else 1

    def _number(self, event: Event) -> str:
        return str(event.index).zfill(self._digits)

    def _made(self, event: Event, name: str, text: Callable[[Event], str]) -> dict[str, Any]:
        if name not in self._paths:
            whole = text(event)
            more = len(whole) - _MAX_CHARS
            whole = whole if more <= 0 else f"{whole[:_MAX_CHARS]}\n... {more:,} characters more\n"
            self._paths[name] = self._write(name, whole)
            self._events[self._paths[name]] = event.index
            self._told(self._source(name))
        return self._source(name)

    def _source(self, name: str) -> dict[str, Any]:
        return {"name": name, "path": self._paths[name]}


def content(event: Event) -> str:
    """Return the full text of an event: a call as JSON, a change as a diff, anything else as Markdown."""
    if event.kind == "call":
        return _json({"tool": event.tool, "arguments": _arguments(event)})
    if event.kind == "change":
        return visible(event.text) + "\n"
    parts = [f"# {title(event)}"]
    if event.reasoning:
        parts += ["## Reasoning", visible(event.reasoning)]
    if event.text:
        parts += ["## Text" if event.reasoning or event.arguments else "", visible(event.text)]
    if event.arguments:
        parts += ["## Data", _json(event.arguments)]
    return "\n\n".join(part for part in parts if part) + "\n"


def in_console(event: Event) -> str:
    """Return the full text of an event for a terminal; a command keeps its line breaks."""
    if event.kind != "call":
        return content(event)
    head, text = f"# {title(event)}\n\n", visible(event.text)
    return f"{head}{text}\n" if text else f"{head}{_json(event.arguments)}"


def diff_of(event: Event, facts: RunFacts) -> str:
    """Return unified diffs of the files that the event's step writes, made from the call; empty without writes."""
    effect = facts.effects.get(event.step)
    parts: list[str] = []
    for write in effect.writes if effect else ():
        lines = list(change_lines(write))
        head = (
            [f"--- {write.path}", f"+++ {write.path}"] if lines else [f"# {write.path}: {write.how}, without its text"]
        )
        parts += [] if write.how == "log" else [*head, *lines]
    return visible("\n".join(parts)) + "\n" if parts else ""


def _arguments(event: Event) -> Mapping[str, Any]:
    return event.arguments or ({"command": event.text} if event.text else {})


def _json(value: Any) -> str:
    """Format JSON for display, with control and invisible characters escaped."""
    return visible(json.dumps(value, indent=2, ensure_ascii=False, default=str)) + "\n"


def _tool(event: Event) -> str:
    tool = "".join(c if c.isalnum() or c in "-_" else "_" for c in event.tool)[:40]
    return f"-{tool}" if tool else ""
