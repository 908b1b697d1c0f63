"""A run of `dap-ai ask`: a DAP client that starts the program, asks at its stops, and lets it go on.

1. All that happens comes through one queue, in order: the backend's events, the user's signals, the end.
2. At most one ask is under way; the program stays stopped until it has ended.
3. However the run ends, nothing of it is left running, except a program that we only attached to.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.adapter.client import Client, ConnectionClosed
from dap_ai.commands.arguments import Breakpoint, breakpoints_by_file
from dap_ai.commands.attached import program_frame, where_threads_wait
from dap_ai.commands.display import Display
from dap_ai.commands.job import Job, exit_status
from dap_ai.commands.outcome import Outcome, Wishes, why_no_stop
from dap_ai.protocol.ask import AskArguments, AskEnded, AskOutput
from dap_ai.protocol.errors import RequestFailed

_REQUEST_S = 20.0
_START_S = 60.0
_END_S = 3.0
_WATCH_S = 0.5
_PAUSE_S = 3.0

_ATTACH_FAILED = "Attach to PID failed"
"""debugpy says so in an output event only, and leaves the request `attach` unanswered."""
_ATTACH_ADVICE = "debugpy could not get into process {pid}: `dap-ai doctor` tells what it needs for that."


class Run:
    """One program, from its start to its end."""

    def __init__(
        self,
        client: Client,
        display: Display,
        job: Job,
        wishes: Wishes,
        terminal_setup: tuple[str, dict[str, Any]] | None = None,
    ) -> None:
        self._terminal_setup = terminal_setup
        self._client = client
        self._display = display
        self._job = job
        self._wishes = wishes
        self._events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._outcome = Outcome()
        self._ask_id = ""
        self._thread_id = 0
        self._cancelled = False
        self._started = False
        self._stopped_once = False
        self._running = False
        self._exit_code: int | None = None
        self._warnings: set[str] = set()

    async def run(self) -> Outcome:
        """Returns when the program has ended, or has been let go. Raises RequestFailed, ConnectionClosed."""
        self._client.on_event(lambda name, body: self._events.put_nowait((name, body)))
        self._client.reverse["runInTerminal"] = self._job.run_in_terminal
        with self._signals():
            try:
                await self._start()
                while await self._next_event():
                    pass
            except asyncio.CancelledError:
                if not self._outcome.signal_number:
                    raise
            finally:
                await self._finish()
        self._report()
        return self._outcome

    async def _start(self) -> None:
        self._display.waiting("starting")
        await self._request("initialize", _INITIALIZE)
        if self._wishes.program:
            self._display.command(self._wishes.program.command_line())
            command, arguments = "launch", self._wishes.program.launch_arguments(just_my_code=self._wishes.just_my_code)
        else:
            command, arguments = "attach", {"processId": self._wishes.pid, "justMyCode": self._wishes.just_my_code}
        starting = asyncio.create_task(
            self._client.request(command, {**arguments, "askEvents": True}, timeout_s=_START_S)
        )
        try:
            await self._until_initialized(starting)
            await self._set_up_program()
            await self._set_breakpoints(self._wishes.breakpoints, self._wishes.exceptions)
            await self._request("configurationDone")
            await starting
        finally:
            starting.cancel()
        self._started = self._running = True
        if self._wishes.pid and not self._wishes.breakpoints and not self._wishes.exceptions:
            await self._pause()

    async def _until_initialized(self, starting: asyncio.Task[dict[str, Any]]) -> None:
        ended_early = RequestFailed("launch", "ended", "the program ended before the debugger was ready")
        while True:
            event = asyncio.create_task(self._events.get())
            await asyncio.wait({event, starting}, timeout=_WATCH_S, return_when=asyncio.FIRST_COMPLETED)
            if event.done():
                name, body = event.result()
                if name == "initialized":
                    return
                if not await self._handle(name, body):
                    raise ended_early
                continue
            event.cancel()
            if starting.done():
                await starting
                raise RequestFailed("launch", "notInitialized", "the debug adapter never sent 'initialized'")
            if self._job.start_has_failed():
                # debugpy would wait half a minute for it to connect.
                raise ended_early

    async def _set_up_program(self) -> None:
        """What a program in a terminal needs to look as it would without a debugger."""
        if self._wishes.program and self._terminal_setup:
            with contextlib.suppress(RequestFailed):  # it is cosmetic
                await self._request(*self._terminal_setup)

    async def _pause(self) -> None:
        threads = (await self._request("threads"))["threads"]
        await self._request("pause", {"threadId": threads[0]["id"]})
        asyncio.get_running_loop().call_later(_PAUSE_S, lambda: self._events.put_nowait(("notPaused", {})))

    async def _next_event(self) -> bool:
        """Handles one event; False after the last."""
        name, body = await self._events.get()
        return await self._handle(name, body)

    async def _handle(self, name: str, body: dict[str, Any]) -> bool:
        match name:
            case "process" if self._wishes.program:
                self._job.started(body["systemProcessId"])
            case "stopped":
                await self._on_stopped(body)
            case "askOutput" if body.get("askId") == self._ask_id:
                self._on_ask_output(msgspec.convert(body, AskOutput))
            case "askEnded" if body.get("askId") == self._ask_id:
                self._on_ask_ended(msgspec.convert(body, AskEnded))
                return await self._go_on()
            case "output" if not self._started and _ATTACH_FAILED in body.get("output", ""):
                raise RequestFailed("attach", "attachFailed", _ATTACH_ADVICE.format(pid=self._wishes.pid))
            case "output" if body.get("category") == "important":
                self._warn(body["output"])
            case "notPaused" if not self._stopped_once:
                return await self._on_not_paused()
            case "exited":
                self._exit_code = body["exitCode"]
            case "terminated":
                return False
            case "interrupt":
                return await self._on_interrupt()
            case "quit":
                return False
            case _:
                pass
        return True

    def _warn(self, text: str) -> None:
        """Something that the debugger wants read, such as a condition that fails; said once however often it comes."""
        if text not in self._warnings:
            self._warnings.add(text)
            self._display.status(text.strip())

    async def _on_stopped(self, body: dict[str, Any]) -> None:
        self._running = False
        if self._ask_id:
            return
        self._thread_id = body["threadId"]
        self._job.paused()
        if self._stopped_once and not self._wishes.each_stop:
            await self._go_on()
            return
        self._stopped_once = True
        self._display.stopped(body)
        self._display.waiting("looking at the program")
        try:
            await self._ask()
        except (RequestFailed, TimeoutError, asyncio.TimeoutError) as error:
            self._fail(error)
        if not self._ask_id and not await self._go_on():
            self._events.put_nowait(("quit", {}))

    async def _on_not_paused(self) -> bool:
        """Nothing of what we attached to can be stopped: it is told where it is, and left alone."""
        self._stopped_once = self._outcome.answered = True
        self._display.ask_ended(await where_threads_wait(self._request))
        return False

    async def _ask(self) -> None:
        self._cancelled = False
        arguments = AskArguments(
            question=self._wishes.question,
            thread_id=self._thread_id,
            frame_id=await program_frame(self._request, self._thread_id) if self._wishes.pid else None,
            level=self._wishes.level,
            context_only=self._wishes.show_context,
        )
        self._ask_id = (await self._request("ask", msgspec.to_builtins(arguments)))["askId"]

    def _on_ask_output(self, output: AskOutput) -> None:
        if not self._wishes.show_context:
            self._display.ask_output(output)
        self._display.waiting("looking at the program")

    def _on_ask_ended(self, ended: AskEnded) -> None:
        self._ask_id = ""
        if self._wishes.show_context:
            self._display.context(ended.answer)
        else:
            self._display.ask_ended(ended)
        if ended.reason == "cancelled":
            self._outcome.signal_number = signal.SIGINT
        elif ended.reason == "failed":
            self._outcome.failed = True
        else:
            self._outcome.answered = True

    async def _go_on(self) -> bool:
        """Lets the program go on as it would have without us; False if the run is over."""
        if self._wishes.then == "quit" and not self._wishes.each_stop:
            return False
        if not self._wishes.each_stop:
            await self._set_breakpoints((), ())
            if self._wishes.pid:
                return False
        self._job.going_on()
        self._running = True
        await self._request("continue", {"threadId": self._thread_id})
        return True

    async def _set_breakpoints(self, breakpoints: Sequence[Breakpoint], exceptions: Sequence[str]) -> None:
        cleared: dict[str, list[dict[str, Any]]] = {one.file: [] for one in self._wishes.breakpoints}
        for file, lines in {**cleared, **breakpoints_by_file(breakpoints)}.items():
            body = await self._request("setBreakpoints", {"source": {"path": file}, "breakpoints": lines})
            for line, answer in zip(lines, body.get("breakpoints", []), strict=False):
                if answer.get("message") and not answer.get("verified"):
                    self._display.status(f"{file}:{line['line']}: {answer['message']}")
        await self._request("setExceptionBreakpoints", {"filters": list(exceptions)})

    async def _on_interrupt(self) -> bool:
        """Ctrl-C while we hold the terminal: cancels the ask, then ends the run."""
        if self._ask_id and not self._cancelled:
            self._cancelled = True
            self._display.status("cancelling; press Ctrl-C again to end the program")
            await self._request("cancel", {"progressId": self._ask_id})
            return True
        if self._running and self._wishes.program and not self._cancelled:
            self._cancelled = True
            self._job.send(signal.SIGINT)
            return True
        self._outcome.signal_number = signal.SIGINT
        return False

    async def _request(self, command: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return await self._client.request(command, arguments, timeout_s=_REQUEST_S)

    def _fail(self, error: Exception) -> None:
        self._outcome.failed = True
        self._display.error(error.user_text if isinstance(error, RequestFailed) else "the debug adapter hangs")

    async def _finish(self) -> None:
        """Ends the program, or lets go of what we attached to; then nothing is under way."""
        ends = self._exit_code is None
        number = self._outcome.signal_number
        if ends and self._running and self._wishes.program and number:
            self._job.send(number)
            await self._job.wait(_END_S)
        if ends:
            end = {"terminateDebuggee": self._wishes.program is not None}
            with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
                await self._client.request("disconnect", end, timeout_s=_END_S)
            self._job.kill()
        code = await self._job.ended()
        if self._wishes.program and code is not None:
            code = self._exit_code if self._exit_code is not None else code % 256
            self._outcome.program_status, text = exit_status(code)
            if ends and not number and self._wishes.then == "quit":
                text = "the program was ended, as --then quit asks"
            self._display.exited(self._outcome.program_status, text)

    def _report(self) -> None:
        """Says why there is no answer."""
        program = self._wishes.program
        if self._stopped_once or not program or self._outcome.signal_number:
            return
        self._display.status(why_no_stop(program, self._outcome.program_status or 0, self._wishes.exceptions))

    @contextlib.contextmanager
    def _signals(self) -> Generator[None]:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101  we are in one

        def interrupt() -> None:
            if self._started:
                self._events.put_nowait(("interrupt", {}))
            else:
                end(signal.SIGINT)

        def end(number: int) -> None:
            if not self._outcome.signal_number:  # a second one must not interrupt the end
                self._outcome.signal_number = number
                task.cancel()

        numbers = {name: number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))}
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, interrupt)
            loop.add_signal_handler(signal.SIGCONT, self._job.continued_by_shell)
            for number in numbers.values():
                loop.add_signal_handler(number, end, number)
        try:
            yield
        finally:
            for number in (signal.SIGINT, getattr(signal, "SIGCONT", None), *numbers.values()):
                if number:
                    with contextlib.suppress(NotImplementedError):
                        loop.remove_signal_handler(number)


_INITIALIZE = {
    "clientID": "dap-ai",
    "clientName": "dap-ai ask",
    "adapterID": "python",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsRunInTerminalRequest": True,
    "supportsProgressReporting": False,
}
