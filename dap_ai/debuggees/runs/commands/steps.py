"""`dap-ai run steps`: lists every step on one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from dap_ai.debuggees.runs.commands.parts.run_arguments import analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import EFFECTS, page, print_json, screen_width, styled
from dap_ai.debuggees.runs.commands.parts.step_view import step_fields
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line
from dap_ai.debuggees.runs.export.export_text import length_of_time, what
from dap_ai.debuggees.runs.run_model import Run, RunStep, steps_of

_HELP = """List the steps of a run, a line each: number, what kind of step, what was called, what came back.

\b
Examples:
  dap-ai run steps RUN
  dap-ai run steps RUN --json | jq -r 'select(.kind == "change") | .what'
"""


@click.command(help=_HELP)
@run_argument
@json_option
def command(run: Path, *, as_json: bool) -> None:
    """Print every step on one line; exit code 1 for a run without steps."""
    opened_run = opened(run)
    steps = steps_of(opened_run)
    kinds = {effect.step: effect.kind for effect in analysed(opened_run).effects}
    if as_json:
        sys.exit(0 if print_json(step_fields(step, kinds.get(step.number, "")) for step in steps) else 1)
    if not steps:
        click.echo("the run has no steps", err=True)
        sys.exit(1)
    page(_lines(opened_run, kinds))


def _lines(run: Run, kinds: dict[int, str]) -> Iterator[str]:
    width = screen_width()
    for step in steps_of(run):
        yield step_line(step, kinds.get(step.number, ""), width)


def step_line(step: RunStep, kind: str, width: int) -> str:
    """Format a step on one line: `  12 change  1.2 s  bash: sed -i ... → what came back`."""
    result = step.result
    failed = result is not None and result.status == "error"
    event = step.call or step.response
    at = length_of_time(event.at_s) if event else ""
    start = f"{step.number:>4} {kind:<8}"
    room = max(width - len(start) - len(at) - 4, 30)
    told = in_a_line(what(step), room * 2 // 3 if result else room)
    came = in_a_line(result.text, max(room - len(told) - 3, 10)) if result and result.text else ""
    line = styled(start, **EFFECTS.get(kind, {})) + (styled(f" {at}", dim=True) if at else "") + f" {styled(told)}"
    return line + (styled(f" → {came}", **({"fg": "red"} if failed else {"dim": True})) if came else "")
