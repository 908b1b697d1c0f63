"""`dap-ai run retry`: reruns a recorded agent from where it went wrong, with a diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.debuggees.runs.commands.parts.replay_options import options, options_of
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError, analysed, opened, run_argument, step_of

_HELP = """Fork a failed run where it went wrong, tell the agent what went wrong, and show both outcomes side by side.

The diagnosis is that of `dap-ai run onset` (by rules, without a model): the step, what came of it, quotes. It is added
to the query that led to the step, as a user's words. The agent then has what was left: as many queries to the model as
the run had from there on (--budget says otherwise). See `dap-ai run fork --help` for how a fork runs.

Nothing is called solved by itself: --check COMMAND runs in the final state of both workspaces and says it.

\b
Examples:
  dap-ai run retry runs/first --at onset --check 'pytest -q'
  dap-ai run retry runs/first --at 7 --budget 30
  dap-ai run retry runs/first --at onset --say 'Read the specification first.'    that instead of the diagnosis
"""
_NOTE = """A note on an earlier attempt at this task, which was the same up to here and failed.
{diagnosis}
Take this as a hint, not as a fact: look for yourself, decide anew what to do next, and check the result."""


@click.command(help=_HELP, context_settings={"ignore_unknown_options": True})
@run_argument
@click.option("--at", default="onset", show_default=True, metavar="onset|STEP", help="Where the runs part.")
@click.option("--say", metavar="TEXT", help="This to the agent, and not the diagnosis.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="So many queries to the model at most.")
@options
def command(run: Path, at: str, say: str | None, budget: int | None, **given: Any) -> None:
    """Rerun the agent from where it went wrong, with a diagnosis or the user's text."""
    from dap_ai.debuggees.runs.commands.parts.fork_plan import ForkEdits, forked, query_of  # noqa: PLC0415  on use
    from dap_ai.debuggees.runs.commands.parts.rerun_options import run_again, tape_of  # noqa: PLC0415  on use

    wanted, read = options_of(given), opened(run)
    tape = tape_of(run, read)
    number, diagnosis = _found(read, at)
    if say is None and not diagnosis:
        raise RunArgumentError(f"{run}: nothing is known of what went wrong at step {number}: --say TEXT says it")
    step = step_of(read, number)
    left = sum(each.number >= query_of(tape, read, step).number for each in tape.queries)
    text = say if say is not None else _NOTE.format(diagnosis=diagnosis)
    plan, made = forked(tape, read, step, ForkEdits(say=text), wanted.diverged)
    plan = msgspec.structs.replace(plan, budget=budget or left)
    made["words"] = f"retry from step {number} with {'your note' if say else 'its diagnosis'}"
    run_again(read, tape, plan, {"kind": "retry", **made}, wanted)


def _found(run: Any, at: str) -> tuple[int, str]:
    """Return (step number, diagnosis); an unknown diagnosis is empty. Raises UsageError and RunArgumentError."""
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  not needed for --help

    if at != "onset" and not at.isdigit():
        raise click.UsageError(f"--at {at}: is neither `onset` nor the number of a step.")
    finding = analyse(run, failed=True).finding if run.outcome.verdict == "unknown" else analysed(run).finding
    onset = finding.onset
    if onset is None and at == "onset":
        raise RunArgumentError(f"no onset is found: {finding.why}.\n--at STEP --say TEXT says where and what it was.")
    number = int(at) if at.isdigit() else onset.step if onset else 0
    if onset is None:
        return number, ""
    chain = "".join(f"\n- step {link.step}: {link.text}" for link in onset.chain if link.text != onset.text)
    quotes = "".join(f"\n- step {each.step}: {each.quote[:300]}" for each in onset.evidence if each.step)
    said = f"What went wrong (step {onset.step}, {onset.type}): {onset.text}"
    said += f"\nWhat came of it:{chain}" if chain else ""
    return number, said + (f"\nIn its own words:{quotes}" if quotes else "")
