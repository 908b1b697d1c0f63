"""From what the command line names to the target of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from dap_ai.commands.kinds import Make, Wanted
from dap_ai.commands.running.target import Out, Target
from dap_ai.config import Resolved
from dap_ai.kinds.run.target import RunTarget
from dap_ai.runs.analysis.analysing import analyse, analyse_against
from dap_ai.runs.model import Run
from dap_ai.runs.opening import open_run
from dap_ai.runs.readers.base import CannotRead


def look(wanted: Wanted, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """See commands.kinds.Named. Raises UsageError: nobody reads it."""
    del resolved
    if wanted.words or wanted.module:
        raise click.UsageError("--run asks about a recorded run: do not name a PROGRAM with it.")
    path = str(Path(wanted.cwd, wanted.run or ""))
    against = str(Path(wanted.cwd, wanted.against)) if wanted.against else ""
    run = _opened("--run", path)
    if against:
        passing = _opened("--against", against)
        if passing.task.split() != run.task.split():
            tell("the task of --against is not the same")
        onset = analyse_against(run, passing).finding.onset
    else:
        onset = analyse(run).finding.onset
    tell(f"{run.format}, {run.steps} steps, outcome as recorded: {run.outcome.verdict}")

    def make(out: Out) -> Target:
        del out
        return RunTarget(path, onset.step if onset else "end", against)

    return make


def _opened(option: str, path: str) -> Run:
    """Raises UsageError."""
    try:
        return open_run(path)
    except CannotRead as error:
        raise click.UsageError(f"{option}: {error}") from error
