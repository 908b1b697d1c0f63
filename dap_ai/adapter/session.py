"""One debug session: what the proxy does with every message. Pure; event in, effects out.

1. What is not in the tables below passes through, restamped, its content byte-exact.
2. `ask*`, and `??` in the console, never reach the backend; the agent's own requests never reach the client.
3. A request is answered exactly once, whatever dies.
4. `disconnect` and `terminate` end the asks and pass; a backend that does not answer `disconnect` is ended.
5. What ends a stop is forwarded when the snapshots of that stop are gone (jobs.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dap_ai.adapter import acting, console
from dap_ai.adapter.asks import FLUSH, LIMIT
from dap_ai.adapter.cancelling import Cancelling
from dap_ai.adapter.children import Children
from dap_ai.adapter.consent import CONSENT
from dap_ai.adapter.desk import AskDesk
from dap_ai.adapter.effects import (
    ActionWanted,
    AgentEnded,
    AgentOutput,
    AgentRequest,
    ApprovalWanted,
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
    ModelWanted,
    Prepared,
    RelativeClosed,
    RelativesChanged,
    TimerFired,
    ToBackend,
    ToClient,
)
from dap_ai.adapter.ending import Ending
from dap_ai.adapter.gate import BackendRules, Gate
from dap_ai.adapter.guests import Guests
from dap_ai.adapter.history import History
from dap_ai.adapter.jobs import HOLD
from dap_ai.adapter.lending import SILENCE
from dap_ai.adapter.options import Fields, Options
from dap_ai.adapter.outbox import Outbox, read_or
from dap_ai.adapter.relatives import Relatives
from dap_ai.adapter.resuming import RESUME
from dap_ai.adapter.seqmap import (
    AgentOwner,
    BreakpointsOwner,
    ClientOwner,
    KillOwner,
    OwnOwner,
    ResumeOwner,
    ReverseOwner,
    SentBreakpoints,
    SwallowedOwner,
)
from dap_ai.adapter.slots import SLOTS
from dap_ai.adapter.starting import Starting
from dap_ai.adapter.state import RESUMING, DebuggeeState, Phase
from dap_ai.adapter.unanswered import WAIT, Unanswered
from dap_ai.adapter.watching import Watching
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import BAD_SEQUENCE, UNKNOWN_REQUEST, RemoteProtocolError
from dap_ai.protocol.messages import (
    CompletionsArguments,
    EvaluateArguments,
    InitializeArguments,
    ThreadArguments,
)

_PARTING = frozenset({"disconnect", "terminate"})

_OURS = "ask"
"""What requests of ours begin with."""


class Session:
    """`receive` takes one event and returns what must happen, in order."""

    def __init__(self, rules: BackendRules, options: Options | None = None) -> None:
        self.options = options or Options()
        self.state = DebuggeeState()
        self.history = History()
        self._out = Outbox()
        self._gate = Gate(rules)
        self._desk = AskDesk(self._out, self.state, self.history, self.options, self._gate)
        self._jobs = self._desk.jobs
        self._reads = self._desk.reads
        self._acting = self._desk.acting
        self._watching = Watching(self._out, self.state, self.history, self._gate, self._acting.breakpoints)
        self._starting = Starting(self._out, self.state, self.options, self._send)
        self._ending = Ending(self._out, self.state, self._desk, self._starting)
        self._guests = Guests(self._out, self.state, self._desk, self.options, self._forward)
        self._unanswered = Unanswered(self._out, self._reads.client_answered)
        self._relatives = Relatives(self._out, self.state)
        self._children = Children(self._out, self.options, self._to_client)
        cancelling = Cancelling(self._out, self._desk, self._ending, self._gate, self._send)
        self._client_requests: dict[str, Callable[[Envelope], None]] = {
            "initialize": self._on_initialize,
            "launch": self._on_start,
            "attach": self._on_start,
            "ask": partial(self._here_or_there, self._desk.on_ask),
            "askTool": partial(self._here_or_there, self._desk.on_tool),
            "askOffer": self._desk.lending.on_offer,
            "askApprove": partial(self._here_or_there, self._desk.on_approve),
            "askModelDelta": partial(self._here_or_there, self._desk.lending.on_delta),
            "askModelEnd": partial(self._here_or_there, self._desk.lending.on_end),
            "cancel": partial(self._here_or_there, cancelling.on_request),
            "evaluate": self._on_evaluate,
            "completions": self._on_completions,
            "setBreakpoints": self._on_set_breakpoints,
            "disconnect": self._on_disconnect,
            "terminate": self._on_terminate,
        }

        self._timers: dict[str, Callable[[str], None]] = {
            SLOTS: self._reads.on_timer,
            FLUSH: self._desk.on_flush,
            LIMIT: self._desk.on_limit,
            CONSENT: self._desk.consents.on_timer,
            SILENCE: self._desk.lending.on_timer,
            RESUME: lambda _: self._acting.resuming.on_timer(),
            HOLD: lambda _: self._jobs.on_timer(),
            WAIT: self._unanswered.on_timer,
        }
        """By how their names begin."""

    def receive(self, event: Event) -> list[Effect]:
        """What must happen now."""
        epoch = self.state.epoch
        self._attempt(partial(self._dispatch, event))
        self._serve_held()
        if self.state.epoch != epoch:
            self._reads.drop_stale()
            self._desk.consents.drop_stale()
            self._end_stale_jobs()
            self._serve_held()
        self._guests.follow()
        if not self._jobs.holding:
            self._reads.pump()
        return self._out.take()

    @property
    def label(self) -> str:
        """What is debugged, for a person who has several sessions."""
        return self._guests.label

    @property
    def rules(self) -> BackendRules:
        """What is known of the backend, as far as it has announced itself."""
        return self._gate.rules

    @property
    def spares(self) -> str:
        """How the debuggee that is to outlive the session was started (launch, attach); empty: it is to be ended."""
        return self._ending.spares

    @property
    def running_jobs(self) -> frozenset[str]:
        """Tokens of the snapshots under way that nothing has ended."""
        return self._jobs.running

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RemoteProtocolError as error:
            self._out.do(Log(f"skipped: {error}"))

    def _serve_held(self) -> None:
        while (held := self._jobs.next_held() or self._starting.next_held()) is not None:
            self._attempt(held)

    def _end_stale_jobs(self) -> None:
        if self.state.phase is Phase.ENDED:
            self._jobs.forget()
        else:
            self._jobs.end_stale(self.state.epoch)

    def _dispatch(self, event: Event) -> None:
        match event:
            case FromClient(body):
                self._from_client(Envelope.parse(body))
            case FromBackend(body):
                self._from_backend(Envelope.parse(body))
            case FromGuest(guest, body):
                self._in_turn(partial(self._guests.receive, guest, Envelope.parse(body)))
            case AgentRequest():
                self._reads.on_request(event)
            case JobBegun():
                self._desk.on_job(event)
            case JobEnded():
                self._jobs.ended(event)
            case ApprovalWanted():
                self._desk.consents.on_wanted(event)
            case ActionWanted():
                self._acting.on_action(event)
            case AgentOutput():
                self._desk.on_output(event)
            case AgentEnded():
                self._desk.on_ended(event)
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
        """What comes less often."""
        match event:
            case GuestClosed(guest):
                self._in_turn(partial(self._guests.closed, guest))
            case ModelWanted():
                self._desk.lending.on_wanted(event)
            case ListenerReady():
                self._children.on_listener(event)
            case RelativesChanged(stopped):
                self._relatives.stopped = stopped
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

    # -- the client -------------------------------------------------------------------------------------------------

    def _from_client(self, message: Envelope) -> None:
        if self._jobs.holding or (self._ends_stop(message) and self._jobs.end_stop()):
            self._jobs.wait(partial(self._from_client, message))
        elif self._starting.holds(message, partial(self._from_client, message)):
            return
        elif message.kind == "response":
            self._on_client_response(message)
        elif message.kind == "event":
            self._on_client_event(message)
        elif self._starting.admits(message):
            self._out.serve(message, self._client_requests.get(message.name, self._forward))

    def _on_client_event(self, message: Envelope) -> None:
        if self._starting.authorized:
            self._out.do(ToBackend(message.encode(seq=self._out.seqs.next_to_backend())))
        else:
            self._out.do(Log("skipped: an event of a client that has not given the token"))

    def _in_turn(self, work: Callable[[], None]) -> None:
        """Do something of a guest's, behind what waits until the snapshots have ended."""
        if self._jobs.holding:
            self._jobs.wait(partial(self._in_turn, work))
        else:
            work()

    def _here_or_there(self, here: Callable[[Envelope], None], message: Envelope) -> None:
        """A request of ours: served here, unless it is about another session of the tree."""
        if not self._relatives.takes(message):
            here(message)

    def _ends_stop(self, message: Envelope) -> bool:
        """Whether the program goes on, or ends, once this is forwarded."""
        if message.kind != "request" or not self._jobs.are_alive:
            return False
        if message.name in _PARTING:
            self._desk.end_all("cancelled")
        elif message.name not in RESUMING:
            return False
        thread = read_or(message, ThreadArguments, ThreadArguments())
        return self._gate.refuse(message.name, thread.thread_id, self.state) is None

    def _forward(self, message: Envelope, content: bytes | None = None, sent: SentBreakpoints | None = None) -> None:
        """Pass a request on, unless the backend must not see it."""
        if message.name.startswith(_OURS):
            self._out.fail(message, UNKNOWN_REQUEST, command=message.name)
            return
        if self._ending.refuse_if_dead(message):
            return
        thread = read_or(message, ThreadArguments, ThreadArguments())
        refusal = self._gate.refuse(message.name, thread.thread_id, self.state, arguments=message.content)
        if refusal is not None:
            self._out.fail(message, refusal.entry, **refusal.variables)
            return
        before = None
        if message.name in RESUMING or message.name == "pause":
            self._acting.on_client_resumes()
        if message.name in RESUMING:
            self.history.add("step", message.name)
            before = self.state.on_resume(thread.thread_id, single_thread=thread.single_thread)
        if message.name == "restart":
            self.state.on_restart()
        owner = ClientOwner(message.seq, message.name, thread.thread_id, before, sent=sent, guest=self._out.guest)
        self._send(message, owner, content)

    def _send(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        self._reads.client_asked()
        self._reads.scoping.before(owner.guest, owner.command, message.content)
        seq = self._out.seqs.next_to_backend(owner)
        self._out.do(ToBackend(message.encode(seq=seq, content=content)))
        self._unanswered.on_sent(seq, owner.command)

    def _on_initialize(self, message: Envelope) -> None:
        if self._starting.initialize:
            self._out.fail(message, BAD_SEQUENCE, reason="This session is initialized already.")
            return
        if self._ending.refuse_if_dead(message):
            return
        client = read_or(message, InitializeArguments, InitializeArguments())
        if client.supports_progress_reporting:
            self._desk.shows_progress.add("")
        self._acting.client_hears_invalidated = client.supports_invalidated_event
        told = self._gate.told_of_client(message.content)
        self._starting.initialize = self._relatives.initialize = told or message.content or b"{}"
        self._out.client_id = client.client_id
        self._guests.client = client.client_name or client.client_id
        self._forward(message, content=told)

    def _on_start(self, message: Envelope) -> None:
        if not self._ending.refuse_if_dead(message):
            self._guests.on_start(message)
            self._starting.on_request(message)

    def _on_evaluate(self, message: Envelope) -> None:
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        if arguments.context not in console.CONTEXTS or not arguments.expression:
            self._forward(message)
            return
        typed = console.parse(arguments.expression, self.options.console_prefix)
        if typed is not None:
            if not self._relatives.takes_console(message, typed, here=self._desk.expects(typed)):
                self._desk.on_console(message, typed, arguments.frame_id)
        elif not self._ending.refuse_if_dead(message):
            self._send(message, ClientOwner(message.seq, "evaluate", note=arguments.expression))

    def _on_completions(self, message: Envelope) -> None:
        arguments = read_or(message, CompletionsArguments, CompletionsArguments())
        items = console.complete(arguments.text, arguments.column, self.options.console_prefix)
        if items is None:
            self._forward(message)
        else:
            self._out.respond(message, {"targets": items})

    def _on_set_breakpoints(self, message: Envelope) -> None:
        self._forward(message, *self._acting.breakpoints.of_client(message))

    def _on_terminate(self, message: Envelope) -> None:
        self._desk.end_all("cancelled")
        self._forward(message)

    def _on_disconnect(self, message: Envelope) -> None:
        self._relatives.leave()
        self._ending.on_disconnect(message)

    def _on_client_response(self, message: Envelope) -> None:
        """The client has answered a reverse request."""
        owner = self._out.seqs.reverse.pop(message.request_seq, None)
        if owner is None:
            self._out.do(Log(f"skipped: a response of the client to nothing: {message!r}"))
            return
        seq = self._out.seqs.next_to_backend()
        self._out.do(ToBackend(message.encode(seq=seq, request_seq=owner.backend_seq)))

    # -- the backend ------------------------------------------------------------------------------------------------

    def _from_backend(self, message: Envelope) -> None:
        if message.kind == "response":
            self._on_backend_response(message)
        elif message.kind == "event":
            self._on_backend_event(message)
        elif not self._children.takes(message):
            self._to_client(message)

    def _on_backend_event(self, message: Envelope) -> None:
        if self._watching.hides(message):
            return
        self._guests.on_event(message)
        content = self._watching.event(message)
        if self._reads.acts and message.name == "output":
            content = acting.tagged(message)
        is_read = self._acting.admits(message) and self._out.reads(message.name)
        if is_read and not self._children.takes(message):
            self._to_client(message, content)
        self._acting.on_event(message)

    def _to_client(self, message: Envelope, content: bytes | None = None) -> None:
        """Pass on an event or a reverse request."""
        seq = self._out.seqs.next_to_client()
        if message.kind == "request":
            self._out.seqs.reverse[seq] = ReverseOwner(message.seq, message.name)
        self._out.do(ToClient(message.encode(seq=seq, content=content)))

    def _on_backend_response(self, message: Envelope) -> None:
        owner = self._out.seqs.owners.pop(message.request_seq, None)
        match owner:
            case ClientOwner():
                self._unanswered.on_answered(message.request_seq)
                self._answer_client(message, owner)
            case AgentOwner():
                self._reads.on_response(message, owner)
            case OwnOwner():
                self._on_own_response(message, owner)
            case ResumeOwner():
                self._acting.resuming.on_response(message, owner)
            case BreakpointsOwner():
                self._acting.on_breakpoints(message, owner)
            case KillOwner():
                self._jobs.confirmed(owner.token)
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
        self._reads.client_answered(owner.command)
        if parts:
            self._ending.on_disconnect_passed()

    def _on_own_response(self, message: Envelope, owner: OwnOwner) -> None:
        if owner.command == "initialize":
            self._watching.learn(read_or(message, Fields, {}))
            self._starting.on_other_initialized()
        elif owner.command == "disconnect":
            self._ending.on_disconnected(by_us=True)
