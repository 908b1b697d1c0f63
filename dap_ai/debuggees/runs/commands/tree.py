"""`dap-ai run tree`: shows which steps changed the workspace, and which only read each state."""

from __future__ import annotations

from pathlib import Path

import click

from dap_ai.debuggees.runs.commands.parts.overview import tree_lines
from dap_ai.debuggees.runs.commands.parts.run_arguments import analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import print_found, screen_width

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
    """Print the tree of steps; exit code 1 for a run without steps."""
    analysis = analysed(opened(run))
    lines = tree_lines(analysis, screen_width(), folded=folded)
    print_found(analysis.tree, lines, "the run has no steps", as_json=as_json)
