"""Dispatches client messages by command. Forwards requests without a handler to the backend.

Commands that concern several parts are handled here: `initialize`, `evaluate` and `completions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from dap_ai.adapter.asks import ask_console
from dap_ai.adapter.asks.ask_service import AskService
from dap_ai.adapter.asks.snapshot_jobs import Jobs
from dap_ai.adapter.asks.typed_lines import Typed
from dap_ai.adapter.past.past_requests import PastRequests
from dap_ai.adapter.session.forwarding import Forwarding
from dap_ai.adapter.session.relatives import Relatives
from dap_ai.adapter.session.request_serving import Handler, Serving
from dap_ai.adapter.session.session_end import Ending
from dap_ai.adapter.session.session_start import Greeting, Starting
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.wire.dap_messages import EvaluateArguments, InitializeArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BAD_SEQUENCE


class ClientMessages:
    """Dispatches messages of the session's own client.

    `requests` maps commands to handlers; `forward` handles all other commands.
    """

    def __init__(
        self,
        out: Outbox,
        requests: Mapping[str, Handler],
        forward: Handler,
        *,
        past: PastRequests,
        jobs: Jobs,
        starting: Starting,
        greeting: Greeting,
        ending: Ending,
        serving: Serving,
    ) -> None:
        self._out = out
        self._requests = requests
        self._forward = forward
        self._past = past
        self._jobs = jobs
        self._starting = starting
        self._holders = (starting, greeting)
        self._ending = ending
        self._serving = serving

    def receive(self, message: Envelope) -> None:
        """Serve one client message, or hold the message until it may be served."""
        if not self._jobs.holding and self._past.takes(message):
            self._serving.serve(message, self._past.on_request)
        elif self._jobs.holding or (self._ending.ends_stop(message) and self._jobs.end_stop()):
            self._jobs.wait(partial(self.receive, message))
        elif any(holder.holds(message, partial(self.receive, message)) for holder in self._holders):
            return
        elif message.kind == "response":
            self._out.to_backend(message)
        elif message.kind == "event":
            self._on_event(message)
        elif self._starting.admits(message):
            self._serving.serve(message, self._requests.get(message.name, self._forward))

    def _on_event(self, message: Envelope) -> None:
        if self._starting.authorized:
            self._out.to_backend(message)
        else:
            self._out.do(Log("skipped: an event of a client that has not sent the token"))


@dataclass(eq=False)
class Introduction:
    """Serves `initialize` once; again if the adapter refused the request."""

    _out: Outbox
    _gate: ForwardingRules
    _desk: AskService
    _forwarding: Forwarding

    def on_initialize(self, message: Envelope) -> None:
        """Record the client that sends `initialize`, and forward the request."""
        if self._out.client.initialize:
            self._out.fail(message, BAD_SEQUENCE, reason="This session is initialized already.")
            return
        if self._forwarding.refuse_if_dead(message):
            return
        said = read_or(message, InitializeArguments, InitializeArguments())
        told = self._gate.complete_initialize(message.content)
        self._out.client.introduce(said, told or message.content or b"{}")
        self._desk.on_initialize(message)
        self._forwarding.forward(message, content=told)


@dataclass(eq=False)
class ConsoleRequests:
    """Serves `evaluate` and `completions`. A `??` line is answered here or in a related session."""

    _out: Outbox
    _typed: Typed
    _relatives: Relatives
    _forwarding: Forwarding

    def on_evaluate(self, message: Envelope) -> None:
        """Answer an `evaluate` of a `??` line, and forward any other `evaluate`."""
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        if arguments.context not in ask_console.CONTEXTS or not arguments.expression:
            self._forwarding.forward(message)
        elif (line := self._typed.read(arguments)) is not None:
            if not self._relatives.takes_console(message, line, here=self._typed.expects(line)):
                self._typed.on_line(message, line, arguments.frame_id)
        elif not self._forwarding.refuse_if_dead(message):
            self._forwarding.send(
                message, ClientOwner(message.seq, "evaluate", note=arguments.expression, arguments=message.content)
            )

    def on_completions(self, message: Envelope) -> None:
        """Complete a `??` line, and forward any other request."""
        items = self._typed.completions(message)
        if items is None:
            self._forwarding.forward(message)
        else:
            self._out.respond(message, {"targets": items})
