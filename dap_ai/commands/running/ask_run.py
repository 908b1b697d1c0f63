"""One run of `dap-ai ask`: a DAP client that starts the program, asks at its stops, and continues it.

1. One queue holds everything that happens, in order: the backend's events, the user's signals and lines, the end.
2. At most one question is active. The program stays stopped until the answer has ended, and in a chat until the user
   continues it, unless the agent continues it with the user's confirmation.
3. However the run ends, it leaves no program running, except a program that it only attached to.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from typing import Any

from dap_ai.agent.guard.tool_gate import lets_go_on
from dap_ai.agent.loop.transcript_file import Exchange
from dap_ai.commands.display.display import Display
from dap_ai.commands.display.stdout_closed import on_stdout_closed
from dap_ai.commands.running import chat_input
from dap_ai.commands.running.approvals import Approvals
from dap_ai.commands.running.outcome import AskOutcome, RunOptions
from dap_ai.commands.running.prompt import Prompt, read_line
from dap_ai.commands.running.question_runner import QuestionRunner
from dap_ai.commands.running.run_targets import Target
from dap_ai.commands.running.session_loop import SessionLoop
from dap_ai.commands.running.signals import heard
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient


class AskRun(SessionLoop):
    """Runs `dap-ai ask` on one target, from start to end."""

    def __init__(self, client: DapClient, display: Display, target: Target, wishes: RunOptions, prompt: Prompt) -> None:
        super().__init__(client, display, target, wishes)
        self._prompt = prompt
        self._asking = QuestionRunner(self.controls, display, wishes, self.outcome, target.asks)
        self._approvals = Approvals(self.controls, display, prompt, self._events)
        self._thread_id = 0
        self._interrupted = self._started = self._stopped_once = False
        self._running = self._prompting = self._ended = self._unread = False
        self._untold: dict[str, Any] | None = None
        """A stop that occurred during a question or at the prompt; the next question is about that stop."""
        self._lent = False
        """Whether the program has got the terminal because the agent is about to continue it."""
        self._moving = False
        """Whether the user of a chat has told the program to run to its next stop."""
        self._quit = wishes.then == "quit"

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """The questions and answers of this run so far, oldest first."""
        return self._asking.exchanges

    async def run(self) -> AskOutcome:
        """Run the target until the program has ended or is released, and return the outcome.

        Raises RequestFailed, ConnectionClosed; BrokenPipeError if stdout is closed while an answer is being written.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  a coroutine runs in a task

        def end(number: int) -> None:
            if not self.outcome.signal_number:  # a second signal must not interrupt the clean-up
                self.outcome.signal_number = number
                task.cancel()

        def interrupt() -> None:
            if self._started and not self._interrupted:
                self._events.put_nowait(("interrupt", {}))
            else:
                end(signal.SIGINT)

        unread = on_stdout_closed(lambda: self._events.put_nowait(("unread", {})))
        with heard(interrupt, end, self.target.job.continued_by_shell), unread:
            try:
                await self._start()
                while await self._next_event():
                    pass
            except asyncio.CancelledError:
                if not self.outcome.signal_number:
                    raise
            finally:
                self._prompt.close()
                await self._end.finish(self.display, running=self._running, quit_wanted=self._quit)
        self._asking.sum_up()
        if not self._stopped_once:
            self._end.explain(self.display, self.caught)
        return self.outcome

    async def _start(self) -> None:
        await self.begin()
        self._started = self._running = True
        await self.target.started(self._session)

    async def _next_event(self) -> bool:
        """Handle the next event in the queue; return False after the last event."""
        name, body = await self._events.get()
        goes_on = await self.handle(name, body)
        if self._unread and (self._asking.under_way or self._prompting):
            raise BrokenPipeError  # while the program runs, it gets its own SIGPIPE
        return goes_on

    async def on_event(self, name: str, body: dict[str, Any]) -> bool:
        """Handle an event that the target lets through; return False if the run is over."""
        match name:
            case "stopped":
                return await self._on_stopped(body)
            case "askOutput" if self._asking.is_about(body):
                self._on_output(body)
            case "askApproval" if self._asking.is_about(body):
                await self._approvals.on_request(body)
            case "consent":
                await self._approvals.on_reply(body)
            case "continued" if self._asking.under_way and not self._running:
                self._running = True
            case "askEnded" if self._asking.is_about(body):
                self._approvals.drop()
                self._asking.on_ended(body)
                return await self._after_answer()
            case "line":
                return await self._on_line(body["text"])
            case "notStopped" if not self._stopped_once:
                await self.target.not_stopped(self._session)
                return False
            case "exited":
                await super().on_event(name, body)
                await self._ask_about_caught()
            case "terminated":
                self._ended = True
                await self._end.look_after_adapter()
                return self._asking.under_way  # the agent has continued the program to its end
            case "interrupt":
                return await self._on_interrupt()
            case "unread":
                self._unread = True
            case "closed":
                self.target.closed(self._session, unanswered=self._asking.under_way or not self.exchanges)
                return False
            case _:
                return await super().on_event(name, body)
        return True

    def _on_output(self, body: dict[str, Any]) -> None:
        """Show the agent's output.

        Before the agent continues the program, the program gets the terminal, because a background process that reads
        the terminal is stopped.
        """
        self._approvals.drop()
        if body["category"] == "status" and lets_go_on(body["output"]):
            self.target.job.going_on()
            self._lent = True
        elif body["category"] == "tool" and self._lent and not self._running:
            self.target.job.paused()
            self._lent = False
        self._asking.on_output(body)

    async def _on_stopped(self, body: dict[str, Any]) -> bool:
        shown = await self.target.stopped(self._session, body, running=self._running)
        if shown is None:
            return True
        body, self._running = shown, False
        if self._prompting or (self._asking.under_way and not self._lent):
            if self.target.moves_on():
                self._untold = body
            return True  # otherwise another thread has stopped
        self._lent = False
        self._thread_id = body["threadId"]
        self.target.job.paused()
        if self._asking.under_way:  # the agent has stepped the program: the answer continues here
            self.display.stopped(body)
            return True
        moved, self._moving = self._moving, False
        if self._stopped_once and not self._wishes.each_stop and not moved:
            return await self._go_on()
        self._stopped_once = True
        self.display.stopped(body)
        if not moved:
            await self.target.introduce(self._session, self._thread_id)
            return await self._ask(self._wishes.question)
        self.display.status(await self.controls.place(self._thread_id))
        self._read_line()
        return True

    async def _ask_about_caught(self) -> None:
        """Ask about a program that has failed without a stop, if it caught and reported an exception."""
        if self.caught and self.caught.ended and not self._stopped_once:
            with contextlib.suppress(RequestFailed, TimeoutError, asyncio.TimeoutError):
                await self._asking.ask(self._wishes.question, None)

    async def _ask(self, question: str) -> bool:
        self._interrupted = False
        try:
            await self._tell_untold()
            frame_id = await self.target.frame_of(self._session, self._thread_id)
            await self._asking.ask(question, self._thread_id, frame_id)
        except (RequestFailed, TimeoutError, asyncio.TimeoutError) as error:
            self._fail(error)
            return await self._after_answer()
        return True

    async def _tell_untold(self) -> None:
        if stop := self._untold:
            self._untold = None
            self._thread_id = stop["threadId"]
            self.display.stopped(stop)
            await self.target.introduce(self._session, self._thread_id)

    async def _after_answer(self) -> bool:
        """Prompt the user in a chat, or else continue the program; return False if the run is over."""
        if self._end.exit_code is not None or self._ended:
            return not self._ended  # the program has ended: only the event `terminated` may still follow
        if not self._wishes.chat:
            return await self._go_on()
        self._read_line()
        return True

    def _read_line(self) -> None:
        self._interrupted = False
        self._prompting = True
        self.display.prompting()
        read_line(self._prompt, self._events)

    async def _on_line(self, text: str | None) -> bool:
        self._prompting = False
        if text is not None and not self._prompt.echoes:
            self.display.status(chat_input.PROMPT + text)
        said = chat_input.parse(text)
        if said.word == "quit":
            self._quit = True
            return False
        if said.word == "continue":
            return await self._go_on()
        if said.word == "help" or (said.word in chat_input.MOVES and self.target.unmoved):
            self.display.status(self.target.help if said.word == "help" else self.target.unmoved)
            self._read_line()
        elif said.word in chat_input.MOVES:
            await self._move(chat_input.MOVES[said.word])
        else:
            return await self._ask(said.question)
        return True

    async def _move(self, command: str) -> None:
        """Continue the program to its next stop, and show that stop even if other stops are not shown."""
        self._moving = True
        try:
            await self._resume(command)
        except RequestFailed as error:
            self._moving = self._running = False
            self.target.job.paused()
            self.display.error(error.user_text)
            self._read_line()

    async def _go_on(self) -> bool:
        """Continue the program after the answer; return False if the run is over."""
        if self._wishes.then == "quit" and not self._wishes.each_stop:
            return False
        if not self._wishes.each_stop and not await self.target.let_go(self._session):
            return False
        await self._resume("continue")
        return True

    async def _resume(self, command: str) -> None:
        await self.target.before_going_on(self._session)
        self.target.job.going_on()
        self._running = True
        await self.controls.request(command, {"threadId": self._thread_id})

    async def _on_interrupt(self) -> bool:
        """Handle Ctrl-C: clear the line, cancel the question, or interrupt the program; otherwise end the run.

        Return False if the run is over.
        """
        if self._prompting and self._prompt.interrupted():
            return True
        if self._asking.under_way and not self._interrupted:
            self._interrupted = True
            self._approvals.drop()
            self.display.status(self.target.on_cancel)
            await self._asking.cancel()
            return True
        if self._running and self.target.ours and not self._interrupted:
            self._interrupted = True
            self.target.job.send(signal.SIGINT)
            return True
        self.outcome.signal_number = signal.SIGINT
        return False

    def _fail(self, error: Exception) -> None:
        self.outcome.failed = True
        self.display.error(error.user_text if isinstance(error, RequestFailed) else self.target.on_silence)
