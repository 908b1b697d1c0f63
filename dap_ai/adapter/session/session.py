"""One debug session: takes events, and returns as effects what the proxy does with every message. Does no I/O.

1. Messages not in the tables below pass through with a new seq and byte-exact content.
2. `ask*`, and `??` in the console, never reach the backend; the agent's own requests never reach the client.
3. Every request is answered exactly once, even if backend or agent die.
4. `disconnect` and `terminate` end the asks and are forwarded; a backend that does not answer `disconnect` is ended.
5. A request that ends a stop is forwarded once the snapshots of that stop have ended (snapshot_jobs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from dap_ai.adapter.asks.caught_exceptions import CaughtExceptions
from dap_ai.adapter.session.session_parts import Parts
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.effects import (
    ActionRequest,
    AgentEnded,
    AgentOutput,
    AgentRequest,
    ApprovalRequest,
    BackendClosed,
    ClientClosed,
    Effect,
    Event,
    FromBackend,
    FromClient,
    FromGuest,
    FromRelative,
    GuestClosed,
    JobBegun,
    JobEnded,
    ListenerReady,
    Log,
    LookedBack,
    ModelRequest,
    Prepared,
    RelativeClosed,
    RelativesChanged,
    TimerFired,
    ToClient,
    TokenGiven,
)
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.backend import BackendRules
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.visible import visible


class Session:
    """One debug session. `receive` takes one event and returns the effects to carry out, in order."""

    def __init__(self, rules: BackendRules, options: SessionOptions | None = None) -> None:
        self.options = options or SessionOptions()
        self.state = DebuggeeState()
        self.history = SessionHistory()
        self._out = Outbox()
        self._gate = ForwardingRules(rules)
        self.caught = CaughtExceptions(self._out, self.options)
        self._epoch = self.state.epoch
        """The stop epoch for which outdated reads and snapshot jobs were last dropped."""
        parts = Parts(self._out, self.state, self.history, self.options, gate=self._gate, caught=self.caught)
        self._asks, self._desk, self._reads, self._jobs = parts.asks, parts.desk, parts.reads, parts.jobs
        self._consents, self._lending, self._acting = parts.consents, parts.lending, parts.acting
        self._past = parts.past
        self._starting, self._greeting, self._ending = parts.starting, parts.greeting, parts.ending
        self._serving, self._about, self._guests = parts.serving, parts.about, parts.guests
        self._relatives, self._children = parts.relatives, parts.children
        self._client_messages, self._backend_messages = parts.client_messages, parts.backend_messages
        self._timers = parts.timers

    def receive(self, event: Event) -> list[Effect]:
        """Process one event and return the effects to carry out, in order."""
        self._attempt(partial(self._dispatch, event))
        return self._settle()

    def _settle(self) -> list[Effect]:
        """Update all parts after a change of state, and return the collected effects."""
        self._serve_waiting()
        if self.state.epoch != self._epoch:
            self._epoch = self.state.epoch
            self._past.leave()
            self._reads.drop_stale()
            self._consents.drop_stale()
            self._end_stale_jobs()
            self._serve_waiting()
        self._guests.follow()
        if not self._jobs.holding:
            self._reads.pump()
        return self._out.take()

    @property
    def label(self) -> str:
        """The program's name and process id, for a user who has several sessions."""
        return self._about.label

    @property
    def program(self) -> str:
        """The name of the program's file; an empty string if unknown."""
        return self._about.name

    @property
    def process_id(self) -> int:
        """The process id of the debugged program; 0 if unknown."""
        return self._about.process_id

    @property
    def rules(self) -> BackendRules:
        """The backend's rules, adapted to the capabilities that the backend has announced."""
        return self._gate.rules

    @property
    def announced(self) -> Sequence[str]:
        """The names of the capabilities that the backend has announced."""
        return [name for name, has in self._gate.capabilities.items() if has]

    @property
    def spares(self) -> str:
        """The request that started a program which survives the session ("launch", "attach").

        Empty if the program ends with the session.
        """
        return self._ending.spares

    @property
    def running_jobs(self) -> frozenset[str]:
        """Tokens of the running snapshots that nothing has ended yet."""
        return self._jobs.running

    def answer_failure(self, error: str) -> list[Effect] | None:
        """Fail the request in which an internal error occurred, and return the remaining effects.

        None if the session cannot continue. The program and all other requests are unaffected.
        """
        return self._settle() if self._serving.answer_failure(error) else None

    def last_words(self, text: str) -> list[bytes]:
        """Return final messages to the client after dap_ai itself has failed. Drops all pending effects."""
        self._out.take()
        self._out.tell([("output", {"category": "console", "output": f"{visible(text)}\n"})])
        return [effect.body for effect in self._out.take() if isinstance(effect, ToClient)]

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RemoteProtocolError as error:
            self._out.do(Log(f"skipped: {error}"))

    def _serve_waiting(self) -> None:
        places = self._jobs, self._starting, self._greeting
        while (held := next(filter(None, (place.next_waiting() for place in places)), None)) is not None:
            self._attempt(held)

    def _end_stale_jobs(self) -> None:
        if self.state.phase is Phase.ENDED:
            self._jobs.forget()
        else:
            self._jobs.end_stale(self.state.epoch)

    def _dispatch(self, event: Event) -> None:
        match event:
            case FromClient(body):
                self._client_messages.receive(Envelope.parse(body))
            case FromBackend(body):
                self._backend_messages.receive(Envelope.parse(body))
            case FromGuest(guest, body):
                self._in_turn(partial(self._guests.receive, guest, Envelope.parse(body)))
            case AgentRequest():
                self._reads.on_request(event)
            case JobBegun():
                self._jobs.on_begun(event)
            case JobEnded():
                self._jobs.ended(event)
            case ApprovalRequest():
                self._consents.on_request(event)
            case ActionRequest():
                self._acting.on_action(event)
            case AgentOutput():
                self._desk.on_output(event)
            case AgentEnded():
                self._desk.on_ended(event)
            case LookedBack():
                self._past.on_looked(event)
            case Prepared():
                if event.connected:
                    self._ending.answer_all("The session has moved to another debug adapter")
                self._starting.on_prepared(event)
            case TimerFired(timer_id):
                self._on_timer(timer_id)
            case ClientClosed():
                self._ending.on_client_closed()
            case BackendClosed(why, started):
                self._ending.on_backend_closed(why, started=started)
            case _:
                self._dispatch_others(event)

    def _dispatch_others(self, event: Event) -> None:
        """Dispatch the less frequent events."""
        match event:
            case GuestClosed(guest):
                self._in_turn(partial(self._guests.closed, guest))
            case TokenGiven():
                self._starting.authorized = True
            case ModelRequest():
                self._lending.on_request(event)
            case ListenerReady():
                self._children.on_listener(event)
            case RelativesChanged(stopped, need_adapter):
                self._relatives.stopped, self._relatives.need_adapter = stopped, need_adapter
            case FromRelative():
                self._relatives.on_message(event)
            case RelativeClosed(session_id):
                self._relatives.closed(session_id)
            case _:
                raise AssertionError(event)

    def _on_timer(self, timer_id: str) -> None:
        for name, fired in self._timers.items():
            if timer_id.startswith(name):
                fired(timer_id)
                return
        self._ending.on_timer(timer_id)

    def _in_turn(self, work: Callable[[], None]) -> None:
        """Do a guest's work now, or after earlier messages that wait for snapshots to end."""
        if self._jobs.holding:
            self._jobs.wait(partial(self._in_turn, work))
        else:
            work()
