"""The command `dap-ai`. Each subcommand's module is imported only when that subcommand runs, to keep start-up fast."""

from __future__ import annotations

import signal
from typing import Any

import click

import dap_ai
from dap_ai.commands.lazy import LazyGroup
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.extras import MissingExtraError

_HELP = """Ask a program that is being debugged why it does what it does.

\b
In a terminal:   dap-ai ask program.py
At a prompt:     dap-ai debug program.py
Failing tests:   dap-ai pytest
In an editor:    dap-ai serve     (and type ??why in the debug console)
Beside it:       dap-ai ask --join
Something wrong: dap-ai doctor
Runs of agents:  dap-ai run list
An agent:        dap-ai record -- mini -t "..."
For an agent:    dap-ai mcp         (its tools; --help says how to add it)
"""
_COMMANDS = (
    "ask", "debug", "serve", "sessions", "config", "doctor", "transcript", "replay", "mcp",
)  # fmt: skip


class _NotInstalled(click.ClickException):
    exit_code = 2


class _Commands(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and handle Ctrl-C, missing extras and errors of the library click.

        Control characters in click's error messages are made visible, because a message may quote a file name, key or
        session name that another user chose.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(128 + signal.SIGINT) from None
        except MissingExtraError as error:
            raise _NotInstalled(visible(f"{error}.")) from error
        except click.ClickException as error:
            told = visible(error.format_message())
            error.format_message = lambda: told
            raise


@click.group(
    cls=_Commands,
    package="dap_ai.commands",
    modules=_COMMANDS,
    group="dap_ai.commands",  # the entry point group of commands for kinds of debuggee
    help=_HELP,
    context_settings={"help_option_names": ["--help", "-h"]},
)
@click.version_option(dap_ai.__version__, prog_name="dap-ai")
def main() -> None:
    """Run the command `dap-ai`."""
