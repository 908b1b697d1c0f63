"""Runs the MCP server until its client or a signal ends it, then ends the sessions that it started."""

from __future__ import annotations

import asyncio
import os

from dap_ai.commands.display.command_output import warn
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.mcp import mcp_server
from dap_ai.commands.mcp.mcp_tools import McpTools
from dap_ai.commands.signalled import at_signals
from dap_ai.commands.wiring import check_provider
from dap_ai.system import thread_pool


def main() -> None:
    """Run the MCP server on stdin and stdout. Raises UsageError, MissingExtraError."""
    thread_pool.run(_main())


async def _main() -> None:
    resolved = resolve({})
    check_provider(resolved.settings)
    for warning in resolved.warnings:
        warn(warning)
    tools = McpTools(resolved.settings)
    ended_by: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(number: int) -> None:
        if not ended_by.done():  # a second signal must not interrupt the clean-up
            ended_by.set_result(number)

    at_signals(end)
    serving = asyncio.ensure_future(mcp_server.serve(tools.call))
    await asyncio.wait({serving, ended_by}, return_when=asyncio.FIRST_COMPLETED)
    await tools.close()
    if ended_by.done():
        # The SDK reads stdin in a thread that cannot be interrupted: joining it would wait for the client.
        os._exit(128 + ended_by.result())
    await serving
