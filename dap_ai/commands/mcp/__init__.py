"""`dap-ai mcp`: the debugger for coding agents, as a Model Context Protocol server on stdin and stdout."""

from dap_ai.commands.mcp.command import command

__all__ = ["command"]
