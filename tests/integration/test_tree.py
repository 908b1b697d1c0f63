"""Child processes of real debugpy programs: their sessions run through the proxy, and any session of the tree is asked."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import DapClient
from tests.integration.live import WAIT_S, Live
from tests.patience import patient

PROGRAM = Path(__file__).parents[1] / "debuggees" / "family.py"
LINE = next(n for n, text in enumerate(PROGRAM.read_text().splitlines(), 1) if "rest = total" in text)

pytestmark = pytest.mark.anyio

Open = Callable[[str, int], Awaitable[DapClient]]


class Namer:
    """An agent that says in which function the program is stopped."""

    async def answer(self, _ask: AcceptedAsk, debugger: Any, _sink: Any) -> Answer:
        stack = await debugger.request("stackTrace", {"threadId": debugger.stop.thread_id})
        return Answer(text=stack["stackFrames"][0]["name"])

    async def close(self) -> None:
        pass


class Child:
    """A client of a child's session, from its attach on."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        self.name: str = configuration["name"]
        self.events: list[str] = []
        self.stopped = asyncio.Event()
        self.ended = asyncio.Event()

    async def attach(self, client: DapClient) -> None:
        self.client = client
        client.on_event(self._on_event)
        await client.initialize("debugpy")
        attached = client.send("attach", self.configuration)
        await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
        breakpoints = {"source": {"path": str(PROGRAM)}, "breakpoints": [{"line": LINE}]}
        await client.request("setBreakpoints", breakpoints, WAIT_S)
        await client.request("configurationDone", None, WAIT_S)
        assert (await asyncio.wait_for(attached, WAIT_S)).success

    def _on_event(self, name: str, _body: dict[str, Any]) -> None:
        if name == "stopped":
            self.stopped.set()
        if name == "terminated":
            self.ended.set()

    async def go_on(self) -> None:
        (thread, *_) = (await self.client.request("threads", None, WAIT_S))["threads"]
        await self.client.request("continue", {"threadId": thread["id"]}, WAIT_S)
        await asyncio.wait_for(self.ended.wait(), WAIT_S)
        await self.client.request("disconnect", {}, WAIT_S)
        await self.client.close()


class Tree:
    """A parent's session, and those of the children that it is told of."""

    def __init__(self, how: str, options: SessionOptions | None = None, **initialize: Any) -> None:
        self.live = Live(options, Namer())
        self.proxy = Proxy(self.live)  # type: ignore[arg-type]
        self.how = how
        self.initialize = initialize
        self.children: list[Child] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.by_start_debugging = 0
        self.ended = asyncio.Event()
        self.open: Open = self._by_address

    async def _open(self) -> DapClient:
        self.client = client = await self.proxy.open_in_process()
        client.reverse["startDebugging"] = self._on_start_debugging
        client.on_event(self._on_event)
        await client.initialize("debugpy", **self.initialize)
        return client

    async def start(self) -> DapClient:
        client = await self._open()
        arguments = {"program": str(PROGRAM), "args": [self.how], "subProcess": True, "console": "internalConsole"}
        token = {"dapAiToken": "T"} if self.live.options({}).token else {}
        launched = client.send("launch", arguments | token)
        await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
        await client.request("configurationDone", None, WAIT_S)
        assert (await asyncio.wait_for(launched, WAIT_S)).success
        return client

    @asynccontextmanager
    async def run_by_its_user(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """The session waits for the program, which its user starts; it has a pipe as its stdin."""
        client = await self._open()
        attached = client.send("attach", {"listen": {"host": "127.0.0.1", "port": 0}, "subProcess": True})
        _, waits = await asyncio.wait_for(client.wait_event("debugpyWaitingForServer"), WAIT_S)
        command = [sys.executable, "-m", "debugpy", "--connect", f"127.0.0.1:{waits['port']}", str(PROGRAM), self.how]
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
        try:
            await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
            await client.request("configurationDone", None, WAIT_S)
            assert (await asyncio.wait_for(attached, WAIT_S)).success
            yield process
        finally:
            await self.close()
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def stopped_child(self) -> Child:
        """The child that has come to the breakpoint."""
        while True:
            for child in self.children:
                if child.stopped.is_set():
                    return child
            await asyncio.wait_for(self._next_stop(), WAIT_S)

    async def _next_stop(self) -> None:
        waits = [asyncio.ensure_future(child.stopped.wait()) for child in self.children]
        waits.append(asyncio.ensure_future(asyncio.sleep(0.05)))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for child in self.children:
            await child.client.close()
        await asyncio.wait_for(self.client.close(), WAIT_S)

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        if name == "debugpyAttach":
            self._admit(body)
        if name == "terminated":
            self.ended.set()

    async def _on_start_debugging(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.by_start_debugging += 1
        self._admit(arguments["configuration"])
        return {}

    def _admit(self, configuration: dict[str, Any]) -> None:
        child = Child(configuration)
        self.children.append(child)
        self.tasks.append(asyncio.create_task(self._attach(child)))

    async def _attach(self, child: Child) -> None:
        connect = child.configuration["connect"]
        await child.attach(await self.open(connect["host"], connect["port"]))

    async def _by_address(self, host: str, port: int) -> DapClient:
        return DapClient(await open_tcp(host, port, WAIT_S))

    async def by_front_door(self, _host: str, _port: int) -> DapClient:
        """As an editor does that starts, or connects to, the same proxy for each session."""
        return await self.proxy.open_in_process()


@asynccontextmanager
async def tree(how: str, options: SessionOptions | None = None, **initialize: Any) -> AsyncIterator[Tree]:
    grown = Tree(how, options, **initialize)
    try:
        await grown.start()
        yield grown
    finally:
        await grown.close()


async def asked(client: DapClient, question: str = "why") -> str:
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    client.on_event(lambda name, body: heard.put_nowait(body) if name == "askEnded" else None)
    await client.request("ask", {"question": question}, WAIT_S)
    return (await asyncio.wait_for(heard.get(), WAIT_S))["answer"]


@pytest.mark.parametrize("how", ["spawn", "fork"])
async def test_a_question_in_the_parents_session_is_about_the_child_that_is_stopped(how: str):
    async with tree(how) as family:
        child = await family.stopped_child()
        answer = await asked(family.client)
        assert answer == "share"
        await child.go_on()


async def test_a_client_that_starts_sessions_itself_gets_the_child_through_the_proxy():
    async with tree("spawn", supportsStartDebuggingRequest=True) as family:
        child = await family.stopped_child()
        assert family.by_start_debugging >= 1
        assert await asked(child.client) == "share"
        await child.go_on()


async def test_a_child_that_comes_by_the_front_door_is_of_the_same_tree():
    async with tree("fork") as family:
        family.open = family.by_front_door
        child = await family.stopped_child()
        assert await asked(family.client) == "share"
        await child.go_on()


async def test_a_child_needs_the_token_too_and_is_given_it():
    async with tree("fork", SessionOptions(token="T", child_token="T")) as family:
        child = await family.stopped_child()
        assert child.configuration["dapAiToken"] == "T"
        await child.go_on()


async def test_requests_of_a_child_are_answered_without_debugpys_44_ms():
    async with tree("fork") as family:
        child = await family.stopped_child()
        loop = asyncio.get_running_loop()
        times: list[float] = []
        for _ in range(20):
            began = loop.time()
            await child.client.request("threads", None, WAIT_S)
            times.append(loop.time() - began)
        assert sorted(times)[len(times) // 2] < patient(0.030)
        await child.go_on()


async def test_without_a_stopped_session_the_tree_says_that_it_runs():
    async with tree("fork") as family:
        child = await family.stopped_child()
        await child.go_on()
        with pytest.raises(RequestFailed) as failed:
            await family.client.request("ask", {}, WAIT_S)
        assert failed.value.message in ("notStopped", "ended")


async def test_a_child_outlives_its_parents_session():
    family = Tree("orphan")
    async with family.run_by_its_user() as parent:  # with what it has launched itself, debugpy ends its children, too
        child = await family.stopped_child()
        parent.stdin.write(b"go\n")
        await asyncio.wait_for(parent.wait(), WAIT_S)
        await asyncio.wait_for(family.ended.wait(), WAIT_S)
        await family.client.request("disconnect", {}, WAIT_S)
        closing = asyncio.create_task(family.client.close())
        assert await asked(child.client) == "share"
        await child.go_on()
        await asyncio.wait_for(closing, WAIT_S)


async def test_when_the_parents_client_disappears_nothing_is_left():
    family = Tree("spawn")
    await family.start()
    child = await family.stopped_child()
    pids = [child.configuration["subProcessId"], *(process.pid for process in family.live.processes)]
    running = [psutil.Process(pid) for pid in pids]
    await family.close()
    gone, alive = psutil.wait_procs(running, timeout=WAIT_S)
    assert not alive, gone
