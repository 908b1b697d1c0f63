"""Serves `??` lines that a user types in a debug console, from the session's own client or a guest."""

from __future__ import annotations

from dataclasses import dataclass

from dap_ai.adapter.asks import ask_console
from dap_ai.adapter.asks.ask_service import AskService
from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.asks.consent import Consents
from dap_ai.adapter.asks.lent_model import Lending
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.protocol.wire.dap_messages import CompletionsArguments, EvaluateArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.visible import on_one_line


@dataclass(eq=False)
class Typed:
    """Serves `??` lines of a debug console: responds at once, and sends the answer as output."""

    _out: Outbox
    _state: DebuggeeState
    _options: SessionOptions
    _asks: Asks
    _desk: AskService
    _consents: Consents
    _lending: Lending

    def read(self, arguments: EvaluateArguments) -> ask_console.ConsoleInput | None:
        """Parse the `??` line in an `evaluate`. None if the line is not for dap_ai."""
        if arguments.context not in ask_console.CONTEXTS:
            return None
        return ask_console.parse(arguments.expression, self._options.console_prefix)

    def completions(self, message: Envelope) -> list[dict[str, object]] | None:
        """Return the completion items for a `??` line, or None if the line is not for dap_ai."""
        arguments = read_or(message, CompletionsArguments, CompletionsArguments())
        return ask_console.complete(arguments.text, arguments.column, self._options.console_prefix)

    def on_line(self, message: Envelope, typed: ask_console.ConsoleInput, frame_id: int | None) -> None:
        """Respond to a `??` line at once, and send the answer as output."""
        in_console = self._asks.consoles.get(self._out.guest)
        running = self._asks.in_conversation(in_console or "")
        match typed.command:
            case "help":
                self._respond(message, ask_console.help_text(self._options.console_prefix))
            case "stop":
                if running is not None:
                    self._desk.cancel(running.ask.ask_id)
                self._respond(message, "cancelled" if running else "nothing is being answered")
            case "allow" | "deny":
                self._respond(message, self._answer_oldest(typed))
            case _:
                conversation = None if typed.command == "new" else in_console
                frame_id = frame_id if frame_id in self._state.frames else None
                offer = self._lending.offer
                arguments = AskArguments(
                    question=typed.question,
                    frame_id=frame_id,
                    conversation_id=conversation,
                    providers=offer.providers,
                    lent_model=offer.lent_model,
                )
                self._desk.accept(message, arguments, "console")

    def expects(self, typed: ask_console.ConsoleInput) -> bool:
        """Whether this line of the session's own client concerns a running question of this session."""
        if typed.command in ("allow", "deny") and self._consents.waiting_for(""):
            return True
        return self._asks.in_conversation(self._asks.consoles.get("", "")) is not None

    def _answer_oldest(self, typed: ask_console.ConsoleInput) -> str:
        allow, remember = typed.command == "allow", typed.question.lower() == ask_console.SESSION
        waiting = self._consents.waiting_for(self._out.guest)
        if not waiting:
            return "nothing is waiting for your confirmation"
        if allow and len(waiting) > 1:
            deny, oldest = f"{self._options.console_prefix}deny", on_one_line(waiting[0].wanted.action)
            return (
                f"{len(waiting)} actions wait: it is not clear which one you allow; {deny} refuses the oldest: {oldest}"
            )
        if (ask := self._asks.running.get(waiting[0].wanted.ask_id)) is not None:
            ask.is_decided = True
        action = self._consents.answer(waiting[0].approval_id, allow=allow, remember=remember)
        return f"{'allowed' if allow else 'refused'}: {action}"

    def _respond(self, message: Envelope, result: str) -> None:
        ask_console.respond(self._out, message, result)
