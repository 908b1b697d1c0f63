"""`dap-ai run checks`: what each verifying step printed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dap_ai.commands.run.parts.arguments import analysed, json_option, opened, run_argument
from dap_ai.commands.run.parts.overview import check_line
from dap_ai.commands.run.parts.paging import page, screen_width
from dap_ai.commands.run.parts.printing import print_json

_HELP = """List the checks of a run, tests, builds, programs that were tried, and how each ended.

\b
Examples:
  dap-ai run checks RUN
  dap-ai run checks RUN --json | jq 'select(.ok == false)'
"""


@click.command(help=_HELP)
@run_argument
@json_option
def command(run: Path, *, as_json: bool) -> None:
    """Exit code 1 where nothing was checked."""
    checks = analysed(opened(run)).checks
    if as_json:
        sys.exit(0 if print_json(checks) else 1)
    if not checks:
        click.echo("no step of the run checks anything", err=True)
        sys.exit(1)
    width = screen_width()
    page(check_line(check, width) for check in checks)
