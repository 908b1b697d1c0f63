"""Applies to a recording the edits that the user made while a live agent was paused.

Also applies the events that the hook in the agent's process reported. An edited event replaces the original event,
whose text becomes a note after the edited event.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dap_ai.debuggees.runs.readers.json_shapes import arguments, command, whole, words
from dap_ai.debuggees.runs.readers.recordings.message_pieces import brought
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.run_model import Event, Ref

_WORDS = {
    "query": "the query was edited in the debugger: the model saw other messages than the agent has",
    "note": "the user has added words in the debugger, which the agent does not know of",
    "result": "the result was edited in the debugger; the agent's own memory keeps the original",
    "call": "the call was edited in the debugger",
}

_BEGINNING = 40
"""Number of leading characters that identify a result in a message that shortens the result."""


class RecordedEdits:
    """Applies the user's edits and the hook's events in one recording."""

    def __init__(self, building: RunBuilder) -> None:
        self._building = building
        self.answers: dict[int, Sequence[Event]] = {}
        """Events of each answer, by the number of the query."""
        self._told: set[str] = set()
        self._at = -1

    def is_announced(self, call_id: str) -> bool:
        """Return whether the hook in the agent's process already reported this call's result.

        The next query then repeats the result.
        """
        return call_id in self._told

    def is_in(self, call_id: str, said: str) -> bool:
        """Return whether a user message contains the beginning of a call's result."""
        event = self._last("result", call_id)
        return event is not None and event.text.strip()[:_BEGINNING] in said

    def replace_result(self, call_id: str, text: str, ref: Ref) -> None:
        """Replace a result that the hook reported by the text sent to the model, which the agent may have shortened."""
        event = self._last("result", call_id)
        if event is not None:
            event.text, event.ref = text, ref

    def called(self, row: Mapping[str, Any], ref: Ref, at_s: float | None) -> Event:
        """Record that a tool starts, and return its call event.

        The model's answer may have created this event before.
        """
        call_id = words(row.get("called"))
        event = self._last("call", call_id)
        if event is not None:
            event.at_s = at_s
            return event
        agent, tool = words(row.get("agent")) or MAIN, words(row.get("tool"))
        given, _ = arguments(row.get("arguments"))
        text = command(given, row.get("arguments"))
        return self._building.call(ref, tool, given, text=text, agent=agent, at_s=at_s, call_id=call_id)

    def withdrawn(self, call_id: str) -> None:
        """Remove a call that the hook reported, because the same call is about to be read from the model's answer."""
        event = self._last("call", call_id) if call_id else None
        if event is not None and not event.ref.pointer:
            self._building.events.remove(event)

    def returned(self, row: Mapping[str, Any], ref: Ref, at_s: float | None) -> None:
        """Add the result of a tool that the hook reported."""
        call_id, said = words(row.get("returned")), words(row.get("text"))
        self._told.add(call_id)
        call = self._last("call", call_id)
        said, code = brought(said)
        code = whole(row.get("exit_code")) if "exit_code" in row else code
        status: Any = words(row.get("status")) or "unknown"
        took = at_s - call.at_s if call and at_s is not None and call.at_s is not None else None
        named = {"agent": call.agent if call else MAIN, "tool": words(row.get("tool")), "call_id": call_id}
        place = Ref(ref.path, ref.lines, "/text")
        self._building.result(place, said, exit_code=code, status=status, at_s=at_s, took_s=took, **named)

    def taken(self, number: int) -> Sequence[Event]:
        """Remove the events of an answer from the run, and return these events."""
        old = self.answers.pop(number, ())
        self._at = next((n for n, event in enumerate(self._building.events) if old and event is old[0]), -1)
        for event in old:
            self._building.events.remove(event)
        return old

    @contextmanager
    def inserting(self, old: Sequence[Event]) -> Generator[None]:
        """Move the events added in this context to the place where the events `old` were.

        The response keeps its usage, duration and id.
        """
        events, at = self._building.events, self._at
        first = len(events)
        yield
        new = events[first:]
        if at >= 0:
            del events[first:]
            events[at:at] = new
        if old and new:
            new[0].usage, new[0].took_s, new[0].native_id = old[0].usage, old[0].took_s, old[0].native_id

    def again(self, number: int, ref: Ref, at_s: float | None) -> None:
        """Replace the answer to a query by a note, because the model was queried again."""
        self.note("an answer that was not taken, as the model was asked again:", self.taken(number), ref, at_s)

    def note(self, said: str, old: Sequence[Event], ref: Ref, at_s: float | None) -> None:
        """Add a note with the text of the removed events `old`."""
        rows = [each.text or each.reasoning if each.kind == "response" else _call(each) for each in old]
        agent = old[0].agent if old else MAIN
        place = old[0].ref if old else ref
        self._building.add("note", place, agent=agent, at_s=at_s, text="\n".join([said, *filter(None, rows)]))

    def edited(self, row: Mapping[str, Any], ref: Ref, at_s: float | None) -> None:
        """Apply the user's edit of a query, result or call, and add a note about the edit.

        The edit may also be a message that the user added.
        """
        what, call_id = words(row.get("what")), words(row.get("call_id"))
        kind = "call" if what == "call" else "result"
        event = self._last(kind, call_id) if call_id else None
        rows = [_WORDS.get(what, f"{what} was edited in the debugger")]
        if event is not None:
            rows.append(_call(event) if kind == "call" else event.text)
            self._other(event, row, ref)
        elif words(row.get("text")):
            rows.append(words(row.get("text")))
        agent = event.agent if event else self._asked(row)
        self._building.add("note", ref, agent=agent, at_s=at_s, text="\n".join(rows))

    @staticmethod
    def _other(event: Event, row: Mapping[str, Any], ref: Ref) -> None:
        if event.kind == "result":
            event.text, event.ref = words(row.get("text")), Ref(ref.path, ref.lines, "/text")
            return
        event.tool = words(row.get("tool")) or event.tool
        if "arguments" in row:
            event.arguments, _ = arguments(row["arguments"])
            event.text = command(event.arguments, row["arguments"])
        event.ref = ref

    def _asked(self, row: Mapping[str, Any]) -> str:
        events, number = self._building.events, str(row.get("edited"))
        return next((e.agent for e in reversed(events) if e.kind == "query" and e.native_id == number), MAIN)

    def _last(self, kind: str, call_id: str) -> Event | None:
        events = self._building.events
        return next((e for e in reversed(events) if e.kind == kind and e.call_id == call_id), None)


def _call(event: Event) -> str:
    return f"{event.tool}: {event.text or dict(event.arguments or {})}"
