"""An editor's DAP client, scripted: it speaks a dialect exactly, over the real `dap-ai serve`.

What would break the editor breaks the test: a response that comes too late or to nothing, an event that it cannot
read, a response whose fields are not what its code reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from tests.dialects.dialect import Dialect
from tests.patience import at_worst, patient

WAIT_S = at_worst(30.0)
Reverse = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]


class Refused(Exception):  # noqa: N818  the adapter's word, not a mistake of the test
    """A response with `success: false`; the text is what the editor shows."""


class Broken(AssertionError):  # noqa: N818  what the editor then is
    """The editor would not have survived this."""


class Editor:
    """`messages` are all that came; `console` is what the user has seen in the console; `status` the status line."""

    def __init__(self, dialect: Dialect, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dialect = dialect
        self.capabilities: dict[str, Any] = {}
        self.messages: list[dict[str, Any]] = []
        self.console = ""
        self.status = ""
        self.shown: list[str] = []
        """Unknown events that stay on the user's screen."""
        self.reverse: dict[str, Reverse] = {}
        self._progress = ""
        self._reader, self._writer = reader, writer
        self._seq = dialect.first_seq
        self._pending: dict[int, tuple[str, asyncio.Future[dict[str, Any]]]] = {}
        self._changed = asyncio.Condition()
        self._seen: dict[str, int] = {}
        """How many events of a name `event` has given out."""
        self._broken: BaseException | None = None
        self._answers: set[asyncio.Task[None]] = set()
        self._task = asyncio.get_running_loop().create_task(self._read())

    # -- requests ---------------------------------------------------------------------------------------------------

    async def request(self, command: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """The body of the response. Raises Refused; Broken if it comes later than this editor waits."""
        seq, self._seq = self._seq, self._seq + 1
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[seq] = command, future
        message: dict[str, Any] = {"seq": seq, "type": "request", "command": command}
        arguments = self.dialect.empty if arguments is None else arguments
        if arguments is not None or self.dialect.nulls:
            message["arguments"] = arguments
        self._send(message)
        try:
            response = await asyncio.wait_for(future, patient(self.dialect.timeout_s))
        except asyncio.TimeoutError:
            raise Broken(f"{self.dialect}: no response to {command} within {self.dialect.timeout_s:g} s") from None
        if not response["success"]:
            raise Refused(_error_of(response))
        return response.get("body") or {}

    async def event(self, name: str) -> dict[str, Any]:
        """The body of the next event of this name; each is given out once."""
        nth = self._seen[name] = self._seen.get(name, 0) + 1
        await self.until(lambda: len(self.events(name)) >= nth, name)
        return self.events(name)[nth - 1]

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """Waits for what the messages bring. Raises Broken."""
        async with self._changed:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._changed.wait_for(lambda: true() or self._broken is not None), WAIT_S)
        if not true():
            raise Broken(f"{self.dialect}: {what} did not come") from self._broken

    def events(self, name: str) -> list[dict[str, Any]]:
        """The bodies of all events of a name, so far."""
        return [m.get("body") or {} for m in self.messages if m["type"] == "event" and m["event"] == name]

    # -- what its user does -----------------------------------------------------------------------------------------

    async def launch(
        self, program: Path, lines: tuple[int, ...] = (), filters: tuple[str, ...] = (), **more: Any
    ) -> None:
        """From `initialize` to the program's run, in this editor's order. `lines` get breakpoints."""
        configuration = {"type": "python", "request": "launch", "name": "this file", "program": str(program)}
        await self.start({"console": "internalConsole", **configuration, **more}, program, lines, filters)

    async def start(
        self, configuration: dict[str, Any], program: Path, lines: tuple[int, ...], filters: tuple[str, ...]
    ) -> None:
        """As `launch`, with a whole configuration."""
        self.capabilities = await self.request("initialize", self.dialect.initialize)
        started = asyncio.ensure_future(self.request(configuration["request"], configuration))
        initialized = asyncio.ensure_future(self.event("initialized"))
        done, _ = await asyncio.wait([started, initialized], return_when=asyncio.FIRST_COMPLETED)
        if started in done:
            started.result()
        await initialized
        for step in self.dialect.configuration:
            await self._configure(step, program, lines, filters)
        await started
        if "exceptions" not in self.dialect.configuration and filters:
            await self.set_exceptions(filters)

    async def set_exceptions(self, filters: tuple[str, ...]) -> None:
        """At which exceptions to stop."""
        await self.request("setExceptionBreakpoints", {"filters": list(filters)})

    async def _configure(self, step: str, program: Path, lines: tuple[int, ...], filters: tuple[str, ...]) -> None:
        if step == "breakpoints" and lines:
            breakpoints = [{"line": line} for line in lines]
            source = {"path": str(program), "name": program.name}
            set_ = await self.request("setBreakpoints", {"source": source, "breakpoints": breakpoints})
            assert [each["verified"] for each in set_["breakpoints"]] == [True] * len(lines)
        elif step == "functions" and self.capabilities.get("supportsFunctionBreakpoints"):
            await self.request("setFunctionBreakpoints", {"breakpoints": []})
        elif step == "exceptions" and self.capabilities.get("exceptionBreakpointFilters"):
            await self.set_exceptions(filters)
        elif step == "done":
            await self.request("configurationDone")

    async def stop(self) -> Stop:
        """The next stop, with what the editor reads at one."""
        body = await self.event("stopped")
        threads = (await self.request("threads"))["threads"]
        assert body["threadId"] in [thread["id"] for thread in threads]
        return await self.read(body["threadId"], body["reason"])

    async def read(self, thread_id: int, reason: str) -> Stop:
        """What the editor reads of a thread that has stopped."""
        frames: list[dict[str, Any]] = []
        for more in self.dialect.stack:
            trace = await self.request("stackTrace", {"threadId": thread_id, **more})
            frames += trace["stackFrames"]
        scopes = (await self.request("scopes", {"frameId": frames[0]["id"]}))["scopes"]
        names: dict[str, str] = {}
        for scope in scopes[:1]:
            listed = await self.request("variables", {"variablesReference": scope["variablesReference"]})
            names = {each["name"]: each["value"] for each in listed["variables"]}
        return Stop(thread_id, reason, frames, names)

    async def type(self, text: str, frame_id: int | None = None) -> str:
        """Enters a line in the console; what it answers at once."""
        arguments: dict[str, Any] = {"expression": text}
        if frame_id is not None:
            arguments["frameId"] = frame_id
        if self.dialect.console_context is not None:
            arguments["context"] = self.dialect.console_context
        body = await self.request("evaluate", arguments)
        assert isinstance(body["result"], str) and isinstance(body["variablesReference"], int)
        self._show(body["result"] + "\n")
        return body["result"]

    async def shows(self, text: str) -> None:
        """Waits until the user has seen `text` in the console."""
        await self.until(lambda: text in self.console, f"{text!r} in its console:\n{self.console}")

    async def disconnect(self) -> None:
        """Ends the session as the editor does, and waits for the end of the stream."""
        with contextlib.suppress(Refused):
            await self.request("disconnect", self.dialect.goodbye)
        self._writer.close()
        await self.close()

    async def close(self) -> None:
        """Closes the stream without a word, as an editor that has crashed."""
        self._writer.close()
        self._task.cancel()
        for task in self._answers:
            task.cancel()
        await asyncio.gather(self._task, *self._answers, return_exceptions=True)

    # -- the stream -------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        frames = FrameReader()
        try:
            while data := await self._reader.read(65536):
                for body in frames.feed(data):
                    message = json.loads(body)
                    self.messages.append(message)
                    self._receive(message)
                async with self._changed:
                    self._changed.notify_all()
        except (Broken, ConnectionError, KeyError) as error:
            self._broken = error
        self._broken = self._broken or EOFError("the stream has ended")
        for command, future in self._pending.values():
            if not future.done():
                future.set_exception(Broken(f"{self.dialect}: no response to {command}: {self._broken!r}"))
                future.exception()  # a request may wait no more
        async with self._changed:
            self._changed.notify_all()

    def _receive(self, message: dict[str, Any]) -> None:
        seqs = [m["seq"] for m in self.messages[-2:]]
        if seqs != sorted(set(seqs)) or message["seq"] < 1:
            raise Broken(f"seqs do not grow: {seqs}")
        if message["type"] == "response":
            command, future = self._pending.pop(message["request_seq"], ("", None))
            if future is None or command != message["command"]:
                raise Broken(f"{self.dialect}: a response to nothing: {message}")
            if not future.done():
                future.set_result(message)
        elif message["type"] == "event":
            self._on_event(message["event"], message.get("body") or {})
        else:
            task = asyncio.get_running_loop().create_task(self._answer(message))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        if name not in self.dialect.events:
            if self.dialect.unknown_event == "ends":
                raise Broken(f"{self.dialect} cannot read the event {name}")
            if self.dialect.unknown_event == "shown":
                self.shown.append(name)
        elif name == "output" and self.dialect.shows(body.get("category")):
            self._show(body["output"])
        elif name.startswith("progress"):
            self._progress = body.get("message") or self._progress or "finished"
            self.status = self._progress

    def _show(self, text: str) -> None:
        self.console += text
        self.status = text

    async def _answer(self, request: dict[str, Any]) -> None:
        command = request["command"]
        response: dict[str, Any] = {"type": "response", "request_seq": request["seq"], "command": command}
        if self.dialect.response_seq:
            response["seq"], self._seq = self._seq, self._seq + 1
        if command in self.dialect.reverse and command in self.reverse:
            body = await self.reverse[command](request["arguments"])
            response["success"] = True
            if body is not None or self.dialect.nulls:
                response["body"] = body
            if self.dialect.nulls:
                response["message"] = None
        else:
            response |= {"success": False, "message": f"{self.dialect} has no {command}"}
            if self.dialect.nulls:
                response["body"] = None
        self._send(response)

    def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(encode_frame(json.dumps(message).encode()))


class Stop:
    """What an editor shows at a stop: `names` are the innermost frame's locals, as text."""

    def __init__(self, thread_id: int, reason: str, frames: list[dict[str, Any]], names: dict[str, str]) -> None:
        self.thread_id = thread_id
        self.reason = reason
        self.frames = frames
        self.names = names

    @property
    def frame_id(self) -> int:
        """Of the innermost frame."""
        return self.frames[0]["id"]

    @property
    def line(self) -> int:
        """Of the innermost frame, 1-based."""
        return self.frames[0]["line"]


def _error_of(response: dict[str, Any]) -> str:
    error = (response.get("body") or {}).get("error") or {}
    text = error.get("format") or response.get("message") or ""
    return re.sub(r"\{(\w+)\}", lambda name: str((error.get("variables") or {}).get(name[1], name[0])), text)
