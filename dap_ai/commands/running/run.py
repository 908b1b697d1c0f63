"""A run of `dap-ai ask`: a DAP client that starts the program, asks at its stops, and lets it go on.

1. All that happens comes through one queue, in order: the backend's events, the user's signals and lines, the end.
2. At most one ask is under way; unless its agent lets the program go on, with the user's consent, the program stays
   stopped until it has ended, and in a chat until the user has said what comes next.
3. However the run ends, nothing of it is left running, except a program that we only attached to.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from typing import Any

import msgspec

from dap_ai.agent.gate import lets_go_on
from dap_ai.agent.transcript import Exchange
from dap_ai.client import Client, ConnectionClosed
from dap_ai.commands.running import chat
from dap_ai.commands.running.approvals import Approvals
from dap_ai.commands.running.asking import Asking
from dap_ai.commands.running.controls import Controls
from dap_ai.commands.running.ending import End
from dap_ai.commands.running.job import Job
from dap_ai.commands.running.native_job import NativeJob
from dap_ai.commands.running.outcome import Outcome, Wishes
from dap_ai.commands.running.prompt import Prompt, read_line
from dap_ai.commands.running.signals import heard
from dap_ai.commands.running.starting import Events, Start, hear
from dap_ai.commands.shown.display import Display
from dap_ai.commands.shown.unread import told_when_unread
from dap_ai.commands.wanted.attached import where_threads_wait
from dap_ai.protocol.ask import AskCaught
from dap_ai.protocol.errors import RequestFailed

_PAUSE_S = 3.0


class Run:
    """One program, from its start to its end."""

    def __init__(
        self,
        client: Client,
        display: Display,
        job: Job | NativeJob,
        wishes: Wishes,
        prompt: Prompt,
        *,
        terminal_setup: tuple[str, dict[str, Any]] | None = None,
    ) -> None:
        self._terminal_setup = terminal_setup
        self._client = client
        self._display = display
        self._job = job
        self._wishes = wishes
        self._prompt = prompt
        self._events: Events = asyncio.Queue()
        self._outcome = Outcome()
        self._controls = Controls(client, wishes.breakpoints, wishes.exceptions)
        self._asking = Asking(self._controls, display, wishes, self._outcome)
        self._end = End(client, self._controls, job, wishes, self._outcome)
        self._approvals = Approvals(self._controls, display, prompt, self._events)
        self._thread_id = 0
        self._interrupted = self._started = self._stopped_once = False
        self._running = self._prompting = self._ended = self._unread = False
        self._caught: AskCaught | None = None
        """The exception that the program caught and reported, while nothing has stopped it."""
        self._lent = False
        """The terminal is the program's, which the agent lets go on."""
        self._moving = False
        """The user of a chat lets the program run to its next stop."""
        self._quit = wishes.then == "quit"
        self._warnings: set[str] = set()

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """What was asked and answered, oldest first."""
        return self._asking.exchanges

    async def run(self) -> Outcome:
        """Returns when the program has ended, or has been let go.

        Raises RequestFailed, ConnectionClosed; BrokenPipeError once nobody reads what is answered.
        """
        hear(self._client, self._events)
        self._client.on_close(lambda: self._events.put_nowait(("closed", {})))
        self._client.reverse["runInTerminal"] = self._job.run_in_terminal
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  we are in one

        def end(number: int) -> None:
            if not self._outcome.signal_number:  # a second one must not interrupt the end
                self._outcome.signal_number = number
                task.cancel()

        def interrupt() -> None:
            if self._started:
                self._events.put_nowait(("interrupt", {}))
            else:
                end(signal.SIGINT)

        unread = told_when_unread(lambda: self._events.put_nowait(("unread", {})))
        with heard(interrupt, end, self._job.continued_by_shell), unread:
            try:
                await self._start()
                while await self._next_event():
                    pass
            except asyncio.CancelledError:
                if not self._outcome.signal_number:
                    raise
            finally:
                self._prompt.close()
                await self._end.finish(self._display, running=self._running, quit_wanted=self._quit)
        self._asking.sum_up()
        if not self._stopped_once:
            self._end.explain(self._display, self._caught)
        return self._outcome

    async def _start(self) -> None:
        start = Start(self._client, self._controls, self._job, self._events, self._handle)
        await start.run(self._display, self._wishes, self._terminal_setup)
        self._started = self._running = True
        await self._first_stop()

    async def _first_stop(self) -> None:
        """What we attached to stops where it is, unless it is to stop somewhere."""
        if self._wishes.pid and not self._wishes.breakpoints and not self._wishes.exceptions:
            await self._controls.pause()
            asyncio.get_running_loop().call_later(_PAUSE_S, lambda: self._events.put_nowait(("notPaused", {})))

    async def _next_event(self) -> bool:
        """Handles one event; False after the last."""
        name, body = await self._events.get()
        goes_on = await self._handle(name, body)
        if self._unread and (self._asking.under_way or self._prompting):
            raise BrokenPipeError  # while the program runs, it finds out as it would without us
        return goes_on

    async def _handle(self, name: str, body: dict[str, Any]) -> bool:
        match name:
            case "process" if self._wishes.program:
                self._job.started(body.get("systemProcessId") or 0)
            case "stopped":
                return await self._on_stopped(body)
            case "askOutput" if self._asking.is_about(body):
                self._on_output(body)
            case "askApproval" if self._asking.is_about(body):
                await self._approvals.on_wanted(body)
            case "consent":
                await self._approvals.on_said(body)
            case "continued" if self._asking.under_way and not self._running:
                self._running = True
            case "askEnded" if self._asking.is_about(body):
                self._approvals.drop()
                self._asking.on_ended(body)
                return await self._after_answer()
            case "line":
                return await self._on_line(body["text"])
            case "output" if body.get("category") == "important":
                self._warn(body["output"])
            case "notPaused" if not self._stopped_once:
                return await self._on_not_paused()
            case "askCaught":
                self._caught = msgspec.convert(body, AskCaught)
            case "exited":
                self._end.exit_code = body["exitCode"]
                await self._ask_about_caught()
            case "terminated":
                self._ended = True
                await self._end.look_after_adapter()
                return self._asking.under_way  # the agent has let the program run to its end
            case "interrupt":
                return await self._on_interrupt()
            case "unread":
                self._unread = True
            case "closed":
                raise ConnectionClosed("the debug session has ended by itself")
            case _:
                pass
        return True

    def _on_output(self, body: dict[str, Any]) -> None:
        """The terminal is the program's before the agent lets it go on: a reader in the background would be stopped."""
        self._approvals.drop()
        if body["category"] == "status" and lets_go_on(body["output"]):
            self._job.going_on()
            self._lent = True
        elif body["category"] == "tool" and self._lent and not self._running:
            self._job.paused()
            self._lent = False
        self._asking.on_output(body)

    def _warn(self, text: str) -> None:
        """Something that the debugger wants read, such as a condition that fails; said once however often it comes."""
        if text not in self._warnings:
            self._warnings.add(text)
            self._display.status(text.strip())

    async def _on_stopped(self, body: dict[str, Any]) -> bool:
        self._running = False
        if self._prompting or (self._asking.under_way and not self._lent):
            return True  # another thread
        self._lent = False
        self._thread_id = body["threadId"]
        self._job.paused()
        if self._asking.under_way:  # the agent has moved the program: the answer goes on here
            self._display.stopped(body)
            return True
        moved, self._moving = self._moving, False
        if self._stopped_once and not self._wishes.each_stop and not moved:
            return await self._go_on()
        self._stopped_once = True
        self._display.stopped(body)
        if not moved:
            return await self._ask(self._wishes.question)
        self._display.status(await self._controls.place(self._thread_id))
        self._read_line()
        return True

    async def _ask_about_caught(self) -> None:
        """A program that has failed without a stop is asked about all the same: by what it reported itself."""
        if self._caught and self._caught.ended and not self._stopped_once:
            with contextlib.suppress(RequestFailed, TimeoutError, asyncio.TimeoutError):
                await self._asking.ask(self._wishes.question, None)

    async def _on_not_paused(self) -> bool:
        """Nothing of what we attached to can be stopped: it is told where it is, and left alone."""
        self._stopped_once = self._outcome.answered = True
        self._display.ask_ended(await where_threads_wait(self._controls.request))
        return False

    async def _ask(self, question: str) -> bool:
        self._interrupted = False
        try:
            await self._asking.ask(question, self._thread_id)
        except (RequestFailed, TimeoutError, asyncio.TimeoutError) as error:
            self._fail(error)
            return await self._after_answer()
        return True

    async def _after_answer(self) -> bool:
        """In a chat the user has the word; else the program goes on. False if the run is over."""
        if self._end.exit_code is not None or self._ended:
            return not self._ended  # the program is gone: only `terminated` can be missing yet
        if not self._wishes.chat:
            return await self._go_on()
        self._read_line()
        return True

    def _read_line(self) -> None:
        self._interrupted = False
        self._prompting = True
        self._display.prompting()
        read_line(self._prompt, self._events)

    async def _on_line(self, text: str | None) -> bool:
        self._prompting = False
        if text is not None and not self._prompt.echoes:
            self._display.status(chat.PROMPT + text)
        said = chat.parse(text)
        if said.word == "quit":
            self._quit = True
            return False
        if said.word == "continue":
            return await self._go_on()
        if said.word in chat.MOVES:
            await self._move(chat.MOVES[said.word])
        elif said.word == "help":
            self._display.status(chat.HELP)
            self._read_line()
        else:
            return await self._ask(said.question)
        return True

    async def _move(self, command: str) -> None:
        """Lets the program run to its next stop, which is shown whatever it is."""
        self._moving = True
        try:
            await self._resume(command)
        except RequestFailed as error:
            self._moving = self._running = False
            self._job.paused()
            self._display.error(error.user_text)
            self._read_line()

    async def _go_on(self) -> bool:
        """Lets the program go on as it would have without us; False if the run is over."""
        if self._wishes.then == "quit" and not self._wishes.each_stop:
            return False
        if not self._wishes.each_stop:
            await self._controls.clear_stops()
            if self._wishes.program is None:
                return False
        await self._resume("continue")
        return True

    async def _resume(self, command: str) -> None:
        self._job.going_on()
        self._running = True
        await self._controls.request(command, {"threadId": self._thread_id})

    async def _on_interrupt(self) -> bool:
        """Ctrl-C while we hold the terminal: cancels the ask, then ends the run."""
        if self._prompting and self._prompt.interrupted():
            return True
        if self._asking.under_way and not self._interrupted:
            self._interrupted = True
            self._approvals.drop()
            self._display.status("cancelling; press Ctrl-C again to end the program")
            await self._asking.cancel()
            return True
        if self._running and self._wishes.program and not self._interrupted:
            self._interrupted = True
            self._job.send(signal.SIGINT)
            return True
        self._outcome.signal_number = signal.SIGINT
        return False

    def _fail(self, error: Exception) -> None:
        self._outcome.failed = True
        self._display.error(error.user_text if isinstance(error, RequestFailed) else "the debug adapter hangs")
