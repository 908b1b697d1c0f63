"""Where a live agent is held at this moment, and what is sent on. No clock, no socket, no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from dap_ai.debuggees.runs.adapter.arguments import Refused
from dap_ai.debuggees.runs.adapter.opened import Opened
from dap_ai.debuggees.runs.live.gate.orders import Held, Order, Until
from dap_ai.debuggees.runs.live.talk import Line
from dap_ai.debuggees.runs.model import Event, Run
from dap_ai.debuggees.runs.running.edits import ENDINGS, after_edit, document, from_document

RUNS = "the agent runs: `pause` holds it at its next event"


class Stage(Protocol):
    """Where the agent runs: what a session needs done outside of itself."""

    @property
    def path(self) -> str:
        """The recording's folder."""
        ...

    def run(self) -> Run:
        """The recording so far."""
        ...

    def say(self, line: Line) -> None:
        """Something for the gate."""
        ...

    def begin(self) -> None:
        """Starts the agent. Raises Refused."""
        ...

    def in_terminal(self) -> tuple[list[str], dict[str, str | None], str]:
        """What a client is to start in its terminal instead: words, variables, directory."""
        ...

    def write(self, name: str, text: str) -> str:
        """A document that can be edited; its path."""
        ...

    def read(self, path: str) -> str | None:
        """What it holds now; None where it is gone."""
        ...

    def end_agent(self) -> None:
        """Tells the agent to end."""
        ...

    def leave(self) -> None:
        """The agent goes on without a debugger."""
        ...


@dataclass
class At:
    """One that is held."""

    held: Held
    index: int
    thread: int
    path: str = ""
    """Of its document."""
    written: str = ""


class Present:
    """The agents that are held, by the number of what holds them."""

    def __init__(self, opened: Callable[[], Opened], stage: Stage) -> None:
        self._opened, self._stage = opened, stage
        self.holds: dict[int, At] = {}

    def arrives(self, held: Held) -> At:
        """An agent is held; its event is in the run."""
        opened = self._opened()
        event = _event_of(held, opened.run)
        at = self.holds[held.ident] = At(held, event.index, opened.threads.of(event))
        opened.pins[at.thread] = at.index
        opened.programs[at.thread] = held.frames
        text = document(held)
        if text is not None:
            at.path = opened.documents.hold(event, text, ENDINGS[held.kind], self._stage.write)
            at.written = text
        return at

    def leaves(self, ident: int) -> None:
        """It is held no more."""
        if (at := self.holds.pop(ident, None)) is not None:
            self._opened().pins.pop(at.thread, None)
            self._opened().programs.pop(at.thread, None)
            self._opened().documents.let_go(at.index)

    def of(self, thread: int) -> At:
        """The hold of a thread, or the only one. Raises Refused."""
        found = next((at for at in self.holds.values() if at.thread == thread), None)
        if found is None and len(self.holds) == 1:
            found = next(iter(self.holds.values()))
        if found is None:
            raise Refused(RUNS)
        return found

    def at(self, index: int) -> At:
        """The hold at an event. Raises Refused."""
        found = next((at for at in self.holds.values() if at.index == index), None)
        if found is None:
            raise Refused("past: read-only. Only what is held can be edited" if self.holds else RUNS)
        return found

    def replaced(self) -> bool:
        """The run has been read anew; whether what is held stands elsewhere in it now.

        A change of the workspace is known late, and stands before the query that it was found at.
        """
        opened, before = self._opened(), {at.index: at for at in self.holds.values()}
        for at in self.holds.values():
            at.index = _event_of(at.held, opened.run).index
            opened.pins[at.thread] = at.index
        moved = {index: at.index for index, at in before.items() if index != at.index}
        opened.documents.moved(moved)
        if opened.cursor.index in moved:
            opened.cursor.go_to(moved[opened.cursor.index])
        return bool(moved)

    def order(self, at: At, order: Order) -> None:
        """Sends an edit, and knows it."""
        at.held = after_edit(at.held, order)
        self._stage.say(Line(order=order))
        text = document(at.held)
        if text is not None and order.do == "edit":
            at.written = text
            self._stage.write(at.path.replace("\\", "/").rpartition("/")[2], text)

    def take(self, at: At) -> bool:
        """Sends what was edited in its document; whether anything was. Raises Refused, and nothing is sent."""
        now = self._stage.read(at.path) if at.path else None
        order = from_document(at.held, at.written, now) if now is not None else None
        if order is not None:
            self.order(at, order)
        return order is not None

    def release(self, at: At, until: Until = "", *, again: bool = False) -> None:
        """Sends it on. Raises Refused where its document cannot be read: it stays held."""
        if not again:
            self.take(at)
        self._stage.say(Line(order=Order(at.held.ident, "again" if again else "go", until=until)))
        self.leaves(at.held.ident)

    def pause(self) -> None:
        """The next event holds its agent."""
        self._stage.say(Line(pause=True))


def _event_of(held: Held, run: Run) -> Event:
    """The event that is held; the last one, where it cannot be told."""
    events = run.events
    if held.kind in ("call", "result"):
        named = (e for e in reversed(events) if e.kind == held.kind and e.call_id == held.call_id)
        found = next(named, None) or next((e for e in reversed(events) if e.kind == held.kind), None)
        return found or events[-1]
    asked = next((e for e in reversed(events) if e.kind == "query" and e.native_id == str(held.query)), None)
    if asked is None:
        return next((e for e in reversed(events) if e.kind == held.kind), events[-1])
    if held.kind == "query":
        return asked
    if held.kind == "change":
        before = (e for e in reversed(events[: asked.index]) if e.kind == "change")
        return next(before, asked)
    after = (e for e in events[asked.index + 1 :] if e.agent == asked.agent and e.kind in ("response", "error"))
    return next(after, events[-1])


def value_shown(value: Any) -> str:
    """A new value, as `setVariable` answers with it."""
    import json  # noqa: PLC0415  one use

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
