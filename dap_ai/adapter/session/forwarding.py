"""Clients' requests on their way to the backend. One that it must not see, or cannot answer, is answered here."""

from __future__ import annotations

from dap_ai.adapter.asks.acting import Acting
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.session.serving import Handler
from dap_ai.adapter.session.unanswered import Unanswered
from dap_ai.adapter.state import ours
from dap_ai.adapter.state.debuggee import RESUMING, DebuggeeState
from dap_ai.adapter.state.effects import ToBackend
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.history import History
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner, SentBreakpoints
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BACKEND_DIED, UNKNOWN_REQUEST
from dap_ai.protocol.wire.messages import ThreadArguments


class Forwarding:
    """`backend_dead`: why nothing comes from the backend any more; empty while it lives.

    `is_end_told`: the user knows that the session has ended.
    """

    def __init__(
        self,
        out: Outbox,
        state: DebuggeeState,
        history: History,
        gate: Gate,
        *,
        acting: Acting,
        reads: AgentReads,
        unanswered: Unanswered,
    ) -> None:
        self.backend_dead = ""
        self.is_end_told = False
        self._out = out
        self._state = state
        self._history = history
        self._gate = gate
        self._acting = acting
        self._reads = reads
        self._unanswered = unanswered

    def forward(self, message: Envelope, content: bytes | None = None, sent: SentBreakpoints | None = None) -> None:
        """Pass a request on, unless the backend must not see it."""
        if message.name.startswith(ours.NAMES):
            self._out.fail(message, UNKNOWN_REQUEST, command=message.name)
            return
        if self.refuse_if_dead(message):
            return
        thread = read_or(message, ThreadArguments, ThreadArguments())
        refusal = self._gate.refuse(message.name, thread.thread_id, self._state, arguments=message.content)
        if refusal is not None:
            self._out.fail(message, refusal.entry, **refusal.variables)
            return
        before = None
        if message.name in RESUMING or message.name == "pause":
            self._acting.on_client_resumes()
        if message.name in RESUMING:
            self._history.add("step", message.name)
            before = self._state.on_resume(thread.thread_id, single_thread=thread.single_thread)
        if message.name == "restart":
            self._state.on_restart()
        owner = ClientOwner(message.seq, message.name, thread.thread_id, before, sent=sent, guest=self._out.guest)
        self.send(message, owner, content)

    def send(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Pass a request on, with other arguments if there are any."""
        self._reads.before_client(owner.guest, owner.command, message.content)
        seq = self._out.seqs.next_to_backend(owner)
        self._reads.client_asked()
        self._out.do(ToBackend(message.encode(seq=seq, content=content)))
        self._unanswered.on_sent(seq, owner.command)

    def refuse_if_dead(self, message: Envelope) -> bool:
        """Whether the backend is dead; then the client's request is answered so."""
        if self.backend_dead:
            self._out.fail(message, BACKEND_DIED.known() if self.is_end_told else BACKEND_DIED, why=self.backend_dead)
        return bool(self.backend_dead)

    def unless_dead(self, handler: Handler) -> Handler:
        """The same handler, of requests that a backend must live for."""
        return lambda message: None if self.refuse_if_dead(message) else handler(message)

    def may_go(self, message: Envelope) -> bool:
        """Whether the backend may see this request now."""
        thread = read_or(message, ThreadArguments, ThreadArguments())
        return self._gate.refuse(message.name, thread.thread_id, self._state) is None
