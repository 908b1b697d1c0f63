"""Events at which a live agent is stopped, and how they are released. Uses no clock, socket or file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.live.endpoint_messages import EndpointInput
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, Order, Until
from dap_ai.debuggees.runs.run_model import Event, Run
from dap_ai.debuggees.runs.running.edit_documents import ENDINGS, after_edit, document, from_document

if TYPE_CHECKING:  # only for annotations
    from dap_ai.debuggees.runs.running.live_stage import LiveStage

RUNS = "the agent runs: `pause` holds it at its next event"


@dataclass
class At:
    """One event at which an agent is stopped."""

    held: AgentHold
    index: int
    thread: int
    path: str = ""
    """Path of the event's document; empty if the event can't be edited."""
    written: str = ""


class Present:
    """The stopped events of a live run, by the gate's id."""

    def __init__(self, opened: OpenRun, stage: LiveStage) -> None:
        self.opened, self._stage = opened, stage
        self.holds: dict[int, At] = {}

    def arrives(self, held: AgentHold) -> At:
        """Register a stopped event, which is already in the run."""
        opened = self.opened
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
        """Remove an event that is no longer stopped."""
        if (at := self.holds.pop(ident, None)) is not None:
            self.opened.pins.pop(at.thread, None)
            self.opened.programs.pop(at.thread, None)
            self.opened.documents.let_go(at.index)

    def of(self, thread: int) -> At:
        """Return the stopped event of a thread; if only one event is stopped, that event. Raises RequestError."""
        found = [at for at in self.holds.values() if at.thread == thread or len(self.holds) == 1]
        if not found:
            raise RequestError(RUNS)
        return found[0]

    def at(self, index: int) -> At:
        """Return the stopped event at an index. Raises RequestError."""
        found = [at for at in self.holds.values() if at.index == index]
        if not found:
            raise RequestError("past: read-only. Only what is held can be edited" if self.holds else RUNS)
        return found[0]

    def replaced(self) -> bool:
        """Update the indices of stopped events after the run was read again; return whether any index has changed.

        An index changes because a workspace change is recorded late, but precedes the query at which it was found.
        """
        opened, before = self.opened, {at.index: at for at in self.holds.values()}
        for at in self.holds.values():
            at.index = _event_of(at.held, opened.run).index
            opened.pins[at.thread] = at.index
        moved = {index: at.index for index, at in before.items() if index != at.index}
        opened.documents.moved(moved)
        if opened.cursor.index in moved:
            opened.cursor.go_to(moved[opened.cursor.index])
        return bool(moved)

    def order(self, at: At, order: Order) -> None:
        """Send an edit to the gate, and apply the edit to the stopped event here."""
        at.held = after_edit(at.held, order)
        self._stage.say(EndpointInput(order=order))
        text = document(at.held)
        if text is not None and order.do == "edit":
            at.written = text
            self._stage.write(at.path.replace("\\", "/").rpartition("/")[2], text)

    def take(self, at: At) -> bool:
        """Send the edits that the user made in the event's document; return whether there were any.

        Raises RequestError without sending anything.
        """
        now = self._stage.read(at.path) if at.path else None
        order = from_document(at.held, at.written, now) if now is not None else None
        if order is not None:
            self.order(at, order)
        return order is not None

    def release(self, at: At, until: Until = "", *, again: bool = False) -> None:
        """Let the agent continue; with `again`, after another query of the model.

        Without `again`, first sends the edits of the event's document. Raises RequestError, and keeps the agent
        stopped, if the document is invalid.
        """
        if not again:
            self.take(at)
        self._stage.say(EndpointInput(order=Order(at.held.ident, "again" if again else "go", until=until)))
        self.leaves(at.held.ident)

    def pause(self) -> None:
        """Stop at the next event of any agent."""
        self._stage.say(EndpointInput(pause=True))


def _event_of(held: AgentHold, run: Run) -> Event:
    """Return the run's event at which the agent is stopped; the last event if that one can't be identified."""
    past = run.events[::-1]

    def newest(kind: str, **fields: str) -> Event | None:
        is_it = (e for e in past if e.kind == kind and all(getattr(e, name) == fields[name] for name in fields))
        return next(is_it, None)

    if held.kind in ("call", "result"):
        return newest(held.kind, call_id=held.call_id) or newest(held.kind) or past[0]
    asked = newest("query", native_id=str(held.query))
    if asked is None:
        return newest(held.kind) or past[0]
    if held.kind == "query":
        return asked
    if held.kind == "change":
        before = (e for e in reversed(run.events[: asked.index]) if e.kind == "change")
        return next(before, asked)
    after = (e for e in run.events[asked.index + 1 :] if e.agent == asked.agent and e.kind in ("response", "error"))
    return next(after, past[0])


def value_shown(value: Any) -> str:
    """Format a new value for the response to `setVariable`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
