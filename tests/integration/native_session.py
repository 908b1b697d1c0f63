"""A native program stopped at a line by a real adapter, and the inspector's request into it, every one recorded."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dap_ai.backends.gdb import GdbBackend
from dap_ai.backends.lldb import LldbBackend
from dap_ai.debuggees.native.reading.native_inspector import NativeInspector
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Inspection, Node, Query
from dap_ai.transport.client import DapClient
from tests.integration import native
from tests.integration.native_launch import WAIT_S, announced, stopped_client

ADAPTERS = ("lldb-dap 19", "lldb-dap 23", "gdb")


@dataclass
class Session:
    """`sent`: each request of the inspector, in order."""

    client: DapClient
    stop: Mapping[str, Any]
    frames: list[dict[str, Any]]
    inspector: NativeInspector = field(default_factory=lambda: NativeInspector(hovers=True))
    sent: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])

    @property
    def frame_id(self) -> int:
        return self.frames[0]["id"]

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As the proxy does, it sends nothing that the adapter does not announce."""
        self.sent.append((command, arguments))
        return await announced(self.client, command, arguments)

    async def inspect(self, *nodes: Node, **more: Any) -> Inspection:
        frame = FrameQuery(frame_id=self.frame_id, expressions=list(nodes), variables=not nodes)
        settings: dict[str, Any] = {"exception": False, "threads": False, "deadline_ms": 20_000} | more
        return await self.inspector.inspect(self.request, Query([frame], thread_id=self.stop["threadId"], **settings))

    async def facts(self, *nodes: Node) -> list[ExpressionResult]:
        return (await self.inspect(*nodes)).frames[0].values


@contextlib.asynccontextmanager
async def stopped(
    adapter: str, program: Path, source: Path | None = None, line: int = 0, arguments: tuple[str, ...] = ()
) -> AsyncIterator[Session]:
    """`program`, launched until it stops: at the line, or where it crashes."""
    argv = native.need(adapter)
    backend = GdbBackend(argv[0]) if adapter == "gdb" else LldbBackend(argv[0])
    launch = {"program": str(program), "args": list(arguments), "cwd": str(program.parent)}
    prepared = (await backend.prepare("launch", launch)).arguments
    async with stopped_client(backend.command(), prepared, source=source, line=line) as (client, stop):
        frames = await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S)
        yield Session(client, stop, frames["stackFrames"])


def marked(source: Path, mark: str) -> int:
    """The line of the file that carries `@bp MARK`."""
    text = source.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(text, 1) if f"@bp {mark}" in line)
