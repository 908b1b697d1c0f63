"""Requests of the session's own client that mean something to several parts: who it is, and what it types."""

from __future__ import annotations

from dap_ai.adapter.asks import console
from dap_ai.adapter.asks.desk import AskDesk
from dap_ai.adapter.asks.typed import Typed
from dap_ai.adapter.session.forwarding import Forwarding
from dap_ai.adapter.session.relatives import Relatives
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BAD_SEQUENCE
from dap_ai.protocol.wire.messages import EvaluateArguments, InitializeArguments


class Introduction:
    """`initialize`: once, unless the adapter refuses it."""

    def __init__(self, out: Outbox, gate: Gate, desk: AskDesk, forwarding: Forwarding) -> None:
        self._out = out
        self._gate = gate
        self._desk = desk
        self._forwarding = forwarding

    def on_initialize(self, message: Envelope) -> None:
        """The request `initialize`."""
        if self._out.client.initialize:
            self._out.fail(message, BAD_SEQUENCE, reason="This session is initialized already.")
            return
        if self._forwarding.refuse_if_dead(message):
            return
        said = read_or(message, InitializeArguments, InitializeArguments())
        told = self._gate.told_of_client(message.content)
        self._out.client.introduce(said, told or message.content or b"{}")
        self._desk.on_initialize(message)
        self._forwarding.forward(message, content=told)


class Console:
    """`evaluate` and `completions`: a `??` line is ours, here or in a related session."""

    def __init__(self, out: Outbox, typed: Typed, relatives: Relatives, forwarding: Forwarding) -> None:
        self._out = out
        self._typed = typed
        self._relatives = relatives
        self._forwarding = forwarding

    def on_evaluate(self, message: Envelope) -> None:
        """The request `evaluate`."""
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        if arguments.context not in console.CONTEXTS or not arguments.expression:
            self._forwarding.forward(message)
        elif (line := self._typed.read(arguments)) is not None:
            if not self._relatives.takes_console(message, line, here=self._typed.expects(line)):
                self._typed.on_line(message, line, arguments.frame_id)
        elif not self._forwarding.refuse_if_dead(message):
            self._forwarding.send(message, ClientOwner(message.seq, "evaluate", note=arguments.expression))

    def on_completions(self, message: Envelope) -> None:
        """The request `completions`."""
        items = self._typed.completions(message)
        if items is None:
            self._forwarding.forward(message)
        else:
            self._out.respond(message, {"targets": items})
