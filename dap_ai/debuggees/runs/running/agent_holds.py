"""Where a live agent is held at this moment, and what is sent on. No clock, no socket, no file."""

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

if TYPE_CHECKING:  # which does what a session decides
    from dap_ai.debuggees.runs.running.live_stage import LiveStage

RUNS = "the agent runs: `pause` holds it at its next event"


@dataclass
class At:
    """One that is held."""

    held: AgentHold
    index: int
    thread: int
    path: str = ""
    """Of its document."""
    written: str = ""


class Present:
    """The agents that are held, by the number of what holds them."""

    def __init__(self, opened: OpenRun, stage: LiveStage) -> None:
        self.opened, self._stage = opened, stage
        self.holds: dict[int, At] = {}

    def arrives(self, held: AgentHold) -> At:
        """An agent is held; its event is in the run."""
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
        """It is held no more."""
        if (at := self.holds.pop(ident, None)) is not None:
            self.opened.pins.pop(at.thread, None)
            self.opened.programs.pop(at.thread, None)
            self.opened.documents.let_go(at.index)

    def of(self, thread: int) -> At:
        """The hold of a thread, or the only one. Raises Refused."""
        found = [at for at in self.holds.values() if at.thread == thread or len(self.holds) == 1]
        if not found:
            raise RequestError(RUNS)
        return found[0]

    def at(self, index: int) -> At:
        """The hold at an event. Raises Refused."""
        found = [at for at in self.holds.values() if at.index == index]
        if not found:
            raise RequestError("past: read-only. Only what is held can be edited" if self.holds else RUNS)
        return found[0]

    def replaced(self) -> bool:
        """The run has been read anew; whether what is held stands elsewhere in it now.

        A change of the workspace is known late, and stands before the query that it was found at.
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
        """Sends an edit, and knows it."""
        at.held = after_edit(at.held, order)
        self._stage.say(EndpointInput(order=order))
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
        self._stage.say(EndpointInput(order=Order(at.held.ident, "again" if again else "go", until=until)))
        self.leaves(at.held.ident)

    def pause(self) -> None:
        """The next event holds its agent."""
        self._stage.say(EndpointInput(pause=True))


def _event_of(held: AgentHold, run: Run) -> Event:
    """The event that is held; the last one, where it cannot be told."""
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
    """A new value, as `setVariable` answers with it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
