"""`dap-ai run checks`: lists the results of all verification steps."""

from __future__ import annotations

from pathlib import Path

import click

from dap_ai.debuggees.runs.commands.parts.overview import check_line
from dap_ai.debuggees.runs.commands.parts.run_arguments import analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import print_found, screen_width

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
    """Print the results of all checks; exit code 1 without checks."""
    checks = analysed(opened(run)).checks
    lines = (check_line(check, screen_width()) for check in checks)
    print_found(checks, lines, "no step of the run checks anything", as_json=as_json)
