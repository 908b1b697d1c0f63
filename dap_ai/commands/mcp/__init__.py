"""The command `dap-ai mcp`: serves the debugger to coding agents over the Model Context Protocol.

It uses sessions, targets and endings of `running/`, and queries a session with `ask` and `askTool`, one question at a
time. `mcp_server.py` is the only file that uses the SDK, and is imported when the server runs.

1. The user's program and files never change. The server joins a user's session once, and leaves it when the client
   ends. Sessions that the agent starts live in this process, cannot be joined, and end with it.
2. A call is a plain asyncio task: the SDK's cancel scopes would interrupt ending a program.
3. On a signal the process ends with `os._exit`: the SDK reads stdin in a thread that cannot be interrupted.
4. An answer is shortened to a maximum size by whole paragraphs, the most important first (`brief.py`).
"""

from __future__ import annotations

import sys

import click

from dap_ai.commands.mcp.mcp_clients import shown

_HELP = f"""Serve the debugger to a coding agent, by the Model Context Protocol on stdin and stdout.

The agent asks about the session that you have stopped in an editor, or starts a program itself; one call of `ask`
gives the cause of a crash, the values that prove it, and a fix that was tried in a copy. What it is told is masked as
for any model. It changes nothing: neither your program nor your files; your stop stays as it is. What it has started
ends with it. Who answers, and what leaves the machine, your settings say: `dap-ai config`.

Add it to your agent (where `dap-ai` is not on its PATH, name the whole path):

{shown()}
"""


@click.command(help=_HELP, short_help="Serve the debugger to coding agents (MCP).")
def command() -> None:
    """Serves until stdin ends, or a signal comes."""
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("a coding agent starts this, and speaks to it on stdin: see dap-ai mcp --help.")
    from dap_ai.commands.mcp.main import main  # noqa: PLC0415  the SDK takes half a second

    main()
