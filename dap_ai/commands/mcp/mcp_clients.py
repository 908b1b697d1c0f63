"""How each coding agent is told of the server: what `dap-ai mcp --help` and docs/mcp.md show. Pure."""

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
"""By name: a command, or a file and what stands in it."""


def shown() -> str:
    r"""All of them, as a command's help: `\b` keeps click from filling the lines."""
    return "\n\n".join(f"\b\n{name}:\n{textwrap.indent(how, '  ')}" for name, how in HOSTS.items())
