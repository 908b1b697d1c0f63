"""`dap-ai mcp`: the debugger for coding agents, by the Model Context Protocol. The server is imported when it runs.

It stands on `running/`, whose guests, targets and endings it uses; a session is asked by `ask` and `askTool`, one
question at a time. `mcp_server.py` is the one file that knows the SDK.

1. The user's program and files stay as they are. A session of the user's is joined once, and left with the client;
   programs that the agent starts are clients in this process, cannot be joined, and end with it.
2. A call is a task of asyncio's own: the SDK's cancel scopes would cut the end of a program short.
3. By a signal the process ends with `os._exit`: the SDK reads stdin in a thread that nobody can interrupt.
4. An answer is cut to size by whole paragraphs, the most important first (`brief.py`).
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
