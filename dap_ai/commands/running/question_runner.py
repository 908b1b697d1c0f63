"""Asks the questions of a run one at a time: sends, shows and cancels them, and keeps them for `--export`."""

from __future__ import annotations

import signal
from typing import Any

import msgspec

from dap_ai.agent.guard.tool_gate import DECIDED
from dap_ai.agent.loop.transcript_file import Exchange, total
from dap_ai.commands.display.display import Display
from dap_ai.commands.running.outcome import AskOutcome, RunOptions
from dap_ai.commands.running.run_controls import Controls
from dap_ai.protocol.wire.ask_messages import AskArguments, AskEnded, AskOutput

_WAITING = "looking at the program"


class QuestionRunner:
    """Asks questions about the program, one at a time.

    In a chat all questions are one conversation, which continues across stops.
    """

    def __init__(
        self, controls: Controls, display: Display, wishes: RunOptions, outcome: AskOutcome, asks: str
    ) -> None:
        """Set up the runner; `asks` is the question to record when the user enters no question."""
        self.exchanges: list[Exchange] = []
        """The questions and answers of this run so far, oldest first."""
        self._controls = controls
        self._display = display
        self._wishes = wishes
        self._outcome = outcome
        self._asks = asks
        self._ask_id = ""
        self._conversation_id: str | None = None

    @property
    def under_way(self) -> bool:
        """Whether a question has been accepted and its answer has not ended yet."""
        return bool(self._ask_id)

    def is_about(self, body: dict[str, Any]) -> bool:
        """Return whether an event with this body belongs to the active question."""
        return self.under_way and body.get("askId") == self._ask_id

    async def ask(self, question: str, thread_id: int | None, frame_id: int | None = None) -> None:
        """Send a question; return once it is accepted, before its answer.

        `thread_id` is None if no thread is stopped. Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        self._display.waiting(_WAITING)
        arguments = AskArguments(
            question=question,
            thread_id=thread_id,
            frame_id=frame_id,
            conversation_id=self._conversation_id,
            level=self._wishes.level,
            context_only=self._wishes.show_context,
        )
        body = await self._controls.request("ask", msgspec.to_builtins(arguments))
        self._ask_id = body["askId"]
        if self._wishes.chat:
            self._conversation_id = body["conversationId"]
        self.exchanges.append(Exchange(question or self._asks))

    async def cancel(self) -> None:
        """Cancel the active question; its answer then ends with the reason `cancelled`."""
        await self._controls.request("cancel", {"progressId": self._ask_id})

    def on_output(self, body: dict[str, Any]) -> None:
        """Handle the event `askOutput`: show a piece of the answer and keep it."""
        output = msgspec.convert(body, AskOutput)
        if self._wishes.show_context:
            return
        self._display.ask_output(output)
        if output.category == "answer":
            self.exchanges[-1].say(output.output)
        elif output.tool:
            self.exchanges[-1].parts.append(output.tool)
        elif output.output.startswith(DECIDED):
            self.exchanges[-1].say(f"*{output.output.strip()}*\n\n")

    def on_ended(self, body: dict[str, Any]) -> None:
        """Handle the event `askEnded`: show the end of the answer and update the outcome."""
        ended = msgspec.convert(body, AskEnded)
        self._ask_id = ""
        self._keep(ended)
        if self._wishes.show_context:
            self._display.context(ended.answer)
        else:
            self._display.ask_ended(ended)
        if self._wishes.show_masked:
            self._display.masked(ended.masked)
        self._judge(ended)

    def sum_up(self) -> None:
        """Show the total cost of a chat, if it had several questions."""
        if len(self.exchanges) > 1 and self._wishes.chat:
            self._display.spent(len(self.exchanges), total([exchange.usage for exchange in self.exchanges]))

    def _keep(self, ended: AskEnded) -> None:
        exchange = self.exchanges[-1]
        exchange.usage = ended.usage
        if not any(isinstance(part, str) for part in exchange.parts):
            exchange.say(ended.answer)

    def _judge(self, ended: AskEnded) -> None:
        if ended.reason == "failed":
            self._outcome.failed = True
        elif ended.reason == "cancelled" and not self._wishes.chat:
            self._outcome.signal_number = signal.SIGINT
        else:
            self._outcome.answered = True  # in a chat, the user may ask again after cancelling
