"""`dap-ai run stages`: lists a run's stages, such as inspection, patching and verification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from dap_ai.debuggees.runs.analysis.analysis_model import RunStage
from dap_ai.debuggees.runs.commands.parts.overview import strip
from dap_ai.debuggees.runs.commands.parts.run_arguments import analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import print_found, screen_width
from dap_ai.debuggees.runs.export.export_text import steps_range
from dap_ai.system.texts import counted

_HELP = """Show the stages of a run, as ranges of its steps. A stage may come back.

\b
Example:
  dap-ai run stages RUN
"""


@click.command(help=_HELP)
@run_argument
@json_option
def command(run: Path, *, as_json: bool) -> None:
    """Print the run's stages; exit code 1 for a run without steps."""
    stages = analysed(opened(run)).stages
    print_found(stages, _lines(stages, screen_width()), "the run has no steps", as_json=as_json)


def _lines(stages: Sequence[RunStage], width: int) -> Iterator[str]:
    yield strip(stages, width)
    for stage in stages:
        steps = counted(stage.last - stage.first + 1, "step")
        yield f"{steps_range(stage.first, stage.last):>9}  {stage.stage:<13} {steps}"
