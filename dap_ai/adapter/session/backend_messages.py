"""What the backend says: each response goes to who has asked, events and reverse requests to the client."""

from __future__ import annotations

from dap_ai.adapter.asks import acting
from dap_ai.adapter.asks.caught import CaughtExceptions
from dap_ai.adapter.asks.desk import AskDesk
from dap_ai.adapter.session.children import Children
from dap_ai.adapter.session.ending import Ending
from dap_ai.adapter.session.greeting import Greeting
from dap_ai.adapter.session.guests import Guests
from dap_ai.adapter.session.starting import Starting
from dap_ai.adapter.session.unanswered import Unanswered
from dap_ai.adapter.session.watching import Watching
from dap_ai.adapter.state import ours
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.options import Fields
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import (
    AgentOwner,
    BreakpointsOwner,
    ClientOwner,
    GreetingOwner,
    KillOwner,
    OwnOwner,
    ResumeOwner,
    SwallowedOwner,
)
from dap_ai.protocol.envelope import Envelope


class BackendMessages:
    """`receive` takes one message of the backend."""

    def __init__(
        self,
        out: Outbox,
        desk: AskDesk,
        watching: Watching,
        guests: Guests,
        children: Children,
        *,
        caught: CaughtExceptions,
        greeting: Greeting,
        unanswered: Unanswered,
        starting: Starting,
        ending: Ending,
    ) -> None:
        self._out = out
        self._desk = desk
        self._watching = watching
        self._guests = guests
        self._children = children
        self._caught = caught
        self._greeting = greeting
        self._unanswered = unanswered
        self._starting = starting
        self._ending = ending

    def receive(self, message: Envelope) -> None:
        """Give it to whom it is for."""
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
        self._guests.on_event(message)
        content = self._watching.event(message)
        if self._desk.reads.acts and message.name == "output":
            content = acting.tagged(message)
        is_read = self._desk.acting.admits(message) and self._out.reads(message.name)
        if is_read and not self._children.takes(message):
            self._out.to_client(message, content)
        self._desk.acting.on_event(message)

    def _on_response(self, message: Envelope) -> None:
        owner = self._out.seqs.owners.pop(message.request_seq, None)
        match owner:
            case ClientOwner():
                self._unanswered.on_answered(message.request_seq)
                self._answer_client(message, owner)
            case AgentOwner():
                self._desk.reads.on_response(message, owner)
            case GreetingOwner():
                self._greeting.on_over()
            case OwnOwner():
                self._on_own_response(message, owner)
            case ResumeOwner():
                self._desk.acting.resuming.on_response(message, owner)
            case BreakpointsOwner():
                self._desk.acting.on_breakpoints(message, owner)
            case KillOwner():
                self._desk.jobs.confirmed(owner.token)
            case SwallowedOwner():
                pass
            case None:
                self._out.do(Log(f"skipped: a response of the backend to nothing: {message!r}"))

    def _answer_client(self, message: Envelope, owner: ClientOwner) -> None:
        parts = owner.command == "disconnect"
        if parts:
            self._ending.on_disconnected(by_us=False)
        elif owner.command == "initialize" and not message.success:
            self._starting.on_initialize_failed()
        self._out.pass_on(message, owner, self._watching.response(message, owner))
        self._desk.reads.client_answered(owner.command)
        if parts:
            self._ending.on_disconnect_passed()

    def _on_own_response(self, message: Envelope, owner: OwnOwner) -> None:
        if owner.command == "initialize":
            self._watching.learn(read_or(message, Fields, {}))
            self._starting.on_other_initialized()
        elif owner.command == "disconnect":
            self._ending.on_disconnected(by_us=True)
