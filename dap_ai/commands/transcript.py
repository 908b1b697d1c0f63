"""The command `dap-ai transcript`: print a conversation with a language model as Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from dap_ai.agent.loop.transcript_file import export
from dap_ai.commands.display.command_output import say

_HELP = """Print a conversation with a language model as Markdown: questions, steps, answers, tokens.

FILE was written by the setting `transcripts`. For a conversation in your terminal: dap-ai ask --export FILE.
"""


@click.command(help=_HELP)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(file: Path) -> None:
    """Prints it to stdout."""
    try:
        text = export(file.read_text(encoding="utf-8").splitlines())
    except ValueError as error:
        raise click.UsageError(f"{file}: {error}") from error
    say(text, nl=False)
