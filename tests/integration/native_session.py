"""A native program stopped at a line by a real adapter, and the walker's request into it, every one recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dap_ai.adapter.client import Client
from dap_ai.backends.gdb import GdbBackend
from dap_ai.backends.lldb import LldbBackend
from dap_ai.backends.native.walker import NativeWalker
from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.errors import RequestFailed
from dap_ai.protocol.inspection import Fact, FrameQuery, Inspection, Node, Query
from tests.integration import native

ADAPTERS = ("lldb-dap 19", "lldb-dap 23", "gdb")
WAIT_S = 30.0
_SHOWS = {"supportsVariableType": True, "supportsVariablePaging": True, "supportsMemoryReferences": True}
_ANNOUNCED = {
    "readMemory": "supportsReadMemoryRequest",
    "disassemble": "supportsDisassembleRequest",
    "modules": "supportsModulesRequest",
    "exceptionInfo": "supportsExceptionInfoRequest",
}


@dataclass
class Session:
    """`sent`: each request of the walker, in order."""

    client: Client
    stop: Mapping[str, Any]
    frames: list[dict[str, Any]]
    walker: NativeWalker = field(default_factory=lambda: NativeWalker(hovers=True))
    sent: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])

    @property
    def frame_id(self) -> int:
        return self.frames[0]["id"]

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As the proxy does, it sends nothing that the adapter does not announce."""
        self.sent.append((command, arguments))
        capability = _ANNOUNCED.get(command)
        if capability and not self.client.capabilities.get(capability):
            raise RequestFailed(command, "notSupported", f"the adapter has no {command}")
        return await self.client.request(command, arguments, WAIT_S)

    async def inspect(self, *nodes: Node, **more: Any) -> Inspection:
        frame = FrameQuery(frame_id=self.frame_id, expressions=list(nodes), variables=not nodes)
        settings: dict[str, Any] = {"exception": False, "threads": False, "deadline_ms": 20_000} | more
        return await self.walker.inspect(self.request, Query([frame], thread_id=self.stop["threadId"], **settings))

    async def facts(self, *nodes: Node) -> list[Fact]:
        return (await self.inspect(*nodes)).frames[0].values


@contextlib.asynccontextmanager
async def stopped(
    adapter: str, program: Path, source: Path | None = None, line: int = 0, arguments: tuple[str, ...] = ()
) -> AsyncIterator[Session]:
    """`program`, launched until it stops: at the line, or where it crashes."""
    argv = native.need(adapter)
    backend = GdbBackend(argv[0]) if adapter == "gdb" else LldbBackend(argv[0])
    process = await AdapterProcess.start(backend.command(), lambda _line: None)
    client = Client(process.link, process.end)
    try:
        await client.initialize("native", **_SHOWS)
        launch = {"program": str(program), "args": list(arguments), "cwd": str(program.parent)}
        launched = client.send("launch", (await backend.prepare("launch", launch)).arguments)
        await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
        if source:
            points = {"source": {"path": str(source)}, "breakpoints": [{"line": line}]}
            await client.request("setBreakpoints", points, WAIT_S)
        await client.request("configurationDone", {}, WAIT_S)
        assert (await asyncio.wait_for(launched, WAIT_S)).success
        stop = (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]
        frames = (await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S))["stackFrames"]
        yield Session(client, stop, frames)
        await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    finally:
        await client.close()


def marked(source: Path, mark: str) -> int:
    """The line of the file that carries `@bp MARK`."""
    text = source.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(text, 1) if f"@bp {mark}" in line)
