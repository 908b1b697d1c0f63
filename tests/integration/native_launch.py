"""A native program under a real debug adapter, without the proxy between: from its start to its first stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.adapter.state.forwarding_rules import CAPABILITY_OF
from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient, EventListener
from tests.patience import at_worst

WAIT_S = at_worst(40.0)
_CLIENT = {"supportsVariableType": True, "supportsVariablePaging": True, "supportsMemoryReferences": True}
"""What gdb wants to hear before it tells types, pages and addresses."""


@contextlib.asynccontextmanager
async def stopped_client(
    adapter: AdapterCommand,
    arguments: Mapping[str, Any],
    *,
    start: str = "launch",
    source: Path | None = None,
    line: int = 0,
    listener: EventListener | None = None,
) -> AsyncIterator[tuple[DapClient, dict[str, Any]]]:
    """The adapter's client and the body of the first `stopped`; what was launched is ended afterwards."""
    process = await AdapterProcess.start(adapter, lambda _line: None)
    client = DapClient(process.link, process.end)
    if listener is not None:
        client.on_event(listener)
    try:
        await client.initialize("native", **_CLIENT)
        started = client.send(start, arguments)
        await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
        if source is not None:
            points = {"source": {"path": str(source)}, "breakpoints": [{"line": line}]}
            await client.request("setBreakpoints", points, WAIT_S)
        await client.request("configurationDone", {}, WAIT_S)
        assert (await asyncio.wait_for(started, WAIT_S)).success
        yield client, (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]
    finally:
        with contextlib.suppress(Exception):  # the process is ended in any case
            await client.request("disconnect", {"terminateDebuggee": start == "launch"}, WAIT_S)
        await client.close()


async def announced(client: DapClient, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A request as through the proxy: what the adapter has not announced never reaches it. Raises RequestFailed."""
    flag = CAPABILITY_OF.get(command)
    if flag and not client.capabilities.get(flag):
        raise RequestFailed(command, "notSupported", f"The debug adapter does not support '{command}'.")
    return await client.request(command, arguments, WAIT_S)
