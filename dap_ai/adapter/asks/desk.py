"""Where questions are taken: `ask`, `??` in the console, `cancel` of an ask. None of it reaches the backend."""

from __future__ import annotations

import msgspec

from dap_ai.adapter.asks import console, questions
from dap_ai.adapter.asks.acting import Acting
from dap_ai.adapter.asks.asks import FLUSH, LIMIT, Asks, AskState, Channel
from dap_ai.adapter.asks.caught import CaughtExceptions
from dap_ai.adapter.asks.consent import Consents
from dap_ai.adapter.asks.jobs import Jobs
from dap_ai.adapter.asks.lending import Lending
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import AgentEnded, AgentOutput, CancelAsk, JobBegun, SetTimer, StartAsk
from dap_ai.adapter.state.gate import Gate, Refusal
from dap_ai.adapter.state.history import History
from dap_ai.adapter.state.options import Options
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.protocol import envelope
from dap_ai.protocol.ask import AskApproveArguments, AskArguments, AskResponseBody, AskToolArguments, EndReason
from dap_ai.protocol.asking import Answer, Ask, ToolCall
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import BAD_ASK, NO_APPROVAL, UNKNOWN_TOOL, RemoteProtocolError
from dap_ai.protocol.messages import CancelArguments
from dap_ai.protocol.tools import TOOLS
from dap_ai.protocol.visible import on_one_line


class AskDesk:
    """The session's asks, from the client's request to its last event."""

    def __init__(  # noqa: PLR0917  the parts of one session
        self,
        out: Outbox,
        state: DebuggeeState,
        history: History,
        options: Options,
        gate: Gate,
        caught: CaughtExceptions,
    ) -> None:
        self.asks = Asks()
        self.reads = AgentReads(out, state, self.asks, gate)
        self.jobs = Jobs(out, state)
        self.consents = Consents(out, state, self.asks, options)
        self.lending = Lending(out, self.asks)
        self.acting = Acting(out, state, history, gate, asks=self.asks, reads=self.reads, jobs=self.jobs)
        self.shows_progress: set[str] = set()
        """Clients with progress reporting; the session's own is the empty name."""
        self._out = out
        self._state = state
        self._history = history
        self._options = options
        self._caught = caught

    def on_ask(self, message: Envelope) -> None:
        """The request `ask`."""
        try:
            arguments = message.read(AskArguments)
        except RemoteProtocolError as error:
            self._out.fail(message, BAD_ASK, reason=f"Arguments of ask: {error}")
            return
        self._accept(message, arguments, "request")

    def on_tool(self, message: Envelope) -> None:
        """The request `askTool`: an ask that one tool answers."""
        try:
            wanted = message.read(AskToolArguments)
        except RemoteProtocolError as error:
            self._out.fail(message, BAD_ASK, reason=f"Arguments of askTool: {error}")
            return
        if wanted.name not in TOOLS:
            self._out.fail(message, UNKNOWN_TOOL, name=wanted.name, tools=", ".join(TOOLS))
            return
        try:
            call = ToolCall(wanted.name, envelope.decode(bytes(wanted.arguments), TOOLS[wanted.name]))
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
        self._accept(message, arguments, "request", call)

    def on_console(self, message: Envelope, typed: console.ConsoleInput, frame_id: int | None) -> None:
        """`??` in the console: the response comes at once, the answer as output."""
        in_console = self.asks.consoles.get(self._out.guest)
        running = self.asks.in_conversation(in_console or "")
        match typed.command:
            case "help":
                self._respond(message, console.help_text(self._options.console_prefix))
            case "stop":
                if running is not None:
                    self.cancel(running.ask.ask_id)
                self._respond(message, "cancelled" if running else "nothing is being answered")
            case "allow" | "deny":
                self._respond(message, self._answer_oldest(typed))
            case _:
                conversation = None if typed.command == "new" else in_console
                frame_id = frame_id if frame_id in self._state.frames else None
                offer = self.lending.offer
                arguments = AskArguments(
                    question=typed.question,
                    frame_id=frame_id,
                    conversation_id=conversation,
                    providers=offer.providers,
                    lent_model=offer.lent_model,
                )
                self._accept(message, arguments, "console")

    def expects(self, typed: console.ConsoleInput) -> bool:
        """Whether what our own client has typed is about an ask of this session, which is under way."""
        if typed.command in ("allow", "deny") and self.consents.waiting_for(""):
            return True
        return self.asks.in_conversation(self.asks.consoles.get("", "")) is not None

    def on_approve(self, message: Envelope) -> None:
        """The request `askApprove`."""
        given = message.read(AskApproveArguments)
        if self.consents.answer(given.approval_id, allow=given.allow, remember=given.remember):
            self._out.respond(message)
        else:
            self._out.fail(message, NO_APPROVAL, approvalId=given.approval_id)

    def on_output(self, piece: AgentOutput) -> None:
        """The agent has something to say."""
        messages, effects = self.asks.output(piece)
        self._out.tell(messages, self.asks.guest_of(piece.ask_id))
        self._out.do(*effects)

    def on_ended(self, ended: AgentEnded) -> None:
        """The agent is done."""
        reason: EndReason = "limit" if ended.answer.limit else "completed"
        if ended.error:
            reason = "notStopped" if ended.not_stopped else "failed"
        self._end(ended.ask_id, reason, ended.answer, "" if ended.answer.text else ended.error)

    def on_job(self, job: JobBegun) -> None:
        """A snapshot is about to be made; one that comes too late is not: its first request fails."""
        if job.ask_id in self.asks.running and job.epoch == self._state.epoch:
            self.jobs.begun(job)

    def on_flush(self, timer_id: str) -> None:
        """Text has waited long enough."""
        ask_id = timer_id.removeprefix(FLUSH)
        self._out.tell(self.asks.flush(ask_id), self.asks.guest_of(ask_id))

    def on_limit(self, timer_id: str) -> None:
        """An answer takes too long: it ends with what it has said."""
        ask_id = timer_id.removeprefix(LIMIT)
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "limit", None, f"no answer within {self._options.ask_timeout_s:g} s")

    def cancel_of(self, message: Envelope) -> bool:
        """Whether the request `cancel` names an ask of the client that is being served; then it is cancelled."""
        ask_id = read_or(message, CancelArguments, CancelArguments()).progress_id or ""
        state = self.asks.running.get(ask_id)
        if state is None or state.guest != self._out.guest:
            return False
        self.cancel(ask_id)
        return True

    def cancel(self, ask_id: str) -> None:
        """End an ask now, with what it has said so far."""
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "cancelled", None)

    def fail(self, ask_id: str, why: str) -> None:
        """End an ask at which dap_ai itself has failed."""
        self._out.do(CancelAsk(ask_id))
        self._end(ask_id, "failed", None, why)

    def end_all(self, reason: EndReason, why: str = "") -> None:
        """The session ends: so do its asks."""
        for ask_id in list(self.asks.running):
            self._out.do(CancelAsk(ask_id))
            self._end(ask_id, reason, None, why)

    def end_guest(self, guest: str) -> None:
        """A joined client is gone: so are its asks, its conversations and what it has allowed."""
        for ask_id, state in list(self.asks.running.items()):
            if state.guest == guest:
                self.cancel(ask_id)
        for conversation_id in self.asks.forget(guest):
            self._history.forget(conversation_id)
        self.consents.forget(guest)
        self.lending.forget(guest)
        self.reads.forget(guest)
        self.shows_progress.discard(guest)

    def _accept(
        self, message: Envelope, arguments: AskArguments, channel: Channel, tool: ToolCall | None = None
    ) -> None:
        guest = self._out.guest
        refusal = questions.refuse(arguments, self.asks, self._state, guest, knows_caught=self._caught.last is not None)
        if refusal is not None:
            self._refuse(message, refusal)
            return
        joined = questions.has_joined(guest)
        level = questions.lower(arguments.level, questions.highest(self._options.level, joined=joined))
        in_console = self._options.ask_events or bool(arguments.providers)
        wanted = in_console if channel == "console" else arguments.ask_events is not False
        events = wanted and self._out.reads("askEnded", guest)
        lent = arguments.providers if events else []  # a client that is told nothing cannot lend anything
        arguments = msgspec.structs.replace(arguments, level=level, providers=lent)
        self.asks.mark = self._options.mark
        conversation_id = arguments.conversation_id or self.asks.new_conversation(guest)
        ask = Ask(self.asks.new_ask_id(), conversation_id, arguments, tool, joined)
        if channel == "console":
            self.asks.consoles[guest] = conversation_id
            self._respond(message, f"{ask.ask_id}: {arguments.question or console.DEFAULT_QUESTION}")
        else:
            self._out.respond(message, AskResponseBody(ask.ask_id, conversation_id))
        if arguments.earlier is not None:
            self._history.add_output("stdout", arguments.earlier.output)
            self._caught.last = arguments.earlier.caught
        stop = questions.stop_of(arguments, self._state)
        progress = guest in self.shows_progress and arguments.progress is not False
        if channel == "console" and self._options.ask_events and not joined:
            progress = False  # its client shows the answer, and asks for consent, from the events
        category = console.CATEGORY if joined else self.asks.category
        state = AskState(ask, channel, events=events, progress=progress, guest=guest, category=category)
        self._out.tell(self.asks.started(state), guest)
        self._out.do(SetTimer(LIMIT + ask.ask_id, self._options.ask_timeout_s))
        self._out.do(StartAsk(ask, stop, self._history.since_last(conversation_id, guest if joined else None)))
        self._history.add("ask", arguments.question, asker=guest)

    def _answer_oldest(self, typed: console.ConsoleInput) -> str:
        allow, remember = typed.command == "allow", typed.question.lower() == console.SESSION
        waiting = self.consents.waiting_for(self._out.guest)
        if not waiting:
            return "nothing is waiting for your consent"
        if allow and len(waiting) > 1:
            deny, oldest = f"{self._options.console_prefix}deny", on_one_line(waiting[0].wanted.action)
            return (
                f"{len(waiting)} actions wait: it is not clear which one you allow; {deny} refuses the oldest: {oldest}"
            )
        if (ask := self.asks.running.get(waiting[0].wanted.ask_id)) is not None:
            ask.is_decided = True
        action = self.consents.answer(waiting[0].approval_id, allow=allow, remember=remember)
        return f"{'allowed' if allow else 'refused'}: {action}"

    def _refuse(self, message: Envelope, refusal: Refusal) -> None:
        self._out.fail(message, refusal.entry, **refusal.variables)

    def _respond(self, message: Envelope, result: str) -> None:
        self._out.respond(message, {"result": result, "variablesReference": 0})

    def _end(self, ask_id: str, reason: EndReason, answer: Answer | None, why: str = "") -> None:
        guest = self.asks.guest_of(ask_id)
        self._out.tell(self.asks.ended(ask_id, reason, answer, why), guest)
        self._out.do(*self.asks.timers(ask_id))
        for part in (self.consents, self.acting, self.reads, self.jobs, self.lending):
            part.end_ask(ask_id)
