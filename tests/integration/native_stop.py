"""A native program stopped under a real debug adapter, read as the agent reads it; without the proxy between."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.tool_table import run
from dap_ai.debuggees.native.reading.native_inspector import NativeInspector
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import HistoryItem, StopEvent
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.transport.client import DapClient
from tests.integration import native
from tests.integration.native_launch import announced, stopped_client


class NativeStop:
    """See protocol.debugger.Debugger: what the tools of the levels below `mutate` need of it."""

    can_inspect = True
    current = True
    why_no_snapshot = "a native program is not copied"

    def __init__(self, client: DapClient, stopped: Mapping[str, Any]) -> None:
        self.client = client
        self.stop = StopEvent(
            1,
            int(stopped["threadId"]),
            None,
            str(stopped.get("reason", "")),
            description=str(stopped.get("description", "")),
            text=str(stopped.get("text", "")),
        )
        self._inspector = NativeInspector(hovers=True)

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As the proxy: what the adapter has not announced never reaches it."""
        return await announced(self.client, command, arguments)

    async def inspect(self, query: Query) -> Inspection:
        """By the native inspector."""
        return await self._inspector.inspect(self.request, query)

    def caught(self) -> None:
        return None

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """None is kept."""
        return []

    def history(self) -> Sequence[HistoryItem]:
        """The user does nothing."""
        return []

    async def case(self) -> StopSnapshot:
        """What the agent reads first."""
        return await StopReader(self, Sources(), "observe").read(self.stop)  # pyright: ignore[reportArgumentType]  as above

    async def tool(self, arguments: ToolArguments, **bench: Any) -> ToolResult:
        """What a tool gives."""
        made = ToolContext(self, await self.case(), **({"mask": as_it_is} | bench))  # pyright: ignore[reportArgumentType]  as above
        return await run(made, arguments)


@contextlib.asynccontextmanager
async def stopped(adapter: str, program: Path, *arguments: str, **more: str) -> AsyncGenerator[NativeStop]:
    """The program at its first stop; skips the test where the adapter is missing. `more`: of the launch arguments."""
    launch = {"program": str(program), "args": list(arguments)} | more
    async with stopped_client(AdapterCommand(native.need(adapter), {}), launch) as (client, body):
        yield NativeStop(client, body)
