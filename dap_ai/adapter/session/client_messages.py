"""What the session's own client says: its requests that are more than forwarded, by command; the rest passes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dap_ai.adapter.asks import console
from dap_ai.adapter.asks.caught import CaughtExceptions
from dap_ai.adapter.asks.desk import AskDesk
from dap_ai.adapter.session.cancelling import Cancelling
from dap_ai.adapter.session.ending import Ending
from dap_ai.adapter.session.forwarding import Forwarding
from dap_ai.adapter.session.greeting import Greeting
from dap_ai.adapter.session.guests import Guests
from dap_ai.adapter.session.relatives import Relatives
from dap_ai.adapter.session.serving import Serving
from dap_ai.adapter.session.starting import Starting
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.options import Options
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import BAD_SEQUENCE
from dap_ai.protocol.messages import CompletionsArguments, EvaluateArguments, InitializeArguments


class ClientMessages:
    """`receive` takes one message of the client."""

    def __init__(
        self,
        out: Outbox,
        desk: AskDesk,
        options: Options,
        gate: Gate,
        *,
        caught: CaughtExceptions,
        greeting: Greeting,
        guests: Guests,
        relatives: Relatives,
        serving: Serving,
        forwarding: Forwarding,
        starting: Starting,
        ending: Ending,
    ) -> None:
        self._out = out
        self._desk = desk
        self._options = options
        self._gate = gate
        self._caught = caught
        self._greeting = greeting
        self._guests = guests
        self._relatives = relatives
        self._serving = serving
        self._forwarding = forwarding
        self._starting = starting
        self._ending = ending
        cancelling = Cancelling(out, desk, forwarding, gate)
        self._requests: dict[str, Callable[[Envelope], None]] = {
            "initialize": self._on_initialize,
            "launch": self._on_start,
            "attach": self._on_start,
            "ask": partial(self._here_or_there, desk.on_ask),
            "askTool": partial(self._here_or_there, desk.on_tool),
            "askOffer": desk.lending.on_offer,
            "askStopAt": self._on_stop_at,
            "askApprove": partial(self._here_or_there, desk.on_approve),
            "askModelDelta": partial(self._here_or_there, desk.lending.on_delta),
            "askModelEnd": partial(self._here_or_there, desk.lending.on_end),
            "cancel": partial(self._here_or_there, cancelling.on_request),
            "evaluate": self._on_evaluate,
            "completions": self._on_completions,
            "setBreakpoints": self._on_set_breakpoints,
            "setExceptionBreakpoints": self._on_set_exception_breakpoints,
            "disconnect": self._on_disconnect,
            "terminate": self._on_terminate,
        }

    def receive(self, message: Envelope) -> None:
        """Serve it, or hold it until it may be served."""
        jobs = self._desk.jobs
        if jobs.holding or (self._forwarding.ends_stop(message) and jobs.end_stop()):
            jobs.wait(partial(self.receive, message))
        elif any(place.holds(message, partial(self.receive, message)) for place in (self._starting, self._greeting)):
            return
        elif message.kind == "response":
            self._out.to_backend(message)
        elif message.kind == "event":
            self._on_event(message)
        elif self._starting.admits(message):
            self._serving.serve(message, self._requests.get(message.name, self._forwarding.forward))

    def _on_event(self, message: Envelope) -> None:
        if self._starting.authorized:
            self._out.to_backend(message)
        else:
            self._out.do(Log("skipped: an event of a client that has not given the token"))

    def _here_or_there(self, here: Callable[[Envelope], None], message: Envelope) -> None:
        """A request of ours: served here, unless it is about another session of the tree."""
        if not self._relatives.takes(message):
            here(message)

    def _on_initialize(self, message: Envelope) -> None:
        if self._starting.initialize:
            self._out.fail(message, BAD_SEQUENCE, reason="This session is initialized already.")
            return
        if self._forwarding.refuse_if_dead(message):
            return
        client = read_or(message, InitializeArguments, InitializeArguments())
        if client.supports_progress_reporting:
            self._desk.shows_progress.add("")
        self._desk.acting.client_hears_invalidated = client.supports_invalidated_event
        told = self._gate.told_of_client(message.content)
        self._starting.initialize = self._relatives.initialize = told or message.content or b"{}"
        self._out.client_id = client.client_id
        ansi = client.supports_ansi_styling
        self._desk.asks.category = console.category_for(client.client_id, ansi_styling=ansi)
        self._guests.client = client.client_name or client.client_id
        self._forwarding.forward(message, content=told)

    def _on_start(self, message: Envelope) -> None:
        if not self._forwarding.refuse_if_dead(message):
            self._guests.on_start(message)
            self._starting.on_request(message)

    def _on_evaluate(self, message: Envelope) -> None:
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        if arguments.context not in console.CONTEXTS or not arguments.expression:
            self._forwarding.forward(message)
            return
        typed = console.parse(arguments.expression, self._options.console_prefix)
        if typed is not None:
            if not self._relatives.takes_console(message, typed, here=self._desk.expects(typed)):
                self._desk.on_console(message, typed, arguments.frame_id)
        elif not self._forwarding.refuse_if_dead(message):
            self._forwarding.send(message, ClientOwner(message.seq, "evaluate", note=arguments.expression))

    def _on_completions(self, message: Envelope) -> None:
        arguments = read_or(message, CompletionsArguments, CompletionsArguments())
        items = console.complete(arguments.text, arguments.column, self._options.console_prefix)
        if items is None:
            self._forwarding.forward(message)
        else:
            self._out.respond(message, {"targets": items})

    def _on_set_breakpoints(self, message: Envelope) -> None:
        self._forwarding.forward(message, *self._desk.acting.breakpoints.of_client(message))

    def _on_set_exception_breakpoints(self, message: Envelope) -> None:
        self._forwarding.forward(message, self._caught.filters_of_client(message))

    def _on_stop_at(self, message: Envelope) -> None:
        if not self._forwarding.refuse_if_dead(message):
            self._caught.on_stop_at(message)

    def _on_terminate(self, message: Envelope) -> None:
        self._desk.end_all("cancelled")
        self._forwarding.forward(message)

    def _on_disconnect(self, message: Envelope) -> None:
        self._relatives.leave()
        self._ending.on_disconnect(message)
