"""Creates the parts of one session, connects them, and maps commands and events to their handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from dap_ai.adapter.asks.agent_actions import Acting
from dap_ai.adapter.asks.ask_service import AskService
from dap_ai.adapter.asks.asks import FLUSH, LIMIT, Asks
from dap_ai.adapter.asks.caught_exceptions import CaughtExceptions
from dap_ai.adapter.asks.consent import CONSENT, Consents
from dap_ai.adapter.asks.lent_model import SILENCE, Lending
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.asks.resuming import RESUME
from dap_ai.adapter.asks.slots import SLOTS
from dap_ai.adapter.asks.snapshot_jobs import HOLD, Jobs
from dap_ai.adapter.asks.typed_lines import Typed
from dap_ai.adapter.past.past_moves import PastMoves
from dap_ai.adapter.past.past_reads import PastReads
from dap_ai.adapter.past.past_requests import PastRequests
from dap_ai.adapter.past.past_runs import PastRuns
from dap_ai.adapter.session.backend_messages import Answered, BackendMessages, Responses
from dap_ai.adapter.session.backend_watch import Watching
from dap_ai.adapter.session.child_sessions import Children
from dap_ai.adapter.session.client_messages import ClientMessages, ConsoleRequests, Introduction
from dap_ai.adapter.session.forwarding import WAIT, Cancelling, Forwarding, PendingRequests
from dap_ai.adapter.session.guests import READS, GuestReads, Guests
from dap_ai.adapter.session.relatives import Relatives
from dap_ai.adapter.session.request_serving import Handler, Serving
from dap_ai.adapter.session.session_end import Ending
from dap_ai.adapter.session.session_info import About
from dap_ai.adapter.session.session_start import GREETING, Greeting, Starting
from dap_ai.adapter.state.data_breakpoints import DataBreakpoints
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox
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
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.adapter.state.value_edits import ValueEdits
from dap_ai.protocol.wire.envelope import Envelope


class Parts:
    """All parts of one session. Only Session uses this class: no other module knows all parts."""

    def __init__(
        self,
        out: Outbox,
        state: DebuggeeState,
        history: SessionHistory,
        options: SessionOptions,
        *,
        gate: ForwardingRules,
        caught: CaughtExceptions,
    ) -> None:
        self._out = out
        self._state = state
        self._history = history
        self._options = options
        self._gate = gate
        self._caught = caught
        self._begin_asks()
        self._begin_traffic()
        self.guests = self._with_guests()
        self.client_messages = self._from_client()
        self.backend_messages = self._from_backend()
        self.timers: dict[str, Callable[[str], None]] = {
            SLOTS: self.reads.on_timer,
            FLUSH: self.desk.on_flush,
            LIMIT: self.desk.on_limit,
            CONSENT: self.consents.on_timer,
            SILENCE: self.lending.on_timer,
            RESUME: lambda _: self.acting.resuming.on_timer(),
            HOLD: lambda _: self.jobs.on_timer(),
            WAIT: self.unanswered.on_timer,
            GREETING: lambda _: self.greeting.on_over(),
        }
        """Maps the prefix of a timer's id to the handler of that timer."""

    def _begin_asks(self) -> None:
        out, state = self._out, self._state
        self.asks = Asks()
        self.reads = AgentReads(out, state, self.asks, self._gate)
        self.jobs = Jobs(out, state, self.asks)
        self.consents = Consents(out, state, self.asks, self._options)
        self.lending = Lending(out, self.asks)
        self.edits = ValueEdits(state)
        self.acting = Acting(
            out, state, self._history, self._gate, self.edits, asks=self.asks, reads=self.reads, jobs=self.jobs
        )
        self.past = self._with_past()
        ends_with_ask = (self.consents, self.acting, self.reads, self.jobs, self.lending, self.past)
        self.desk = AskService(out, state, self._history, self._options, self.asks, self._caught, ends_with_ask)
        self.typed = Typed(out, state, self._options, self.asks, self.desk, self.consents, self.lending)
        self._ask_requests: Mapping[str, Handler] = {
            "ask": self.desk.on_ask,
            "askTool": self.desk.on_tool,
            "askApprove": self.consents.on_approve,
            "askModelDelta": self.lending.on_delta,
            "askModelEnd": self.lending.on_end,
        }

    def _with_past(self) -> PastRequests:
        out, state = self._out, self._state
        runs = PastRuns(out, state, self.asks, self.jobs, self.reads)
        moving = PastMoves(out, state, runs, self.acting.breakpoints)
        return PastRequests(out, state, self._options, self._gate, runs, moving, PastReads(out, runs, moving))

    def _begin_traffic(self) -> None:
        """Create the parts that forward messages between client and backend."""
        out, state = self._out, self._state
        self.about = About(out.client, state, self._options)
        self.greeting = Greeting(out, self._gate)
        self.unanswered = PendingRequests(out, self.reads.client_answered)
        self.forwarding = Forwarding(out, state, self._history, self._gate, self.acting, self.reads, self.unanswered)
        self.starting = Starting(out, state, self._options, self.forwarding.send)
        self.relatives = Relatives(out, state)
        held = (self.jobs, self.reads, self.starting, self.greeting, self.relatives)
        self.ending = Ending(out, state, self.desk, self.forwarding, *held)
        self.serving = Serving(out, state, self.asks, self.reads, self.desk.fail)
        self.children = Children(out, self._options)

    def _with_guests(self) -> Guests:
        reading = GuestReads(self._out, self.reads.put_guest, self.forwarding.forward)
        requests: Mapping[str, Handler] = {
            **self._ask_requests,
            **dict.fromkeys(READS, reading.on_request),
            "askOffer": self.lending.on_offer,
            "cancel": self._on_guest_cancels,
            "initialize": self.desk.on_initialize,
        }
        leave = (self.desk.end_guest, self.consents.forget, self.lending.forget, self.reads.forget)
        return Guests(
            self._out, self._state, self.about, serving=self.serving, typed=self.typed, requests=requests, leave=leave
        )

    def _from_client(self) -> ClientMessages:
        forwarding = self.forwarding
        introduction = Introduction(self._out, self._gate, self.desk, forwarding)
        console = ConsoleRequests(self._out, self.typed, self.relatives, forwarding)
        cancelling = Cancelling(self._out, self.desk.cancel_of, forwarding, self._gate)
        of_asks = {**self._ask_requests, "cancel": cancelling.on_request}
        requests: dict[str, Handler] = {
            **{command: partial(self.relatives.here_or_there, handler) for command, handler in of_asks.items()},
            "initialize": introduction.on_initialize,
            "launch": forwarding.unless_dead(self._on_start),
            "attach": forwarding.unless_dead(self._on_start),
            "askOffer": self.lending.on_offer,
            "askStopAt": forwarding.unless_dead(self._caught.on_stop_at),
            "evaluate": console.on_evaluate,
            "completions": console.on_completions,
            "setBreakpoints": self._on_set_breakpoints,
            "setExceptionBreakpoints": self._on_set_exception_breakpoints,
            "disconnect": self._on_disconnect,
            "terminate": self._on_terminate,
        }
        return ClientMessages(
            self._out,
            requests,
            forwarding.forward,
            past=self.past,
            jobs=self.jobs,
            starting=self.starting,
            greeting=self.greeting,
            ending=self.ending,
            serving=self.serving,
        )

    def _from_backend(self) -> BackendMessages:
        learns = (self.edits, DataBreakpoints(self._state, self.edits))
        watching = Watching(
            self._out, self._state, self._history, self._gate, self.acting.breakpoints, self.greeting, *learns
        )
        responses = Responses(self._out, self.reads, watching, self.unanswered, self.starting, self.ending)
        owners: Mapping[type, Answered] = {
            ClientOwner: responses.to_client,
            OwnOwner: responses.to_us,
            AgentOwner: self.reads.on_response,
            GreetingOwner: lambda _message, _owner: self.greeting.on_over(),
            ResumeOwner: self.acting.resuming.on_response,
            BreakpointsOwner: self.acting.on_breakpoints,
            KillOwner: lambda _message, owner: self.jobs.confirmed(owner.token),
            SwallowedOwner: lambda _message, _owner: None,
        }
        return BackendMessages(
            self._out, watching, self.about, self.children, self.acting, self._caught, self.past, owners
        )

    def _on_start(self, message: Envelope) -> None:
        self.about.on_start(message)
        self.starting.on_request(message)

    def _on_set_breakpoints(self, message: Envelope) -> None:
        self.forwarding.forward(message, *self.acting.breakpoints.of_client(message))

    def _on_set_exception_breakpoints(self, message: Envelope) -> None:
        self.forwarding.forward(message, self._caught.filters_of_client(message))

    def _on_terminate(self, message: Envelope) -> None:
        self.desk.end_all("cancelled")
        self.forwarding.forward(message)

    def _on_disconnect(self, message: Envelope) -> None:
        self.relatives.leave()
        self.ending.on_disconnect(message)

    def _on_guest_cancels(self, message: Envelope) -> None:
        self.desk.cancel_of(message)
        self._out.respond(message)
