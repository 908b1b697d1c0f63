"""The agent's own requests to the backend. They wait for the editor's requests, and fail when their stop ends.

The agent itself may only read. agent_actions.py makes changes to the program, and sends them here with `send`.

Client and agent each read in the frame whose scopes they requested. But lldb-dap 19 gives every frame the scope
references 1, 2 and 3, and every lldb-dap runs console commands in the frame of the last `scopes` request. So an agent's
`scopes` would make the editor show another frame. Before a request that depends on the last `scopes`, dap_ai repeats
the last `scopes` of that side (Scoping).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.asks.slots import REQUEST, GuestRead, Slots
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import AgentRequest, ToAgent
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import AgentOwner
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import ErrorBody
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import NotStopped, RemoteProtocolError, RequestFailed

READING = frozenset(
    {"disassemble", "evaluate", "exceptionInfo", "loadedSources", "modules", "readMemory", "scopes", "source"}
    | {"stackTrace", "threads", "variables"}
)
"""Requests that the agent may send without the user's consent."""
_ACTING_CONTEXTS = frozenset({"", "repl"})
"""Values of `context` in an `evaluate` that may change the program or run a debugger command."""

MAX_WAITING = 50
"""Maximum number of reads that one guest may have in the queue."""

Then = Callable[[bytes, RequestFailed | None], None]
"""Callback that gets a response's body, and the error or None."""


class AgentReads:
    """The agent's requests to the backend, and the responses to them."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks, gate: ForwardingRules) -> None:
        self._scoping = Scoping(out, state, gate)
        self._gate = gate
        self._out = out
        self._state = state
        self._asks = asks
        self._slots = Slots()
        self.before_client = self._scoping.before
        """To be called before a client's request is forwarded."""
        self.client_asked = self._slots.client_asked
        """To be called after a client's request got its seq, so that a withdrawn request does not count as pending."""
        self._late_evaluates: set[int] = set()
        self._seq_in_flight = 0
        self._then: dict[int, Then] = {}
        self.dead = False
        """Whether the backend has died."""

    @property
    def acts(self) -> bool:
        """Whether the backend is evaluating an expression of the agent in the program itself."""
        wanted = self._slots.in_flight
        return wanted is not None and wanted.command == "evaluate" and wanted.arguments.get("context") == "repl"

    def client_answered(self, command: str) -> None:
        """Record that a client's request has been answered."""
        self._out.do(*self._slots.client_answered(command))

    def backend_died(self) -> None:
        """Fail all reads of the agent and of guests, because the backend has died."""
        self.dead = True
        in_flight = self._slots.in_flight
        if in_flight is not None:
            self._out.do(*self._slots.answered())
            self._fail(in_flight, _backend_died(in_flight))
        for wanted in self._slots.waiting:
            self._slots.drop(wanted)
            self._fail(wanted, _backend_died(wanted))
        for read in self._slots.guests:
            self._slots.drop(read)
            read.send()  # it fails, since the backend is dead

    def on_request(self, wanted: AgentRequest) -> None:
        """Queue a read of the agent. Refuse a request that is not a read."""
        if not self._reads(wanted):
            self._fail(
                wanted,
                RequestFailed(wanted.command, "refused", ("an answer only reads; it must not send anything else")),
            )
        else:
            self._put(wanted)

    def _reads(self, wanted: AgentRequest) -> bool:
        """Whether this request only reads, and runs nothing in the program as far as dap_ai can tell."""
        if wanted.command == "evaluate":
            return wanted.arguments.get("context", "") not in _ACTING_CONTEXTS
        return wanted.command in READING and wanted.command not in self._gate.rules.runs_code

    def send(self, wanted: AgentRequest, then: Then) -> None:
        """Queue a request that dap_ai makes for the agent, and call `then` once with the outcome."""
        self._then[wanted.token] = then
        self._put(wanted)

    def put_guest(self, read: GuestRead) -> bool:
        """Queue a guest's read. Return False if the guest has too many reads in the queue."""
        if self.dead:
            read.send()
            return True
        if sum(waiting.guest == read.guest for waiting in self._slots.guests) >= MAX_WAITING:
            return False
        self._out.do(*self._slots.put(read))
        return True

    def forget(self, guest: str) -> None:
        """Drop the queued reads of a guest that has left."""
        for read in self._slots.guests:
            if read.guest == guest:
                self._slots.drop(read)
        self._scoping.forget(guest)

    def _put(self, wanted: AgentRequest) -> None:
        if wanted.ask_id not in self._asks.running or wanted.epoch != self._state.epoch or not self._state.stopped:
            self._fail(wanted, NotStopped(wanted.command))
        elif self.dead:
            self._fail(wanted, _backend_died(wanted))
        elif wanted.command == "evaluate" and self._late_evaluates:
            text = "an earlier read has not returned yet; another one could wait for ever"
            self._fail(wanted, RequestFailed("evaluate", "busy", text))
        elif (refusal := self._gate.refuse(wanted.command, _thread(wanted), self._state)) is not None:
            self._fail(wanted, RequestFailed(wanted.command, refusal.entry.message, refusal.text))
        else:
            self._out.do(*self._slots.put(wanted))

    def pump(self) -> None:
        """Send the queued requests that may be sent now."""
        while (wanted := None if self.dead else self._slots.take()) is not None:
            if isinstance(wanted, GuestRead):
                wanted.send()
            else:
                self._send(wanted)
            self._out.do(*self._slots.taken())

    def _send(self, wanted: AgentRequest) -> None:
        self._scoping.before(AGENT, wanted.command, envelope.encode(wanted.arguments))
        owner = AgentOwner(wanted.ask_id, wanted.token, wanted.epoch, wanted.command)
        self._seq_in_flight = self._out.ask_backend(wanted.command, wanted.arguments, owner)

    def on_response(self, message: Envelope, owner: AgentOwner) -> None:
        """Pass the backend's response to the agent. Drop a response that comes too late."""
        self._late_evaluates.discard(owner.token)
        in_flight = self._slots.in_flight
        if in_flight is None or in_flight.token != owner.token:
            return  # too late: the agent has got an error
        self._out.do(*self._slots.answered())
        if message.success:
            self._answer(in_flight, message)
        else:
            text = read_or(message, ErrorBody, ErrorBody()).text()
            self._fail(in_flight, RequestFailed(owner.command, message.field("message", ""), text))

    def _answer(self, wanted: AgentRequest, message: Envelope) -> None:
        try:
            self._tell(wanted.token, message.beginning())
        except RemoteProtocolError as error:
            text = f"what the debug adapter answers to {wanted.command} cannot be read: {error}"
            self._fail(wanted, RequestFailed(wanted.command, "unreadable", text))

    def drop_stale(self) -> None:
        """Fail reads that belong to an earlier stop."""
        in_flight = self._slots.in_flight
        if in_flight is not None and in_flight.epoch != self._state.epoch:
            self._out.do(*self._slots.answered())
            self._fail(in_flight, NotStopped(in_flight.command))
        for wanted in self._slots.waiting:
            if wanted.epoch != self._state.epoch:
                self._slots.drop(wanted)
                self._fail(wanted, NotStopped(wanted.command))

    def end_ask(self, ask_id: str) -> None:
        """Fail the queued reads of a question that has ended."""
        for wanted in self._slots.waiting:
            if wanted.ask_id == ask_id:
                self._slots.drop(wanted)
                self._fail(wanted, RequestFailed(wanted.command, "cancelled", "the question has ended"))

    def on_timer(self, timer_id: str) -> None:
        """Handle an expired timer: give up on a request, or continue the queue."""
        if timer_id != REQUEST:
            self._out.do(*self._slots.timer(timer_id))
            return
        in_flight = self._slots.in_flight
        if in_flight is None:
            return
        self._out.do(*self._slots.answered())
        if in_flight.command == "evaluate":
            self._late_evaluates.add(in_flight.token)
        if self._gate.capabilities.get("supportsCancelRequest"):  # gdb never finishes listing a garbage container
            self._out.ask_backend("cancel", {"requestId": self._seq_in_flight})
        self._fail(in_flight, RequestFailed(in_flight.command, "timeout", "the debug adapter did not answer in time"))

    def _fail(self, wanted: AgentRequest, error: RequestFailed) -> None:
        self._tell(wanted.token, error=error)

    def _tell(self, token: int, body: bytes = b"", error: RequestFailed | None = None) -> None:
        then = self._then.pop(token, None)
        if then is None:
            self._out.do(ToAgent(token, body, error))
        else:
            then(body, error)


def _thread(wanted: AgentRequest) -> int:
    thread_id = wanted.arguments.get("threadId")
    return thread_id if isinstance(thread_id, int) else 0


def _backend_died(wanted: AgentRequest) -> RequestFailed:
    return RequestFailed(wanted.command, "backendDied", "the debug adapter has ended")


AGENT = "agent"
_DEPENDENT = frozenset({"dataBreakpointInfo", "evaluate", "setExpression", "setVariable", "variables"})


class Scoping:
    """Tracks which side has sent the last `scopes` request.

    `side` is AGENT, a guest's id, or an empty string for the session's own client.
    """

    def __init__(self, out: Outbox, state: DebuggeeState, gate: ForwardingRules) -> None:
        self._out = out
        self._state = state
        self._gate = gate
        self._epoch = 0
        self._last = ""
        self._arguments: dict[str, bytes] = {}

    def before(self, side: str, command: str, arguments: bytes) -> None:
        """Repeat a side's last `scopes` request if the side's next request depends on it."""
        if not self._gate.rules.scopes_shared:
            return
        if self._epoch != self._state.epoch:  # frame ids of another stop
            self._epoch = self._state.epoch
            self._arguments.clear()
        if command == "scopes":
            self._arguments[side] = arguments or b"{}"
            self._last = side
        elif command in _DEPENDENT and side != self._last and side in self._arguments:
            self._out.ask_backend("scopes", msgspec.Raw(self._arguments[side]))
            self._last = side

    def forget(self, guest: str) -> None:
        """Forget the last `scopes` request of a guest that has left."""
        self._arguments.pop(guest, None)
