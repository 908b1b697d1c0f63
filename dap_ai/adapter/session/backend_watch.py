"""Updates the session's state from backend messages on their way to the client, and changes some messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from dap_ai.adapter.asks.agent_breakpoints import BreakpointMerger
from dap_ai.adapter.session.session_start import Greeting
from dap_ai.adapter.state import ours
from dap_ai.adapter.state.data_breakpoints import DataBreakpoints
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import Fields
from dap_ai.adapter.state.value_edits import ValueEdits
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import (
    CapabilitiesBody,
    ContinueBody,
    ContinuedBody,
    EvaluateBody,
    FrameId,
    OutputBody,
    ProgressStartBody,
    StackTraceBody,
    StoppedBody,
)
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.visible import without_colours

_TAKES_LONG = re.compile(r"Evaluating: .* did not finish after [\d.]+ seconds\.", re.DOTALL)


@dataclass(eq=False)
class Watching:
    """Keeps state, history and capabilities up to date with the backend's messages."""

    _out: Outbox
    _state: DebuggeeState
    _history: SessionHistory
    _gate: ForwardingRules
    _breakpoints: BreakpointMerger
    _greeting: Greeting
    _edits: ValueEdits
    _data: DataBreakpoints

    def __post_init__(self) -> None:
        self._events: dict[str, Callable[[Envelope], bytes | None]] = {
            "initialized": lambda _: self._greeting.on_initialized(),
            "stopped": self._on_stopped,
            "continued": self._on_continued,
            "output": self._on_output,
            "process": lambda _: self._state.on_started(),
            "exited": self._on_ended,
            "terminated": self._on_ended,
            "capabilities": self._on_capabilities,
            "progressStart": self._on_progress_start,
        }

    def hides(self, message: Envelope) -> bool:
        """Whether this event is debugpy's popup warning about a slow evaluation that dap_ai has requested."""
        if message.name != "output" or not self._out.seqs.only_ours("evaluate"):
            return False
        body = read_or(message, OutputBody, OutputBody())
        return body.category == "important" and _TAKES_LONG.match(body.output) is not None

    def event(self, message: Envelope) -> bytes | None:
        """Update the session from an event. Return the event's new content, or None if it stays unchanged."""
        read = self._events.get(message.name)
        return read(message) if read else self._breakpoints.translated(message)

    def response(self, message: Envelope, owner: ClientOwner) -> bytes | None:
        """Update the session from a response. Return the response's new content, or None if it stays unchanged."""
        if not message.success:
            if owner.stops_before is not None:
                self._state.on_resume_failed(owner.stops_before)
            elif owner.command in ("launch", "attach"):
                self._state.phase = Phase.CREATED
            if owner.command == "restart":
                self._state.on_restart_failed()
            return None
        if not owner.guest:
            self._edits.on_response(message, owner)
            self._data.on_response(message, owner)
        match owner.command:
            case "initialize":
                return self._announce(message)
            case "setBreakpoints" if owner.sent is not None:
                return self._breakpoints.on_client_response(message, owner.sent)
            case "stackTrace" if self._state.stopped:
                frames = _frames(message)
                self._state.on_frames(owner.thread_id, frames)
                self._edits.on_frames(frames)
            case "evaluate" if owner.note:
                self._history.add("evaluate", owner.note, read_or(message, EvaluateBody, EvaluateBody()).result)
            case "continue" if owner.stops_before and not _all_threads(message):
                self._state.on_resumed_alone(owner.thread_id, owner.stops_before)
            case "launch" | "attach" | "restart":
                self._state.on_started()
                self._state.edits.clear()
            case _:
                pass
        return None

    def learn(self, capabilities: Fields) -> None:
        """Record capabilities that the backend announced in its `initialize` response or later."""
        self._gate.learn(capabilities)

    def _announce(self, message: Envelope) -> bytes:
        """Record the backend's capabilities, and return the response body with dap_ai's own capabilities added."""
        body = read_or(message, Fields, {})
        self.learn(body)
        true = msgspec.Raw(b"true")
        return envelope.encode(_without_ours(body) | {"supportsAskRequest": true, "supportsCancelRequest": true})

    def _on_stopped(self, message: Envelope) -> bytes | None:
        stop = read_or(message, StoppedBody, StoppedBody())
        self._state.on_stopped(stop)
        self._data.on_stopped(message, stop)
        words = " ".join(part for part in (stop.reason, stop.description, stop.text) if part)
        self._history.add("stop", without_colours(words))
        return self._breakpoints.translated(message)

    def _on_continued(self, message: Envelope) -> None:
        self._state.on_continued(read_or(message, ContinuedBody, ContinuedBody()))

    def _on_output(self, message: Envelope) -> bytes | None:
        body = read_or(message, OutputBody, OutputBody())
        self._history.add_output(body.category, body.output)
        return envelope.encode(_without_ours(message.read(Fields))) if body.dap_ai_agent is not None else None

    def _on_ended(self, message: Envelope) -> None:
        self._state.terminated |= message.name == "terminated"
        self._state.on_ended()

    def _on_capabilities(self, message: Envelope) -> None:
        self.learn(read_or(message, CapabilitiesBody, CapabilitiesBody()).capabilities)

    def _on_progress_start(self, message: Envelope) -> bytes | None:
        """Replace `requestId`, the seq of a request to the backend, by the client's seq for that request."""
        backend_seq = read_or(message, ProgressStartBody, ProgressStartBody()).request_id
        if backend_seq is None:
            return None
        body = message.read(Fields)
        client_seq = self._out.seqs.client_seq_of(backend_seq)
        if client_seq is None:
            del body["requestId"]  # it would name another request of the client
        else:
            body["requestId"] = msgspec.Raw(b"%d" % client_seq)
        return envelope.encode(body)


def _frames(message: Envelope) -> list[FrameId]:
    try:
        return envelope.decode(message.beginning(), StackTraceBody).stack_frames
    except RemoteProtocolError:
        return []


def _without_ours(body: Fields) -> Fields:
    return {name: value for name, value in body.items() if not name.startswith(ours.KEYS)}


def _all_threads(message: Envelope) -> bool:
    return read_or(message, ContinueBody, ContinueBody()).all_threads_continued
