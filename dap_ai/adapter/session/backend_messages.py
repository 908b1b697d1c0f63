"""Routes backend messages: a response goes to the sender of its request, events and reverse requests to the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dap_ai.adapter.asks import agent_actions
from dap_ai.adapter.asks.agent_actions import Acting
from dap_ai.adapter.asks.caught_exceptions import CaughtExceptions
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.past.past_requests import PastRequests
from dap_ai.adapter.session.backend_watch import Watching
from dap_ai.adapter.session.child_sessions import Children
from dap_ai.adapter.session.forwarding import PendingRequests
from dap_ai.adapter.session.session_end import Ending
from dap_ai.adapter.session.session_info import About
from dap_ai.adapter.session.session_start import Starting
from dap_ai.adapter.state import ours
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner, OwnOwner
from dap_ai.adapter.state.session_options import Fields
from dap_ai.protocol.wire.envelope import Envelope

Answered = Callable[[Envelope, Any], None]
"""Handles a backend's response, given the owner (sender) of its request."""


@dataclass(eq=False)
class BackendMessages:
    """Routes the backend's messages. `_owners` maps each type of request owner to the handler of its responses."""

    _out: Outbox
    _watching: Watching
    _about: About
    _children: Children
    _acting: Acting
    _caught: CaughtExceptions
    _past: PastRequests
    _owners: Mapping[type, Answered]

    def receive(self, message: Envelope) -> None:
        """Route one message of the backend."""
        if message.kind == "response":
            self._on_response(message)
        elif ours.is_forged(message):
            self._drop(message)
        elif message.kind == "event":
            self._on_event(message)
        elif not self._children.takes(message):
            self._out.to_client(message)

    def _drop(self, message: Envelope) -> None:
        what = f"the {message.kind} {message.name}"
        self._out.do(Log(f"dropped: the debug adapter sent {what}, which is dap_ai's own"))
        if message.kind == "request":
            self._out.refuse_backend(message)

    def _on_event(self, message: Envelope) -> None:
        if self._watching.hides(message) or self._caught.takes(message):
            return
        self._caught.on_event(message)
        self._about.on_event(message)
        content = self._watching.event(message)
        if self._acting.marks(message):
            content = agent_actions.tagged(message)
        is_read = self._acting.admits(message) and self._out.reads(message.name)
        if message.name == "stopped":
            self._past.on_stopped()
        if is_read and not self._children.takes(message):
            self._out.to_client(message, content)
        self._acting.on_event(message)

    def _on_response(self, message: Envelope) -> None:
        owner = self._out.seqs.owners.pop(message.request_seq, None)
        if owner is None:
            self._out.do(Log(f"skipped: a response of the backend to nothing: {message!r}"))
        else:
            self._owners[type(owner)](message, owner)


@dataclass(eq=False)
class Responses:
    """Handles the backend's responses to requests of the client and of the proxy."""

    _out: Outbox
    _reads: AgentReads
    _watching: Watching
    _unanswered: PendingRequests
    _starting: Starting
    _ending: Ending

    def to_client(self, message: Envelope, owner: ClientOwner) -> None:
        """Process the response to a client's request, and pass the response on."""
        self._unanswered.on_answered(message.request_seq)
        parts = owner.command == "disconnect"
        if parts:
            self._ending.on_disconnected(by_us=False)
        elif owner.command == "initialize" and not message.success:
            self._out.client.initialize = b""  # the client may try again
        self._out.pass_on(message, owner, self._watching.response(message, owner))
        self._reads.client_answered(owner.command)
        if parts:
            self._ending.on_disconnect_passed()

    def to_us(self, message: Envelope, owner: OwnOwner) -> None:
        """Continue after the response to the proxy's own `initialize` or `disconnect`."""
        if owner.command == "initialize":
            self._watching.learn(read_or(message, Fields, {}))
            self._starting.on_other_initialized()
        elif owner.command == "disconnect":
            self._ending.on_disconnected(by_us=True)
