"""`dap-ai run tree`: what looked at which state of the workspace, and what made a new one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dap_ai.commands.run.parts.arguments import analysed, json_option, opened, run_argument
from dap_ai.commands.run.parts.overview import tree_lines
from dap_ai.commands.run.parts.paging import page, screen_width
from dap_ai.commands.run.parts.printing import print_json

_HELP = """Show the tree of a run: a step that changes something (◆) opens a state, others (│) look at the one above.

Each line has the files that the step writes, its intent, and after the arrow its outcome.

\b
Examples:
  dap-ai run tree RUN
  dap-ai run tree RUN --folded           changes and checks only
"""


@click.command(help=_HELP)
@run_argument
@click.option("--folded", is_flag=True, help="Only count the steps that neither change nor check.")
@json_option
def command(run: Path, *, folded: bool, as_json: bool) -> None:
    """Exit code 1 where the run has no steps."""
    analysis = analysed(opened(run))
    if as_json:
        sys.exit(0 if print_json(analysis.tree) else 1)
    if not analysis.tree:
        click.echo("the run has no steps", err=True)
        sys.exit(1)
    page(tree_lines(analysis, screen_width(), folded=folded))
