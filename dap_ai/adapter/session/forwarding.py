"""Forwards clients' requests to the backend, and answers requests that the backend must not see or cannot answer.

Adapters differ in what they do with requests that DAP does not define: js-debug never answers such a request. Many
adapters announce `cancel` but do not answer it. After a timeout the proxy answers such a request itself; the request's
seq stays reserved, so that a late answer is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from dap_ai.adapter.asks.agent_actions import Acting
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.session.request_serving import Handler
from dap_ai.adapter.state import ours, value_edits
from dap_ai.adapter.state.debuggee import RESUMING, DebuggeeState
from dap_ai.adapter.state.effects import CancelTimer, SetTimer, ToBackend
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner, SentBreakpoints, SwallowedOwner
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import Fields
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import CancelArguments, ThreadArguments
from dap_ai.protocol.wire.dap_requests import DEFINED
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BACKEND_DIED, UNANSWERED, UNKNOWN_REQUEST


@dataclass(eq=False)
class Forwarding:
    """Forwards requests to the backend. `backend_dead` is the reason why the backend ended; empty while it lives.

    `is_end_told` is whether the user knows that the session has ended.
    """

    _out: Outbox
    _state: DebuggeeState
    _history: SessionHistory
    _gate: ForwardingRules
    _acting: Acting
    _reads: AgentReads
    _unanswered: PendingRequests
    backend_dead: str = field(default="", init=False)
    is_end_told: bool = field(default=False, init=False)

    def forward(self, message: Envelope, content: bytes | None = None, sent: SentBreakpoints | None = None) -> None:
        """Forward a request to the backend, or fail a request that the backend must not get."""
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
        arguments = message.content if message.name in value_edits.READ else b""
        owner = ClientOwner(
            message.seq, message.name, thread.thread_id, before, sent=sent, guest=self._out.guest, arguments=arguments
        )
        self.send(message, owner, content)

    def send(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Send a request to the backend. If `content` is given, it replaces the request's arguments."""
        self._reads.before_client(owner.guest, owner.command, message.content)
        seq = self._out.seqs.next_to_backend(owner)
        self._reads.client_asked()
        self._out.do(ToBackend(message.encode(seq=seq, content=content)))
        self._unanswered.on_sent(seq, owner.command)

    def refuse_if_dead(self, message: Envelope) -> bool:
        """Fail the request if the backend is dead. Return whether the backend is dead."""
        if self.backend_dead:
            self._out.fail(message, BACKEND_DIED.known() if self.is_end_told else BACKEND_DIED, why=self.backend_dead)
        return bool(self.backend_dead)

    def unless_dead(self, handler: Handler) -> Handler:
        """Wrap a handler so that its requests fail once the backend is dead."""
        return lambda message: None if self.refuse_if_dead(message) else handler(message)

    def may_go(self, message: Envelope) -> bool:
        """Whether the backend may get this request in the current state."""
        thread = read_or(message, ThreadArguments, ThreadArguments())
        return self._gate.refuse(message.name, thread.thread_id, self._state) is None


VENDOR_S = 10.0
"""Timeout in seconds for requests that DAP does not define. The least patient client, dape, waits 10 s itself."""
CANCEL_S = 2.0
"""Timeout in seconds for `cancel`. The cancelled request gets its response even if the adapter ignores `cancel`."""
WAIT = "unanswered."


class PendingRequests:
    """Limits the wait for responses to `cancel` and to requests that DAP does not define.

    Calls `answered(command)` after each timeout.
    """

    def __init__(self, out: Outbox, answered: Callable[[str], None]) -> None:
        self._out = out
        self._answered = answered
        self._waiting: set[int] = set()

    def on_sent(self, backend_seq: int, command: str) -> None:
        """Start the timeout of a request that was just sent to the backend."""
        if command not in DEFINED or command == "cancel":
            self._waiting.add(backend_seq)
            self._out.do(SetTimer(f"{WAIT}{backend_seq}", CANCEL_S if command == "cancel" else VENDOR_S))

    def on_answered(self, backend_seq: int) -> None:
        """Stop the timeout of a request that the backend has answered."""
        if backend_seq in self._waiting:
            self._waiting.discard(backend_seq)
            self._out.do(CancelTimer(f"{WAIT}{backend_seq}"))

    def on_timer(self, timer_id: str) -> None:
        """Answer a request that the backend has not answered in time."""
        backend_seq = int(timer_id.removeprefix(WAIT))
        self._waiting.discard(backend_seq)
        owner = self._out.seqs.owners.get(backend_seq)
        if not isinstance(owner, ClientOwner):
            return  # the backend died meanwhile, and all requests were answered
        self._out.seqs.owners[backend_seq] = SwallowedOwner(owner.command)
        if owner.command == "cancel":
            self._out.respond_owner(owner)
        else:
            self._out.fail_owner(owner, UNANSWERED, command=owner.command)
        self._answered(owner.command)


@dataclass(eq=False)
class Cancelling:
    """Serves `cancel`. A `cancel` that cannot be carried out succeeds without effect.

    The cancelled request still gets its response. If a `cancel` names a question, `_cancel_of` cancels that question
    and returns True.
    """

    _out: Outbox
    _cancel_of: Callable[[Envelope], bool]
    _forwarding: Forwarding
    _gate: ForwardingRules

    def on_request(self, message: Envelope) -> None:
        """Serve a client's `cancel` request."""
        arguments = read_or(message, CancelArguments, CancelArguments())
        can_cancel = not self._forwarding.backend_dead and self._gate.capabilities.get("supportsCancelRequest")
        if self._cancel_of(message) or not can_cancel:
            self._out.respond(message)
        elif arguments.request_id is None and _is_the_backends(arguments.progress_id):
            self._forwarding.send(message, ClientOwner(message.seq, "cancel"))
        elif arguments.request_id is None:
            self._out.respond(message)  # gdb stops reading after a cancel that names nothing
        elif (backend_seq := self._out.seqs.backend_seq_of(arguments.request_id)) is None:
            self._out.respond(message)  # answered already
        else:
            content = envelope.encode(message.read(Fields) | {"requestId": msgspec.Raw(b"%d" % backend_seq)})
            self._forwarding.send(message, ClientOwner(message.seq, "cancel"), content)


def _is_the_backends(progress_id: str | None) -> bool:
    return bool(progress_id) and not progress_id.startswith("dap-ai-")
