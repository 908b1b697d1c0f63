"""Serves questions: `ask`, `askTool`, `??` in the console, and `cancel` of a question. None reaches the backend."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from dap_ai.adapter.asks import ask_console, ask_rules
from dap_ai.adapter.asks.asks import FLUSH, LIMIT, Asks, AskState, Channel
from dap_ai.adapter.asks.caught_exceptions import CaughtExceptions
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import AgentEnded, AgentOutput, CancelAsk, SetTimer, StartAsk
from dap_ai.adapter.state.ours import FIRST_OF_PAST
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.contracts.run_tool_arguments import RUN_TOOLS
from dap_ai.protocol.contracts.tool_arguments import TOOLS, ToolArguments
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import AskArguments, AskResponseBody, AskToolArguments, EndReason
from dap_ai.protocol.wire.dap_messages import CancelArguments, InitializeArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BAD_ASK, UNKNOWN_TOOL, RemoteProtocolError

_OF_PRESENT = "about the present: a moment in the past is only looked at"


class AskPart(Protocol):
    """A part of the session that keeps state for a running question."""

    def end_ask(self, ask_id: str) -> None:
        """Drop the state kept for a question that has ended."""
        ...


@dataclass(eq=False)
class AskService:
    """Serves questions from the client's request to the last event.

    `_parts` are the parts of the session that keep state for a running question.
    """

    _out: Outbox
    _state: DebuggeeState
    _history: SessionHistory
    _options: SessionOptions
    _asks: Asks
    _caught: CaughtExceptions
    _parts: Sequence[AskPart]
    _shows_progress: set[str] = field(default_factory=set[str], init=False)
    """Clients that support progress reporting. An empty string stands for the session's own client."""

    def on_initialize(self, message: Envelope) -> None:
        """Record whether the client that sends `initialize` supports progress reporting."""
        if read_or(message, InitializeArguments, InitializeArguments()).supports_progress_reporting:
            self._shows_progress.add(self._out.guest)

    def on_ask(self, message: Envelope) -> None:
        """Serve an `ask` request of a client."""
        try:
            arguments = message.read(AskArguments)
        except RemoteProtocolError as error:
            self._out.fail(message, BAD_ASK, reason=f"Arguments of ask: {error}")
            return
        self.accept(message, arguments, "request")

    def on_tool(self, message: Envelope) -> None:
        """Serve an `askTool` request, which one tool answers."""
        try:
            wanted = message.read(AskToolArguments)
        except RemoteProtocolError as error:
            self._out.fail(message, BAD_ASK, reason=f"Arguments of askTool: {error}")
            return
        if wanted.name not in TOOLS and wanted.name not in RUN_TOOLS:
            self._out.fail(message, UNKNOWN_TOOL, name=wanted.name, tools=", ".join({**TOOLS, **RUN_TOOLS}))
            return
        try:
            call = _decoded(wanted)
        except RemoteProtocolError as error:
            self._out.fail(message, BAD_ASK, reason=f"Arguments of {wanted.name}: {error}")
            return
        arguments = AskArguments(
            question=wanted.name,
            thread_id=wanted.thread_id,
            frame_id=wanted.frame_id,
            conversation_id=wanted.conversation_id,
            ask_events=wanted.ask_events,
            level=wanted.level,
        )
        self.accept(message, arguments, "request", call)

    def on_output(self, piece: AgentOutput) -> None:
        """Pass a piece of the agent's output to the client that asked."""
        messages, effects = self._asks.output(piece)
        self._out.tell(messages, self._asks.guest_of(piece.ask_id))
        self._out.do(*effects)

    def on_ended(self, ended: AgentEnded) -> None:
        """End a question that the agent has answered or failed to answer."""
        reason: EndReason = "limit" if ended.answer.limit else "completed"
        error = ended.error or ended.answer.error
        if error:
            reason = "notStopped" if ended.not_stopped else "failed"
        self._end(ended.ask_id, reason, ended.answer, "" if ended.answer.text else error)

    def on_flush(self, timer_id: str) -> None:
        """Send the client the text that has waited for FLUSH_S."""
        ask_id = timer_id.removeprefix(FLUSH)
        self._out.tell(self._asks.flush(ask_id), self._asks.guest_of(ask_id))

    def on_limit(self, timer_id: str) -> None:
        """End an answer that takes too long. The client gets the text up to now."""
        ask_id = timer_id.removeprefix(LIMIT)
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "limit", None, f"no answer within {self._options.ask_timeout_s:g} s")

    def cancel_of(self, message: Envelope) -> bool:
        """Cancel the question that a `cancel` request names. Return False if it names no question of this client."""
        ask_id = read_or(message, CancelArguments, CancelArguments()).progress_id or ""
        state = self._asks.running.get(ask_id)
        if state is None or state.guest != self._out.guest:
            return False
        self.cancel(ask_id)
        return True

    def cancel(self, ask_id: str) -> None:
        """Cancel a question. The client gets the answer's text up to now."""
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "cancelled", None)

    def fail(self, ask_id: str, why: str) -> None:
        """End a question because dap_ai itself has failed."""
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "failed", None, why)

    def end_all(self, reason: EndReason, why: str = "") -> None:
        """End all running questions for this reason."""
        for ask_id in list(self._asks.running):
            self._out.do(CancelAsk(ask_id))
            self._end(ask_id, reason, None, why)

    def end_guest(self, guest: str) -> None:
        """End the questions and conversations of a guest that has left."""
        for ask_id, state in list(self._asks.running.items()):
            if state.guest == guest:
                self.cancel(ask_id)
        for conversation_id in self._asks.forget(guest):
            self._history.forget(conversation_id)
        self._shows_progress.discard(guest)

    def accept(
        self, message: Envelope, arguments: AskArguments, channel: Channel, tool: ToolArguments | None = None
    ) -> None:
        """Accept a question and start the agent on it, or refuse the question."""
        guest = self._out.guest
        is_about_past = (arguments.frame_id or 0) >= FIRST_OF_PAST
        if is_about_past:
            arguments = msgspec.structs.replace(arguments, frame_id=None)
        knows_caught = self._caught.last is not None
        refusal = ask_rules.refuse(arguments, self._asks, self._state, guest, knows_caught=knows_caught)
        if refusal is not None:
            self._out.fail(message, refusal.entry, **refusal.variables)
            return
        joined = ask_rules.has_joined(guest)
        level = ask_rules.lower(arguments.level, ask_rules.highest(self._options.level, joined=joined))
        in_console = self._options.ask_events or bool(arguments.providers)
        wanted = in_console if channel == "console" else arguments.ask_events is not False
        events = wanted and self._out.reads("askEnded", guest)
        lent = arguments.providers if events else []  # a client that gets no events cannot lend a model
        arguments = msgspec.structs.replace(arguments, level=level, providers=lent)
        self._asks.mark = self._options.mark
        conversation_id = arguments.conversation_id or self._asks.new_conversation(guest)
        ask = AcceptedAsk(self._asks.new_ask_id(), conversation_id, arguments, tool, joined)
        if channel == "console":
            self._asks.consoles[guest] = conversation_id
            ask_console.respond(
                self._out, message, f"{ask.ask_id}: {arguments.question or ask_console.DEFAULT_QUESTION}"
            )
        else:
            self._out.respond(message, AskResponseBody(ask.ask_id, conversation_id))
        if arguments.earlier is not None:
            self._history.add_output("stdout", arguments.earlier.output)
            self._caught.last = arguments.earlier.caught
        stop = ask_rules.stop_of(arguments, self._state)
        progress = guest in self._shows_progress and arguments.progress is not False
        if channel == "console" and self._options.ask_events and not joined:
            progress = False  # its client shows the answer and asks for confirmation by the events
        category = ask_console.CATEGORY if joined else ask_console.category_for(self._out.client)
        state = AskState(ask, channel, events=events, progress=progress, guest=guest, category=category)
        self._out.tell(self._asks.started(state), guest)
        self._out.do(SetTimer(LIMIT + ask.ask_id, self._options.ask_timeout_s))
        self._out.do(StartAsk(ask, stop, self._history.since_last(conversation_id, guest if joined else None)))
        self._history.add("ask", arguments.question, asker=guest)
        if is_about_past:
            self.on_output(AgentOutput(ask.ask_id, "status", _OF_PRESENT))

    def _end(self, ask_id: str, reason: EndReason, answer: Answer | None, why: str = "") -> None:
        guest = self._asks.guest_of(ask_id)
        self._out.tell(self._asks.ended(ask_id, reason, answer, why), guest)
        self._out.do(*self._asks.timers(ask_id))
        for part in self._parts:
            part.end_ask(ask_id)


def _decoded(wanted: AskToolArguments) -> ToolArguments:
    """Parse a tool call as one about an agent's run, else as one about a program. Raises RemoteProtocolError."""
    *others, last = [table[wanted.name] for table in (RUN_TOOLS, TOOLS) if wanted.name in table]
    for kind in others:
        with contextlib.suppress(RemoteProtocolError):
            return envelope.decode(bytes(wanted.arguments), kind)
    return envelope.decode(bytes(wanted.arguments), last)
