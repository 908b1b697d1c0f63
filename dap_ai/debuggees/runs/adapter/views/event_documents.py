"""The documents of a run as files: `run.md`, and one for each event that somebody has looked at."""

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
"""Of the numbers in the names of documents, where nobody knows yet how many there are."""
_MAX_CHARS = 8_000_000
"""Of one document."""


class Documents:
    """`write` makes a file and gives its path; it is called once for each name. `told` hears of each new one."""

    def __init__(
        self,
        facts: RunFacts,
        write: Callable[[str, str], str],
        told: Callable[[dict[str, Any]], None],
        *,
        grows: bool = False,
    ) -> None:
        """`grows`: the run happens now, and its document with it, in one file."""
        self._facts = facts
        self._write = write
        self._grows = grows
        self._told = told
        self._paths: dict[str, str] = {}
        self._end = 0
        """How many events stand in the run's own document."""
        self._events: dict[str, int] = {}
        """The event of each path."""
        self._digits = max(_MANY_DIGITS if facts.known and not grows else 3, len(str(len(facts.run.events))))
        self._held: dict[int, str] = {}
        """The names of documents of held events."""
        self._parts: list[tuple[int, str]] = []
        """Of the run's own document: the first event of each, and its name."""
        self.grow()

    def grow(self) -> None:
        """Writes what is new of the run: `run.md`, then `run-2.md`. One that is open in an editor never changes."""
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
        """`run.md`, as DAP's Source."""
        return self._source(RUN_FILE)

    def place(self, index: int) -> tuple[dict[str, Any], int]:
        """The document of the run in which an event has its line, and that line."""
        first, name = self._parts[bisect_right(self._parts, index, key=itemgetter(0)) - 1]
        return self._source(name), line_of(index - first)

    def lines(self, path: str) -> range:
        """The lines of a document at which something stands; none of one that is none of ours."""
        for at, (first, name) in enumerate(self._parts):
            if path == self._paths[name]:
                end = self._parts[at + 1][0] if at + 1 < len(self._parts) else self._end
                return range(line_of(0), line_of(end - first))
        return range(1, 2 if path in self._events else 1)

    @property
    def all(self) -> list[dict[str, Any]]:
        """Those that are there."""
        return [self._source(name) for name in self._paths]

    def of(self, event: Event) -> dict[str, Any]:
        """The document of an event."""
        if name := self._held.get(event.index):
            return self._source(name)
        ending = {"call": ".json", "change": ".diff"}.get(event.kind, ".md")
        return self._made(event, f"{self._number(event)}-{event.kind}{_tool(event)}{ending}", content)

    def hold(self, event: Event, text: str, ending: str, write: Callable[[str, str], str]) -> str:
        """The document of a held event as it can be edited, in the place of its own; its path."""
        name = f"{self._number(event)}-{event.kind}{_tool(event)}{ending}"
        self._held[event.index] = name
        self._paths[name] = path = write(name, text)
        self._events[path] = event.index
        return path

    def let_go(self, index: int) -> None:
        """A held event is past: its document is read-only from its next look on."""
        if (name := self._held.pop(index, "")) and name in self._paths:
            self._events.pop(self._paths.pop(name), None)

    def moved(self, to: Mapping[int, int]) -> None:
        """Held events stand elsewhere now, by where they stood: their documents go with them."""
        self._held = {to.get(index, index): name for index, name in self._held.items()}
        held = {self._paths[name] for name in self._held.values()}
        self._events = {path: to.get(at, at) if path in held else at for path, at in self._events.items()}

    def forget(self) -> None:
        """Events are others now: each is written anew when it is looked at, but for those that are held."""
        kept = {name for _, name in self._parts} | set(self._held.values())
        self._paths = {name: path for name, path in self._paths.items() if name in kept}

    def change_by(self, event: Event) -> dict[str, Any]:
        """What the step of an event writes, as a diff."""
        return self._made(event, f"{self._number(event)}-change.diff", lambda each: diff_of(each, self._facts))

    def event_at(self, path: str, line: int) -> int | None:
        """The index of the event that a line of a document means; None: the document is none of ours."""
        for first, name in self._parts:
            if path == self._paths[name] and (known := self.lines(path)):
                return first + index_of(max(known[0], min(line, known[-1])))
        return self._events.get(path)

    def line_at(self, path: str, index: int) -> int:
        """Where in a document an event stands: in its own at the first line."""
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
    """All that an event says: a call as JSON, a change as a diff, anything else as Markdown."""
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
    """The same for a terminal: a command with its line ends."""
    if event.kind != "call":
        return content(event)
    head, text = f"# {title(event)}\n\n", visible(event.text)
    return f"{head}{text}\n" if text else f"{head}{_json(event.arguments)}"


def diff_of(event: Event, facts: RunFacts) -> str:
    """What the step of an event writes, as unified diffs of what the call says; "" where it writes nothing."""
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
    """JSON for readers: what would hide or act is an escape."""
    return visible(json.dumps(value, indent=2, ensure_ascii=False, default=str)) + "\n"


def _tool(event: Event) -> str:
    tool = "".join(c if c.isalnum() or c in "-_" else "_" for c in event.tool)[:40]
    return f"-{tool}" if tool else ""
