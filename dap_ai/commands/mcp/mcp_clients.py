"""Instructions for adding the MCP server to each coding agent, for `dap-ai mcp --help` and docs/mcp.md."""

from __future__ import annotations

import textwrap

_SERVER = '{"command": "dap-ai", "args": ["mcp"]}'
HOSTS = {
    "Claude Code": "claude mcp add dap-ai -- dap-ai mcp",
    "codex": """\
codex mcp add dap-ai -- dap-ai mcp
or in ~/.codex/config.toml:
[mcp_servers.dap-ai]
command = "dap-ai"
args = ["mcp"]""",
    "qwen-code": f"""\
qwen mcp add dap-ai dap-ai mcp
or in .qwen/settings.json:
{{"mcpServers": {{"dap-ai": {_SERVER}}}}}""",
    "VS Code": f"""\
in .vscode/mcp.json:
{{"servers": {{"dap-ai": {_SERVER}}}}}""",
    "Cursor": f"""\
in .cursor/mcp.json:
{{"mcpServers": {{"dap-ai": {_SERVER}}}}}""",
}
"""Instructions by coding agent: a command to run, or a file with the text to add to it."""


def shown() -> str:
    r"""Return all instructions as help text; `\b` keeps click from rewrapping the lines."""
    return "\n\n".join(f"\b\n{name}:\n{textwrap.indent(how, '  ')}" for name, how in HOSTS.items())
