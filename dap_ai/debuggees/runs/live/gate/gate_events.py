"""Events of a live run, as the gate sees them: each query's agent, the results of its calls, tokens and cost.

Does no I/O. Reads a request only back to the model's last answer, because the gate has seen all earlier messages. A
query therefore costs the same however long its history is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.readers.json_shapes import table, usage
from dap_ai.debuggees.runs.readers.recordings.message_pieces import MessagePiece, answered, brought, pieces
from dap_ai.debuggees.runs.readers.recordings.recording_reader import sub_agent
from dap_ai.debuggees.runs.readers.run_builder import MAIN
from dap_ai.debuggees.runs.run_model import Event, Ref, TokenUsage

_NOWHERE = Ref()
_TIMES = re.compile(r"\d+\.\d+ ?(?:s|ms|sec|seconds)\b|\d\d:\d\d:\d\d(?:\.\d+)?")
"""Matches durations and times of day, which differ between otherwise equal results."""
_LOOKED_AT = 2_000
"""Number of characters compared at each end of a result to detect repeats."""
_ANSWERS = frozenset({"assistant", "call", "thinking"})


class _Body(msgspec.Struct):
    messages: list[msgspec.Raw] | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    system: msgspec.Raw = msgspec.Raw(b"")
    instructions: msgspec.Raw = msgspec.Raw(b"")
    tools: msgspec.Raw = msgspec.Raw(b"")


class Speaker(msgspec.Struct):
    """An agent that the gate has seen."""

    name: str
    parent: str = ""
    cycle: int = 0
    system: bytes = b""
    open_calls: dict[str, Event] = msgspec.field(default_factory=dict[str, Event])
    """Calls without a result, by id."""


class GateEvents:
    """Collects the events of a live run. Not thread-safe. Discards the texts of past events."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.speakers: dict[str, Speaker] = {}
        self.tokens, self.cost_usd = 0, 0.0
        self.is_as_it_was: Callable[[], bool] = lambda: False
        """Callback that returns whether the workspace is recorded and unchanged; set by the endpoint's process."""
        self.repeats: dict[int, int] = {}
        """Number of equal results of calls with the same arguments, by hash."""
        self._heads: dict[bytes, str] = {}
        self._callers: dict[str, Speaker] = {}
        self._step = 0

    def query(self, body: bytes, speaker: Speaker | None = None) -> tuple[Speaker, list[Event], Event]:
        """Add a query; return (agent, events of the results in the query, event of the query). Never raises.

        `speaker` is the querying agent, if known.
        """
        try:
            found = msgspec.json.decode(body, type=_Body)
            messages = found.messages or _inputs(found.input)
        except (msgspec.MsgspecError, UnicodeError):
            found, messages = _Body(), []
        said = _tail(messages)
        head = bytes(found.system or found.instructions or (messages[0] if messages else b""))
        speaker = speaker or self._speaker(said, head + bytes(found.tools))
        said = _results_in_words(speaker, said)
        results = [event for each in said if (event := self._result(speaker, each)) is not None]
        changed = bool(speaker.system) and speaker.system != head
        speaker.system = head
        speaker.cycle += 1
        event = self._add("query", speaker, text=f"system: {head.decode('utf-8', 'replace')}" if changed else "")
        return speaker, results, event

    def answer(self, speaker: Speaker, value: Any, status: int, cost_usd: float | None = None) -> list[Event]:
        """Add a model's answer; return the events of the response and its calls, or the event of an error."""
        failed = status >= 400 or bool(table(value).get("error"))
        used = usage(table(value).get("usage"), cost_usd)
        self._spend(used)
        if failed:
            return [self._add("error", speaker, text=_error(value) or f"status {status}", status="error", usage=used)]
        found = list(answered(value))
        texts = [each.text for each in found if each.kind not in ("call", "result", "thinking")]
        thought = "\n".join(each.text for each in found if each.kind == "thinking")
        events = [self._add("response", speaker, text="\n".join(texts), reasoning=thought, usage=used)]
        return events + [self.call(speaker, each) for each in found if each.kind == "call"]

    def call(self, speaker: Speaker, said: MessagePiece) -> Event:
        """Return the event of a call that is about to run; add the event unless a hook already announced the call."""
        if said.call_id and (known := speaker.open_calls.get(said.call_id)) is not None:
            return known
        self._step += 1
        fields: dict[str, Any] = {"tool": said.tool, "arguments": said.arguments, "call_id": said.call_id}
        event = self._add("call", speaker, text=said.text, step=self._step, **fields)
        speaker.open_calls[said.call_id] = event
        self._callers[said.call_id] = speaker
        return event

    def result(self, call_id: str, text: str, status: str = "unknown") -> Event | None:
        """Add a call's result and return its event; None if the call is unknown or already has a result."""
        speaker = self._callers.get(call_id)
        return self._result(speaker, MessagePiece("result", "", text, call_id, status=status)) if speaker else None  # type: ignore[arg-type]

    def caller(self, call_id: str) -> Speaker | None:
        """Return the agent that made a call, or None for an unknown call."""
        return self._callers.get(call_id)

    def begun(self, name: str, parent: str = "") -> Speaker:
        """Return the agent of that name; create the agent if new."""
        name = name or MAIN
        if name not in self.speakers:
            self.speakers[name] = Speaker(name, parent or (MAIN if name != MAIN and self.speakers else ""))
        return self.speakers[name]

    def change(self, speaker: Speaker, files: Sequence[str]) -> Event:
        """Add an event for files changed in the workspace since the previous query."""
        return self._add("change", speaker, text="\n".join(files))

    def past(self, event: Event) -> None:
        """Discard the texts of an event that nobody will read again."""
        if event.kind != "call":
            event.text = event.reasoning = ""

    def _result(self, speaker: Speaker, said: MessagePiece) -> Event | None:
        call = speaker.open_calls.pop(said.call_id, None)
        if said.kind != "result" or call is None:
            return None
        text, code = brought(said.text)
        status = said.status if code is None else "ok" if code == 0 else "error"
        fields: dict[str, Any] = {"call_id": said.call_id, "tool": call.tool, "step": call.step, "status": status}
        ends = text if len(text) < 2 * _LOOKED_AT else text[:_LOOKED_AT] + text[-_LOOKED_AT:]
        ends = _TIMES.sub("", ends)
        same = hash(json.dumps([call.tool, call.arguments, call.text, ends], default=str))
        self.repeats[same] = self.repeats.get(same, 0) + 1
        event = self._add("result", speaker, text=text, exit_code=code, **fields)
        event.native_id = str(self.repeats[same])
        return event

    def _speaker(self, said: Sequence[MessagePiece], head: bytes) -> Speaker:
        """Find a query's agent by the calls whose results it contains, else by its instructions; else create one."""
        caller = next((self._callers[each.call_id] for each in said if each.call_id in self._callers), None)
        if caller is not None:
            return caller
        if (name := self._heads.get(head)) is not None:
            return self.speakers[name]
        parent = next((each for each in self.speakers.values() if each.open_calls), None)
        calls = reversed(list(parent.open_calls.values())) if parent else ()
        wanted = next((name for call in calls if (name := sub_agent(call.tool, call.arguments))), "")
        name = wanted or (MAIN if not self.speakers else f"agent-{len(self.speakers) + 1}")
        while name in self.speakers:
            name += "'"
        self._heads[head] = name
        return self.begun(name, parent.name if parent else "")

    def _spend(self, used: TokenUsage | None) -> None:
        if used is not None:
            self.tokens += (used.input_tokens or 0) + (used.output_tokens or 0)
            self.cost_usd += used.cost_usd or 0.0

    def _add(self, kind: Any, speaker: Speaker, **fields: Any) -> Event:
        event = Event(len(self.events), kind, _NOWHERE, agent=speaker.name, cycle=speaker.cycle, **fields)
        self.events.append(event)
        return event


def _inputs(raw: msgspec.Raw) -> list[msgspec.Raw]:
    data = bytes(raw)
    return msgspec.json.decode(data, type=list[msgspec.Raw]) if data[:1] == b"[" else [raw] if data else []


def _tail(messages: Sequence[msgspec.Raw]) -> list[MessagePiece]:
    """Return the messages since the model's last answer."""
    found: list[list[MessagePiece]] = []
    for raw in reversed(messages):
        try:
            value: Any = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeError):
            break
        said = list(pieces(value)) if isinstance(value, dict) else []
        if any(each.kind in _ANSWERS for each in said):
            break
        found.append(said)
    return [each for said in reversed(found) for each in said]


def _results_in_words(speaker: Speaker, said: list[MessagePiece]) -> list[MessagePiece]:
    """Treat a single user message as the result of the only open call, as some agents send results in user messages."""
    users = [each for each in said if each.kind == "user"]
    if len(users) == 1 and len(speaker.open_calls) == 1 and not any(each.kind == "result" for each in said):
        return [users[0]._replace(kind="result", call_id=next(iter(speaker.open_calls)))]
    return said


def _error(value: Any) -> str:
    error = table(value).get("error")
    return (
        str(table(error).get("message") or error or "") if error else str(value)[:500] if isinstance(value, str) else ""
    )
