"""The Model Context Protocol server on stdin and stdout; the only file that uses the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dap_ai
from dap_ai.commands.mcp.mcp_contract import INSTRUCTIONS, TOOLS, schema_of
from dap_ai.commands.mcp.mcp_tools import McpResult
from dap_ai.system.extras import MCP

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

CallTool = Callable[[str, Mapping[str, Any], Callable[[str], Awaitable[None]]], Awaitable[McpResult]]
"""A function that runs a tool, given its name, its arguments and a function that reports progress."""


async def serve(call: CallTool) -> None:
    """Serve one client on stdin and stdout until stdin ends, then cancel the calls in progress.

    Raises MissingExtraError.
    """
    lowlevel, stdio, types = (MCP.load(f"mcp.{name}") for name in ("server.lowlevel", "server.stdio", "types"))

    async def list_tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        del context, params
        return types.ListToolsResult(tools=listed_tools())

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        steps = 0

        async def tell(line: str) -> None:
            nonlocal steps
            steps += 1
            await context.session.report_progress(steps, None, line)

        result = await call(params.name, params.arguments or {}, tell)
        return types.CallToolResult(content=[types.TextContent(type="text", text=result.text)], is_error=result.failed)

    server = lowlevel.Server(
        "dap-ai",
        version=dap_ai.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio.stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def listed_tools() -> Sequence[Tool]:
    """Return the descriptions of all tools in the SDK's type. Raises MissingExtraError."""
    types = MCP.load("mcp.types")
    return [
        types.Tool(
            name=name,
            description=kind.told,
            input_schema=schema_of(kind),
            annotations=types.ToolAnnotations(read_only_hint=kind.looks),
        )
        for name, kind in TOOLS.items()
    ]
