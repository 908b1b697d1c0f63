"""A program at the prompt from start to end: handles its events and wakes commands that wait for a stop.

1. One task handles the events in order; commands only wait for the state that this task sets.
2. Commands get their data from tools of the session's agent, as a model would. So they work alike for every kind of
   debuggee and in an editor's session, and reading changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_ai.commands.debugging.screen import SharedTerminal
from dap_ai.commands.display.display import Display
from dap_ai.commands.running.approvals import Approvals
from dap_ai.commands.running.outcome import RunOptions
from dap_ai.commands.running.prompt import Prompt
from dap_ai.commands.running.question_runner import QuestionRunner
from dap_ai.commands.running.run_targets import Target
from dap_ai.commands.running.session_loop import SessionLoop
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient

Frame = Mapping[str, Any]
_ANSWER_S = 120.0
_ECHO = re.compile(r"\A\((?:lldb|gdb)\) .*\n")
"""Pattern of the echoed command in the output of a debugger's command line."""
_DETACH_S = 3.0
_BACK = frozenset({"stepBack", "reverseContinue"})
_OF_PRESENT = "about the present: a moment in the past is only looked at"
_FRAMES = 400


class ProgramOver(Exception):  # noqa: N818  a state, not a mistake
    """Raised if the program or its session has ended."""


class ProgramNotStopped(Exception):  # noqa: N818  a state, not a mistake
    """Raised if the program is running, or must not be moved; the text tells the user what to do."""


class LiveProgram(SessionLoop):
    """A debugged program at the prompt, with its current stop.

    `stop` is the body of the event `stopped`, or None while the program runs. `frames` are the frames of that stop that
    have been read, innermost first.
    """

    def __init__(
        self, client: DapClient, display: Display, target: Target, wishes: RunOptions, terminal: SharedTerminal
    ) -> None:
        super().__init__(client, display, target, wishes)
        self.capabilities: Mapping[str, Any] = {}
        self.stop: dict[str, Any] | None = None
        self.frames: list[Frame] = []
        self.selected = 0
        self.over = False
        self.on_news: Callable[[], None] = lambda: None
        """Callback for when the program has stopped or ended."""
        self.on_fixes: Callable[[Sequence[object]], None] = lambda _fixes: None
        """Callback for the changes that an answer proposes."""
        self._terminal = terminal
        self._asking = QuestionRunner(self.controls, display, wishes, self.outcome, target.asks)
        self._prompt = Prompt(editing=False, asks=target.acts)
        self._approvals = Approvals(self.controls, display, self._prompt, self._events)
        self._answers: dict[str, Mapping[str, Any]] = {}
        self._news = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._running = False
        self._whole_stack = self._told = False

    @property
    def thread_id(self) -> int:
        """The id of the selected thread. Raises ProgramOver, ProgramNotStopped."""
        return self._here["threadId"]

    @property
    def in_past(self) -> bool:
        """Whether the prompt shows an earlier moment, in a copy of the program."""
        return bool(self.stop and self.stop.get("dapAiPast"))

    @property
    def is_answering(self) -> bool:
        """Whether the agent is answering a question."""
        return self._asking.under_way

    @property
    def _here(self) -> dict[str, Any]:
        if self.over:
            raise ProgramOver(
                "The program has ended: `run` starts it again." if self.target.ours else "The session is over."
            )
        if self.stop is None:
            raise ProgramNotStopped("The program runs: Ctrl-C or `interrupt` pauses it.")
        return self.stop

    async def start(self) -> None:
        """Start the program, and return once it runs. Raises RequestFailed, ConnectionClosed, TimeoutError."""
        self.client.on_event(self._learn)
        self._running = True
        await self.begin()
        await self.target.started(self._session)
        self._pump = asyncio.create_task(self._take())

    def _learn(self, name: str, body: Mapping[str, Any]) -> None:
        if name == "capabilities":
            self.capabilities = {**self.capabilities, **body.get("capabilities", {})}

    def can(self, capability: str) -> bool:
        """Return whether the debug adapter has announced this capability."""
        return self.controls.capabilities.get(capability, self.capabilities.get(capability)) is True

    async def _take(self) -> None:
        while True:  # also after the program's end, because questions remain possible
            name, body = await self._events.get()
            try:
                if not await self.handle(name, body) and name == "closed":
                    return
            except Exception as error:  # noqa: BLE001  outermost handler of the task: show any error
                self._ended()
                self.outcome.failed = True
                self.display.error(error.user_text if isinstance(error, RequestFailed) else str(error) or repr(error))

    async def handle(self, name: str, body: dict[str, Any]) -> bool:
        """Handle one event of the session; return False after the last event."""
        if name == "continued" and self.stop and not self._running:
            self._moved()
            return True
        if name == "terminated":
            await self._end.look_after_adapter()
            self._ended()
            return False
        return await super().handle(name, body)

    async def on_event(self, name: str, body: dict[str, Any]) -> bool:
        """Handle one event that the target lets through; return False after the last event."""
        match name:
            case "stopped":
                await self._on_stopped(body)
            case "askOutput" if self._asking.is_about(body):
                self._approvals.drop()
                self._asking.on_output(body)
            case "askApproval" if self._asking.is_about(body):
                await self._approvals.on_request(body)
            case "consent":
                await self._approvals.on_reply(body)
            case "askEnded" if self._asking.is_about(body):
                self._approvals.drop()
                self._asking.on_ended(body)
                self.on_fixes(body.get("fixes") or ())
                self._news.set()
            case "askEnded":
                self._answers[body["askId"]] = body
                self._news.set()
            case "notStopped" if self.stop is None:
                await self.target.not_stopped(self._session)
            case "closed":
                self._ended()
                return False
            case _:
                return await super().on_event(name, body)
        return True

    async def _on_stopped(self, body: dict[str, Any]) -> None:
        shown = await self.target.stopped(self._session, body, running=self._running)
        if shown is None or (self.stop is not None and not self.target.moves_on()):
            return  # it has continued, or another thread reports the same stop
        self._running = False
        self.target.job.paused()
        self._terminal.take()
        frames = await self._read_frames(shown["threadId"], 1)
        self.stop, self.frames, self.selected, self._whole_stack = shown, frames, 0, False
        self._news.set()
        self.on_news()

    def _ended(self) -> None:
        self._terminal.take()
        self.over, self.stop = True, None
        self._news.set()
        self.on_news()

    def _moved(self) -> None:
        self.stop, self.frames, self._running = None, [], True

    async def resume(self, command: str, **arguments: Any) -> None:
        """Resume the program by the request `command`, without waiting for its next stop.

        Raises RequestFailed, ProgramOver, ProgramNotStopped.
        """
        stop = self._here
        moves_copy = self.in_past or command in _BACK
        if self.target.unmoved and not moves_copy and not (self.target.acts and command == "continue"):
            raise ProgramNotStopped(self.target.unmoved)  # `continue` releases a held process
        await self.target.before_going_on(self._session)
        self.target.job.going_on()
        self._terminal.give(0)
        self._moved()
        try:
            await self.controls.request(command, {"threadId": stop["threadId"], **arguments})
        except RequestFailed:
            self._terminal.take()
            self.target.job.paused()
            frames = await self._read_frames(stop["threadId"], 1)  # a refused resume invalidates the old frame ids too
            self.stop, self.frames, self.selected, self._running, self._whole_stack = stop, frames, 0, False, False
            raise

    async def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until the program has stopped or ended; return False if `timeout_s` seconds elapse first."""
        return await self._until(lambda: self.stop is not None or self.over, timeout_s)

    async def interrupt(self) -> None:
        """Pause a running program. Raises RequestFailed, TimeoutError."""
        await self.controls.pause()

    async def answered(self, question: str) -> None:
        """Ask a question, and return once the whole answer is shown. Raises RequestFailed, TimeoutError."""
        frame = self.frame_id if self.selected and not self.in_past else None
        if self.in_past:
            self.display.status(_OF_PRESENT)
        if self.stop is None and self.caught is None:
            self._here  # noqa: B018  raises
        await self._asking.ask(question, self.stop["threadId"] if self.stop else None, frame)
        await self._until(lambda: not self._asking.under_way or self.over)

    async def cancel(self) -> None:
        """Cancel the question that is being answered."""
        self._approvals.drop()
        await self._asking.cancel()

    async def tool(self, name: str, **arguments: Any) -> str:
        """Run a tool of the agent at the selected frame, and return its Markdown.

        Returns an empty string if no answer arrives. Raises RequestFailed, ProgramOver, ProgramNotStopped.
        """
        where = {"frameId": self.frame_id} if self.frames else {"threadId": self.thread_id}
        if self.in_past:
            self.display.status(_OF_PRESENT)
        body = await self.controls.request("askTool", {"name": name, "arguments": arguments, **where})
        ask_id = body["askId"]
        if not await self._until(lambda: ask_id in self._answers or self.over, _ANSWER_S) or self.over:
            return ""
        return str(self._answers.pop(ask_id).get("answer") or "")

    async def evaluate(self, expression: str) -> str:
        """Evaluate an expression in the program itself, or run a command of the debugger's command line.

        Raises RequestFailed, ProgramOver, ProgramNotStopped.
        """
        at = {"frameId": self.frame_id} if self.frames else {}
        body = await self.controls.request("evaluate", {"expression": expression, "context": "repl", **at})
        return _ECHO.sub("", str(body.get("result") or ""))

    @property
    def frame(self) -> Frame | None:
        """The selected frame; None if the thread has no frames. Raises ProgramOver, ProgramNotStopped."""
        self._here  # noqa: B018  raises
        return self.frames[self.selected] if self.selected < len(self.frames) else None

    @property
    def frame_id(self) -> int:
        """The id of the selected frame.

        Raises ProgramOver, ProgramNotStopped; RequestFailed if the thread has no frame.
        """
        frame = self.frame
        if frame is None:
            raise RequestFailed("stackTrace", "noFrame", "this thread has no frame")
        return int(frame["id"])

    async def whole_stack(self) -> list[Frame]:
        """Return the frames of the current stop, innermost first.

        Of a deep recursion only the innermost frames are read.
        """
        self._here  # noqa: B018  raises
        if not self._whole_stack:
            self.frames = await self._read_frames(self.thread_id, _FRAMES) or self.frames
            self._whole_stack = True
        return self.frames

    async def go_to_thread(self, thread_id: int) -> bool:
        """Select another thread, whose frames are then read and stepped; return False if it has no frames."""
        stop = self._here
        frames = await self._read_frames(thread_id, 1)
        if not frames:
            return False
        stop["threadId"] = thread_id
        self.frames, self.selected, self._whole_stack = frames, 0, False
        return True

    async def _read_frames(self, thread_id: int, levels: int) -> list[Frame]:
        with contextlib.suppress(RequestFailed):
            arguments = {"threadId": thread_id, "startFrame": 0, "levels": levels}
            return list((await self.controls.request("stackTrace", arguments))["stackFrames"])
        return []

    async def _until(self, done: Callable[[], bool], timeout_s: float | None = None) -> bool:
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while not done():
            self._news.clear()
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)
        return True

    async def ended(self) -> None:
        """Show how the program ended by itself; a second call does nothing."""
        if not self._told:
            self._told = True
            await self._end.finish(self.display, running=False, quit_wanted=False)
            self._terminal.gone()
            if caught := self.caught:
                self.display.status(f"{caught.type} was caught and reported: `why` asks about it")

    async def close(self, *, detach: bool = False) -> None:
        """End the session and the program.

        A program that we attached to continues, and so does any program with `detach`.
        """
        if self._pump:
            self._pump.cancel()
        self._prompt.close()
        if detach and not self.over:
            with contextlib.suppress(Exception):  # the program is released: errors of the adapter no longer matter
                await self.client.request("disconnect", {"terminateDebuggee": False}, timeout_s=_DETACH_S)
            self._terminal.leave()
            self.display.status("left: the program goes on")
        elif not self._told:
            self._told = True
            await self._end.finish(self.display, running=self._running, quit_wanted=True)
        await self.client.close()
        self._terminal.gone()
