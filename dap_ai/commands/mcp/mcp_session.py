"""A debug session as the MCP server's tools use it: started by this server, or joined as a guest.

1. A session answers one question at a time; further questions wait.
2. The level is at most `compute`. Code that runs for an answer has no access to secrets, because a model reads the
   answer.
3. If a question's caller is cancelled, the question is cancelled in the session too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.protocol.wire.ask_messages import AskArguments, AskEnded, AskOutput, Level
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient

Tell = Callable[[str], Awaitable[None]]
"""A function that is called with a masked line for each step of an answer."""
_CLOSED = "closed"
_REQUEST_S = 20.0
_ENDED = "The session {name} has ended: `sessions` lists what there is, `start` starts a program."
_RUNS = "{name} is running: the user must pause it, or it must reach a breakpoint, before it can be asked about."


class DebugSession:
    """A debug session whose client has already launched or attached; `name` is its name for callers."""

    def __init__(self, name: str, program: str, client: DapClient, level: Level, *, runs_on: bool = False) -> None:
        """Set up the session's state; `runs_on`: another client controls the program and may resume it."""
        self.name = name
        self.program = program
        self.stop: dict[str, Any] | None = None
        """The body of the newest event `stopped`; None while the program runs, and after its end."""
        self.is_stopped = asyncio.Event()
        self.ended = False
        """Whether the program has ended; questions about an exception that it reported remain possible."""
        self.closed = False
        """Whether the connection to the session is closed."""
        self.answer: AskEnded | None = None
        """The answer to the newest question; None before the first question."""
        self._client = client
        self._level: Level = "observe" if level == "observe" else "compute"
        self._runs_on = runs_on
        self._heard: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._asking = asyncio.Lock()
        self._conversation_id: str | None = None
        client.on_event(self._on_event)
        client.on_close(self._on_close)

    @property
    def title(self) -> str:
        """The session's display name: `s1 (shop.py)`."""
        return f"{self.name} ({Path(self.program).name})" if self.program else self.name

    async def ask(self, question: str, frame: int | None, tell: Tell) -> AskEnded:
        """Ask a question that continues this session's conversation, and return the answer.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        async with self._asking:
            arguments = AskArguments(
                question=question,
                thread_id=self._thread_id,
                frame_id=None if frame is None else await self._frame_id(frame),
                conversation_id=self._conversation_id,
                level=self._level,
                for_model=True,
            )
            self.answer = await self._answered("ask", msgspec.to_builtins(arguments), tell)
            self._conversation_id = self.answer.conversation_id
            return self.answer

    async def run(self, tool: str, arguments: Mapping[str, Any], tell: Tell) -> AskEnded:
        """Run a tool of the agent through `askTool` and return its answer.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        if self.stop is None:
            raise RequestFailed("askTool", "notStopped", (_ENDED if self.ended else _RUNS).format(name=self.title))
        async with self._asking:
            asked = {"name": tool, "arguments": arguments, "level": self._level, "threadId": self._thread_id}
            return await self._answered("askTool", asked, tell)

    async def close(self) -> None:
        """Leave the session, or end it if this server started it."""
        await self._client.close()

    @property
    def _thread_id(self) -> int | None:
        return self.stop["threadId"] if self.stop else None

    async def _frame_id(self, number: int) -> int:
        """Return the id of the stack frame with this number (0: innermost).

        Raises RequestFailed if the frame does not exist.
        """
        if self.stop is None:
            return number
        body = await self._client.request("stackTrace", {"threadId": self._thread_id}, timeout_s=_REQUEST_S)
        frames = body["stackFrames"]
        if number >= len(frames):
            raise RequestFailed("ask", "noFrame", f"There is no frame {number}: the stack has 0 to {len(frames) - 1}.")
        return frames[number]["id"]

    async def _answered(self, request: str, arguments: Mapping[str, Any], tell: Tell) -> AskEnded:
        self._heard = asyncio.Queue()  # drops late output of an earlier, cancelled question
        taken = {key: value for key, value in arguments.items() if value is not None}
        body = await self._client.request(request, {**taken, "askEvents": True}, timeout_s=_REQUEST_S)
        try:
            return await self._until_ended(body["askId"], tell)
        except asyncio.CancelledError:
            self._client.send("cancel", {"progressId": body["askId"]})
            raise

    async def _until_ended(self, ask_id: str, tell: Tell) -> AskEnded:
        """Report each step of an answer through `tell`, and return the whole answer at its end.

        Raises RequestFailed if the session ends first.
        """
        while True:
            name, body = await self._heard.get()
            if name == _CLOSED:
                raise RequestFailed("ask", "ended", _ENDED.format(name=self.title))
            if body.get("askId") != ask_id:
                continue
            if name == "askEnded":
                return msgspec.convert(body, AskEnded)
            output = msgspec.convert(body, AskOutput)
            if output.category != "answer" and (line := output.output.strip()):
                await tell(line)

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        if name in {"askOutput", "askEnded"}:
            self._heard.put_nowait((name, body))
        elif name == "stopped":
            self.stop = body
            self.is_stopped.set()
        elif name == "continued" and self._runs_on and body.get("allThreadsContinued", True):
            self._goes_on()
        elif name == "terminated":
            self._goes_on()
            self.ended = True

    def _goes_on(self) -> None:
        self.stop = None
        self.is_stopped.clear()

    def _on_close(self) -> None:
        self._goes_on()
        self.ended = self.closed = True
        self._heard.put_nowait((_CLOSED, {}))
