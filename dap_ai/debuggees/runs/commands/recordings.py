"""`dap-ai run recordings`: prints the default folder of recordings."""

from __future__ import annotations

import click

from dap_ai.debuggees.runs.commands.parts.visible_texts import path_shown

_HELP = """Print the folder in which `dap-ai record` keeps its recordings, unless it is told another one.

\b
Examples:
  dap-ai run list "$(dap-ai run recordings)"
"""


@click.command(help=_HELP)
def command() -> None:
    """Print the folder, which need not exist yet."""
    from dap_ai.debuggees.runs.live.folders import store  # noqa: PLC0415  not needed for --help

    click.echo(path_shown(str(store())))
