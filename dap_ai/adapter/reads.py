"""The agent's own requests: queued behind the editor's, dropped when their stop is over, never misrouted."""

from __future__ import annotations

from dap_ai.adapter.asks import Asks
from dap_ai.adapter.effects import AgentRequest, ToAgent, ToBackend
from dap_ai.adapter.outbox import Outbox, read_or
from dap_ai.adapter.seqmap import AgentOwner
from dap_ai.adapter.slots import PATIENCE, QUIET, REQUEST, Slots
from dap_ai.adapter.state import DebuggeeState
from dap_ai.protocol import envelope
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.messages import ErrorBody

TIMERS = frozenset({QUIET, PATIENCE, REQUEST})


class AgentReads:
    """What the agent asks of the backend, on its way there and back."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks) -> None:
        self._out = out
        self._state = state
        self._asks = asks
        self._slots = Slots()
        self._late_evaluates: set[int] = set()
        self._dead = False

    def client_asked(self) -> None:
        """A request of the client was forwarded."""
        self._slots.client_asked()

    def client_answered(self, command: str) -> None:
        """A response of the backend went to the client."""
        self._out.do(*self._slots.client_answered(command))

    def backend_died(self) -> None:
        """Nothing can be read any more."""
        self._dead = True
        in_flight = self._slots.in_flight
        if in_flight is not None:
            self._out.do(*self._slots.answered())
            self._fail(in_flight, _backend_died(in_flight))
        for wanted in self._slots.waiting:
            self._slots.drop(wanted)
            self._fail(wanted, _backend_died(wanted))

    def on_request(self, wanted: AgentRequest) -> None:
        """The agent wants to read."""
        if wanted.ask_id not in self._asks.running or wanted.epoch != self._state.epoch or not self._state.stopped:
            self._fail(wanted, NotStopped(wanted.command))
        elif self._dead:
            self._fail(wanted, _backend_died(wanted))
        elif wanted.command == "evaluate" and self._late_evaluates:
            text = "an earlier read has not come back yet; another one could wait for ever"
            self._fail(wanted, RequestFailed("evaluate", "busy", text))
        else:
            self._out.do(*self._slots.put(wanted))

    def pump(self) -> None:
        """Send what may be sent now."""
        wanted = None if self._dead else self._slots.take()
        if wanted is None:
            return
        seq = self._out.seqs.next_to_backend(AgentOwner(wanted.ask_id, wanted.token, wanted.epoch, wanted.command))
        self._out.do(ToBackend(envelope.request(seq, wanted.command, wanted.arguments)))
        self._out.do(*self._slots.taken())

    def on_response(self, message: Envelope, owner: AgentOwner) -> None:
        """The backend has answered."""
        self._late_evaluates.discard(owner.token)
        in_flight = self._slots.in_flight
        if in_flight is None or in_flight.token != owner.token:
            return  # too late: the agent was told so
        self._out.do(*self._slots.answered())
        if message.success:
            self._out.do(ToAgent(owner.token, message.content or b"{}"))
        else:
            text = read_or(message, ErrorBody, ErrorBody()).text()
            self._fail(in_flight, RequestFailed(owner.command, message.field("message", ""), text))

    def drop_stale(self) -> None:
        """The stop is over: what the agent waits for would not be of it."""
        in_flight = self._slots.in_flight
        if in_flight is not None and in_flight.epoch != self._state.epoch:
            self._out.do(*self._slots.answered())
            self._fail(in_flight, NotStopped(in_flight.command))
        for wanted in self._slots.waiting:
            if wanted.epoch != self._state.epoch:
                self._slots.drop(wanted)
                self._fail(wanted, NotStopped(wanted.command))

    def drop_ask(self, ask_id: str) -> None:
        """An ask has ended: what it still waits for is not sent."""
        for wanted in self._slots.waiting:
            if wanted.ask_id == ask_id:
                self._slots.drop(wanted)

    def on_timer(self, timer_id: str) -> None:
        """One of TIMERS ran out."""
        if timer_id != REQUEST:
            self._out.do(*self._slots.timer(timer_id))
            return
        in_flight = self._slots.in_flight
        if in_flight is None:
            return
        self._out.do(*self._slots.answered())
        if in_flight.command == "evaluate":
            self._late_evaluates.add(in_flight.token)
        self._fail(in_flight, RequestFailed(in_flight.command, "timeout", "the debug adapter did not answer in time"))

    def _fail(self, wanted: AgentRequest, error: RequestFailed) -> None:
        self._out.do(ToAgent(wanted.token, error=error))


def _backend_died(wanted: AgentRequest) -> RequestFailed:
    return RequestFailed(wanted.command, "backendDied", "the debug adapter has ended")
