"""`dap-ai run changes`: lists the steps that wrote files, with the written text if known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, RunAnalysis
from dap_ai.debuggees.runs.call_diff import change_lines
from dap_ai.debuggees.runs.commands.parts.run_arguments import analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import diff_lines, print_found, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import path_shown

_HELP = """List what a run changed: step, file, how; and the change itself as a diff where the call holds it.

\b
Examples:
  dap-ai run changes RUN
  dap-ai run changes RUN --files         names only
"""


@click.command(help=_HELP)
@run_argument
@click.option("--files", is_flag=True, help="Only the names of the files, without the text.")
@json_option
def command(run: Path, *, files: bool, as_json: bool) -> None:
    """Print the steps that wrote files; exit code 1 without such steps."""
    analysis = analysed(opened(run))
    found = [{"step": each.step, **msgspec.to_builtins(write)} for each in analysis.effects for write in each.writes]
    nothing = "no step of the run writes a file that is known"
    print_found(found, _lines(analysis, files=files), nothing, as_json=as_json)


def _lines(analysis: RunAnalysis, *, files: bool) -> Iterator[str]:
    for effect in analysis.effects:
        for write in effect.writes:
            yield _title(effect, write)
            if not files:
                yield from (f"       {line}" for line in diff_lines(change_lines(write)))


def _title(effect: Effect, write: FileWrite) -> str:
    where = f" lines {write.lines[0]}-{write.lines[1]}" if write.lines else ""
    refused = "  (refused by the tool)" if effect.refused else ""
    return f"{effect.step:>5}  {styled(write.how, fg='yellow')} {path_shown(write.path)}{where}{refused}"
