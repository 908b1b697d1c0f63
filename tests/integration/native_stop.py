"""A native program stopped under a real debug adapter, read as the agent reads it; without the proxy between."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.agent.case.reader import Reader
from dap_ai.agent.case.stack import Case
from dap_ai.agent.source.source import Sources
from dap_ai.agent.tools.base import Bench, ToolResult
from dap_ai.agent.tools.table import run
from dap_ai.debuggees.native.reading.walker import NativeWalker
from dap_ai.protocol.contracts.asking import HistoryItem, Stop
from dap_ai.protocol.contracts.backend import Command
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.tools import Arguments
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.transport.client import Client
from tests.integration import native
from tests.integration.native_launch import announced, stopped_client


class NativeStop:
    """See protocol.debugger.Debugger: what the tools of the levels below `mutate` need of it."""

    can_inspect = True
    current = True
    why_no_snapshot = "a native program is not copied"

    def __init__(self, client: Client, stopped: Mapping[str, Any]) -> None:
        self.client = client
        self.stop = Stop(
            1,
            int(stopped["threadId"]),
            None,
            str(stopped.get("reason", "")),
            description=str(stopped.get("description", "")),
            text=str(stopped.get("text", "")),
        )
        self._walker = NativeWalker(hovers=True)

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As the proxy: what the adapter has not announced never reaches it."""
        return await announced(self.client, command, arguments)

    async def inspect(self, query: Query) -> Inspection:
        """By the native walker."""
        return await self._walker.inspect(self.request, query)

    def caught(self) -> None:
        return None

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """None is kept."""
        return []

    def history(self) -> Sequence[HistoryItem]:
        """The user does nothing."""
        return []

    async def case(self) -> Case:
        """What the agent reads first."""
        return await Reader(self, Sources(), "observe").read(self.stop)  # pyright: ignore[reportArgumentType]  as above

    async def tool(self, arguments: Arguments, **bench: Any) -> ToolResult:
        """What a tool gives."""
        made = Bench(self, await self.case(), **({"mask": as_it_is} | bench))  # pyright: ignore[reportArgumentType]  as above
        return await run(made, arguments)


@contextlib.asynccontextmanager
async def stopped(adapter: str, program: Path, *arguments: str, **more: str) -> AsyncGenerator[NativeStop]:
    """The program at its first stop; skips the test where the adapter is missing. `more`: of the launch arguments."""
    launch = {"program": str(program), "args": list(arguments)} | more
    async with stopped_client(Command(native.need(adapter), {}), launch) as (client, body):
        yield NativeStop(client, body)
