"""A real debug session in this process: real proxy, real debugpy, every byte of both links recorded."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.backends.discovery import discover
from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer, NotAnswered
from dap_ai.protocol.wire.errors import NotStopped
from dap_ai.protocol.wire.framing import FrameReader
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.transport.byte_links import memory_pair
from dap_ai.transport.client import DapClient
from tests.patience import at_worst

WAIT_S = at_worst(30.0)


class Recorded:
    """A link that keeps the messages of both directions."""

    def __init__(self, link: Any, read: list[Any], written: list[Any]) -> None:
        self._link = link
        self._read, self._written = read, written
        self._reader, self._writer = FrameReader(), FrameReader()

    def start(self, on_data: Callable[[bytes], None], on_end: Any, on_full: Any) -> None:
        def note(data: bytes) -> None:
            self._read.extend(json.loads(body) for body in self._reader.feed(data))
            on_data(data)

        self._link.start(note, on_end, on_full)

    def write(self, data: bytes) -> None:
        self._written.extend(json.loads(body) for body in self._writer.feed(data))
        self._link.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)


class RecordedProcess:
    """An adapter process whose link is recorded."""

    def __init__(self, process: AdapterProcess, live: Live) -> None:
        self.process = process
        self.link = Recorded(process.link, live.from_backend, live.to_backend)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.process, name)


class EchoAgent:
    """An agent that reads the stack once and says how many frames there are: enough to test what is around it."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def answer(self, ask: AcceptedAsk, debugger: Any, sink: Any) -> Answer | NotAnswered:
        try:
            return await self._answer(debugger, sink)
        except NotStopped as error:
            return NotAnswered(as_it_is(error.user_text), stale=True)

    async def _answer(self, debugger: Any, sink: Any) -> Answer:
        sink.emit("status", "echo")
        if debugger.stop is None:
            sink.emit("answer", "nothing is stopped")
            return Answer()
        stack = await debugger.request("stackTrace", {"threadId": debugger.stop.thread_id})
        sink.emit("answer", f"{len(stack['stackFrames'])} frames")
        await self.go_on.wait()
        await debugger.request("threads", {})
        return Answer(stale=not debugger.current)

    async def close(self) -> None:
        pass


class Live:
    """A client of a proxy in this process; lists of all messages by link and direction."""

    def __init__(self, options: SessionOptions | None = None, agent: Any = None, backend: Any = None) -> None:
        self.backend = backend or discover("debugpy")
        self.processes: list[AdapterProcess] = []
        self.echo = EchoAgent()
        self.from_backend: list[dict[str, Any]] = []
        self.to_backend: list[dict[str, Any]] = []
        self.to_client: list[dict[str, Any]] = []
        self.from_client: list[dict[str, Any]] = []
        self.logged: list[str] = []
        self._options = options
        self._agent = agent

    # -- what a Proxy is made of ------------------------------------------------------------------------------------

    async def spawn(self, log: Callable[[str], None]) -> Any:
        process = await AdapterProcess.start(self.backend.command(), log)
        self.processes.append(process)
        return RecordedProcess(process, self)

    def agent(self, own: Any) -> Any:
        return self._agent or self.echo

    def options(self, own: Any) -> SessionOptions:
        return self._options or SessionOptions()

    def journal(self, session: Any) -> None:
        return None

    def log(self, text: str) -> None:
        self.logged.append(text)

    def mask(self, text: str) -> str:
        return text

    # -- the session ------------------------------------------------------------------------------------------------

    async def open(self, **initialize: Any) -> DapClient:
        near, far = memory_pair()
        self._task = asyncio.get_running_loop().create_task(Proxy(self).serve(far))  # type: ignore[arg-type]

        async def end() -> None:
            await asyncio.wait_for(self._task, WAIT_S)

        self.client = DapClient(Recorded(near, self.to_client, self.from_client), end)
        await self.client.initialize("debugpy", **initialize)
        return self.client

    async def start(
        self, command: str, arguments: dict[str, Any], lines: dict[Path, list[int]] | None = None,
        filters: tuple[str, ...] = ("uncaught",),
    ) -> None:  # fmt: skip
        """Launch or attach up to its response."""
        started = self.client.send(command, arguments)
        initialized = asyncio.ensure_future(self.client.wait_event("initialized"))
        done, _ = await asyncio.wait([started, initialized], timeout=WAIT_S, return_when=asyncio.FIRST_COMPLETED)
        if initialized not in done:
            started.result()  # raises if the adapter refused; lldb-dap 19 may answer before it sends `initialized`
            await asyncio.wait_for(initialized, WAIT_S)
        for path, breaks in (lines or {}).items():
            breakpoints = [{"line": line} for line in breaks]
            await self.request("setBreakpoints", {"source": {"path": str(path)}, "breakpoints": breakpoints})
        await self.request("setExceptionBreakpoints", {"filters": list(filters)})
        await self.request("configurationDone", {})
        await asyncio.wait_for(started, WAIT_S)

    async def launch(
        self, program: Path, lines: tuple[int, ...] = (), filters: tuple[str, ...] = ("uncaught",), **arguments: Any
    ) -> None:
        """`module`: that is run, and `program` only says where `lines` are."""
        what = {} if "module" in arguments else {"program": str(program)}
        launch = {**what, "console": "internalConsole", "python": sys.executable, **arguments}
        await self.start("launch", launch, {program: list(lines)} if lines else None, filters)

    async def request(self, command: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self.client.request(command, arguments, timeout_s=WAIT_S)

    async def event(self, *names: str) -> dict[str, Any]:
        name, body = await asyncio.wait_for(self.client.wait_event(*names), WAIT_S)
        return body | {"event": name}

    async def stopped(self) -> dict[str, Any]:
        event = await self.event("stopped", "terminated")
        assert event["event"] == "stopped"
        return event

    async def top_frame(self, thread_id: int) -> int:
        return (await self.request("stackTrace", {"threadId": thread_id}))["stackFrames"][0]["id"]

    def output(self, category: str = "stdout") -> str:
        bodies = [m["body"] for m in self.to_client if m.get("event") == "output"]
        return "".join(body["output"] for body in bodies if body.get("category") == category)


@contextlib.asynccontextmanager
async def live(
    options: SessionOptions | None = None, agent: Any = None, backend: Any = None, **initialize: Any
) -> AsyncIterator[Live]:
    """An initialized session, of debugpy if no `backend` is given; it is ended afterwards."""
    session = Live(options, agent, backend)
    await session.open(**initialize)
    try:
        yield session
    finally:
        await session.client.close()
