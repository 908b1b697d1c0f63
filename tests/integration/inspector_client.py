"""A DAP client for the inspector's tests: debugpy.adapter over stdio, one program, stopped once."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.python.injection.debugpy_snapshots import DebugpySnapshots
from dap_ai.debuggees.python.injection.inspector import MAGIC, unquoted
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import RequestFailed
from tests.patience import patient
from tests.processes import kill_tree

DEBUGGEES = Path(__file__).parent.parent / "debuggees"


class Client:
    """Sends requests and keeps events; `sent` lists the commands, so that a test can count round trips."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.sent: list[str] = []
        self.output = ""
        self._seq = itertools.count(1)
        self._responses: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())

    def post(self, command: str, arguments: Mapping[str, Any]) -> asyncio.Future[dict[str, Any]]:
        seq = next(self._seq)
        self.sent.append(command)
        body = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._responses[seq] = asyncio.get_running_loop().create_future()
        return self._responses[seq]

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        response = await self.post(command, arguments)
        if not response["success"]:
            raise RequestFailed(command, response.get("message", ""))
        return response.get("body") or {}

    async def event(self, *names: str) -> dict[str, Any]:
        while True:
            event = await self._events.get()
            if event["event"] in names:
                return event.get("body") or {}

    async def frames(self, thread_id: int) -> list[dict[str, Any]]:
        return (await self.request("stackTrace", {"threadId": thread_id}))["stackFrames"]

    async def run_on(self, thread_id: int) -> str:
        """Continues to the end of the program; what it wrote to stdout."""
        await self.request("continue", {"threadId": thread_id})
        await self.event("terminated")
        return self.output

    async def close(self) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(self.post("disconnect", {"terminateDebuggee": True}), patient(5))
        self._reader.cancel()
        kill_tree(self.process.pid)  # a debuggee that is left holds the adapter's pipes
        await self.process.wait()

    async def _read(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                header = await self.process.stdout.readuntil(b"\r\n\r\n")
                length = int(header.lower().partition(b"content-length:")[2].split()[0])
                message = json.loads(await self.process.stdout.readexactly(length))
                self._sort(message)

    def _sort(self, message: dict[str, Any]) -> None:
        if message["type"] == "response":
            waiting = self._responses.pop(message["request_seq"])
            if not waiting.done():  # whoever asked may have been cancelled
                waiting.set_result(message)
        elif message["type"] == "event":
            if message["event"] == "output" and message["body"].get("category") == "stdout":
                self.output += message["body"]["output"]
            self._events.put_nowait(message)


async def snapshot(request: Request, query: SnapshotQuery) -> SnapshotResult:
    """What a copy tells; it is gone then."""
    snapshots, tokens = DebugpySnapshots(), list[str]()
    result = await asyncio.wait_for(snapshots.run(request, query, tokens.append), patient(30))
    await end(request, snapshots.kill_request(tokens[0], query.frame_id))
    return result


async def end(request: Request, kill: tuple[str, dict[str, Any]]) -> None:
    """Asks for the end of a copy until it is gone."""
    for _ in range(100):  # each waits a little by itself; on a busy machine a copy takes longer to end
        reply = unquoted(str((await request(*kill)).get("result", "")))
        if not reply.startswith(MAGIC) or json.loads(base64.b64decode(reply.removeprefix(MAGIC)))["done"]:
            break


@contextlib.asynccontextmanager
async def debugging(
    name: str, lines: list[int] | None = None, *, greeting: Any = None, **launch: Any
) -> AsyncIterator[Client]:
    """A started program with breakpoints at 1-based lines, and stops at uncaught exceptions.

    `greeting`: the request that a proxy would send before the program starts.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "debugpy.adapter",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    client = Client(process)
    try:
        program = str(DEBUGGEES / name)
        await client.request("initialize", {"adapterID": "debugpy", "clientID": "test"})
        launched = client.post(
            "launch",
            {"program": program, "console": "internalConsole", "python": [sys.executable], "justMyCode": True} | launch,
        )
        await client.event("initialized")
        if greeting is not None:
            client.post(*greeting)
        breakpoints = [{"line": line} for line in lines or []]
        await client.request("setBreakpoints", {"source": {"path": program}, "breakpoints": breakpoints})
        await client.request("setExceptionBreakpoints", {"filters": launch.get("filters", ["uncaught"])})
        await client.request("configurationDone", {})
        assert (await launched)["success"]
        yield client
    finally:
        await client.close()
