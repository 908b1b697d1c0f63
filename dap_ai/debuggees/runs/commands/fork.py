"""`dap-ai run fork`: reruns a recorded agent up to a step, and continues with the model from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.debuggees.runs.commands.parts.replay_options import options, options_of
from dap_ai.debuggees.runs.commands.parts.run_arguments import StepNumber, opened, run_argument, step_of

_HELP = """Go on from a step of a recorded agent with the real model, and with an edit if you wish. Both are shown.

RUN is a recording of `dap-ai record`. The agent's command runs anew in a copy of its workspace. Up to STEP it is
answered from the recording. There the workspace is set to what it was; then the model is asked, as the agent's own
settings say (OPENAI_BASE_URL, keys, ...). Without an edit, the query that led to STEP is asked again.

Nothing of the first run is changed, nor is your workspace. What the agent's tools do outside of it, they do again.

\b
Edits:
  --say TEXT      a user's words, added to the query that led to STEP (and so to each later one)
  --answer TEXT   the model's answer in the place of the recorded one: a text, without a call
  --edit FILE     the same as JSON, in the form of the model's interface; --print writes the recorded one
  --call TEXT     the call of STEP with other arguments: a JSON object, or the command of a shell
  --result TEXT   what the call of STEP brought, as the model is told; the agent's own memory keeps the original
A TEXT that is @FILE is read from that file.

Exit code: the agent's; with --check 0 where it passes in the new run, else 1.

\b
Examples:
  dap-ai run fork runs/first --at 3
  dap-ai run fork runs/first --at 3 --say 'The tests are in tests/, not in test/.' --check 'pytest -q'
  dap-ai run fork runs/first --at 3 --call 'pytest -q tests'
  dap-ai run fork runs/first --at 3 --print > answer.json; $EDITOR answer.json
  dap-ai run fork runs/first --at 3 --edit answer.json
"""
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command(help=_HELP, context_settings={"ignore_unknown_options": True})
@run_argument
@click.option("--at", "step", type=StepNumber(), required=True, metavar="STEP", help="As `run steps` numbers them.")
@click.option("--say", metavar="TEXT", help="A user's words to the model.")
@click.option("--answer", metavar="TEXT", help="The model's answer.")
@click.option("--edit", type=_FILE, help="The model's answer, as JSON.")
@click.option("--call", metavar="TEXT", help="Other arguments of the call.")
@click.option("--result", metavar="TEXT", help="What the call brought.")
@click.option("--print", "only_print", is_flag=True, help="Print the recorded answer that led to STEP, and end.")
@click.option("--budget", type=click.IntRange(0), metavar="N", help="So many queries to the model at most.")
@options
def command(run: Path, step: int, budget: int | None, *, only_print: bool, **given: Any) -> None:
    """Rerun the agent up to the step, then continue with the model."""
    from dap_ai.debuggees.runs.commands.parts.fork_plan import ForkEdits, forked, recorded_answer  # noqa: PLC0415  on use
    from dap_ai.debuggees.runs.commands.parts.rerun_options import run_again, tape_of  # noqa: PLC0415  on use

    wanted, read = options_of(given), opened(run)
    tape, at = tape_of(run, read), step_of(read, step)
    if only_print:
        click.echo(recorded_answer(tape, read, at))
        return
    edits = ForkEdits(**{name: given[name] for name in ForkEdits._fields})
    plan, made = forked(tape, read, at, edits, wanted.diverged)
    plan = msgspec.structs.replace(plan, budget=budget)
    run_again(read, tape, plan, {"kind": "fork", **made}, wanted)
