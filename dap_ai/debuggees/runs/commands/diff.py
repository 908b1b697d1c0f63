"""`dap-ai run diff`: compares two steps of a run, or the workspace before and after them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dap_ai.debuggees.runs.analysis.run_differences import FileChange, between_steps, workspace
from dap_ai.debuggees.runs.commands.parts.run_arguments import (
    StepNumber,
    analysed,
    json_option,
    opened,
    run_argument,
    step_of,
)
from dap_ai.debuggees.runs.commands.parts.run_output import diff_lines, page, print_json, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import path_shown
from dap_ai.system.texts import counted

_HELP = """Compare the steps A and B of a run: what the agent said, what it called, what came back.

With --workspace: what the calls after A, up to and with B, made of each file, as far as they say it. A may be 0, the
start. Exit code 0 where nothing differs, 1 where something does, as diff has it.

\b
Examples:
  dap-ai run diff RUN 3 7                    the same command again: what is new in its result
  dap-ai run diff RUN 0 20 --workspace       all that was changed up to step 20
"""


class _First(StepNumber):
    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return 0 if str(value) == "0" else super().convert(value, param, ctx)


@click.command(help=_HELP)
@run_argument
@click.argument("one", type=_First(), metavar="A")
@click.argument("other", type=StepNumber(), metavar="B")
@click.option("--workspace", "of_files", is_flag=True, help="The files, not what was said.")
@json_option
def command(run: Path, one: int, other: int, *, of_files: bool, as_json: bool) -> None:
    """Print the difference between two steps; exit code 1 if they differ."""
    opened_run = opened(run)
    step_of(opened_run, other)
    if one or not of_files:
        step_of(opened_run, one)
    if of_files:
        changes = workspace(analysed(opened_run), one, other)
        found, lines = list[Any](changes), _change_lines(changes)
    else:
        parts = between_steps(opened_run, one, other)
        found = [{"part": name, "diff": part} for name, part in parts.items()]
        lines = _part_lines(parts)
    if as_json:
        print_json(found)
    else:
        page(lines)
    sys.exit(1 if found else 0)


def _part_lines(parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, lines in parts.items():
        yield styled(name, bold=True)
        yield from diff_lines(lines)


def _change_lines(changes: Sequence[FileChange]) -> Iterator[str]:
    for change in changes:
        noun = "step" if len(change.steps) == 1 else "steps"
        known = "" if change.whole else ", pieces: its whole text is not known"
        yield styled(path_shown(change.path), bold=True) + f"  {noun} {', '.join(map(str, change.steps))}{known}"
        yield from diff_lines(change.diff)
    yield f"{counted(len(changes), 'file')} changed"
