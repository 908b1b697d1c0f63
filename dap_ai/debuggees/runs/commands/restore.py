"""`dap-ai run restore`: writes a recording's workspace to another folder, in its state at an event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from dap_ai.commands.display.command_output import say
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError, StepNumber, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.visible_texts import path_shown
from dap_ai.debuggees.runs.run_model import Event, Run
from dap_ai.debuggees.runs.store import WORKSPACE

_HELP = """Write the files of the workspace as they were after a step of a recording into DIR, to look at or to compare.

DIR is new or empty: nothing that is there is written over, least of all the workspace itself. Only what the recording
holds is written: no ignored files, no .git.

\b
Examples:
  dap-ai run restore RUN --at 12 -o before/
  dap-ai run restore RUN --at 12 -o before/ && diff -r before/ .
  dap-ai run restore RUN --at 12 --change -o change/    change/before and change/after: what the step changed
"""


@click.command(help=_HELP)
@run_argument
@click.option("--at", "step", type=StepNumber(), metavar="STEP", help="After this step; else at the end.")
@click.option("--event", type=click.IntRange(0), metavar="INDEX", help="After this event, counted from 0.", hidden=True)
@click.option("--change", is_flag=True, help="Only the files of the last change by then: before/ and after/ it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", required=True, help="Where to.")
def command(run: Path, step: int | None, event: int | None, output: Path, *, change: bool) -> None:
    """Write a state of the workspace to DIR; exit code 2 if the run has no workspace, or DIR is not empty."""
    recorded = opened(run)
    repository = Path(recorded.root) / WORKSPACE
    if not repository.is_dir():
        raise RunArgumentError(f"{path_shown(recorded.root)} holds no workspace: only `dap-ai record` keeps one")
    commit = _commit(recorded, _last(recorded, step) if event is None else event)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise RunArgumentError(f"{path_shown(str(output))} is not empty: nothing is written over")
    _write(repository, commit, output, change=change)
    say(f"restored in {path_shown(str(output))}: the workspace at {commit[:12]}", err=True)


def _last(run: Run, step: int | None) -> int:
    """Return the index of the last event that the restored state includes."""
    if step is None:
        return len(run.events)
    indices = [event.index for event in run.events if event.step == step]
    if not indices:
        raise RunArgumentError(f"{path_shown(run.root)} has no step {step}: it has {run.steps}")
    after = (each for each in run.events[indices[-1] + 1 :] if each.kind not in ("result", "change"))
    return next((each.index for each in after), len(run.events))  # the step's commit is made before the next query


def _commit(run: Run, last: int) -> str:
    """Return the newest commit of the workspace up to an event; the commit before the run if there is no change yet."""
    known: Sequence[Event] = [each for each in run.events[: last + 1] if each.kind in ("change", "note")]
    commits = [each.native_id for each in known if _is_commit(each.native_id)]
    if not commits:
        raise RunArgumentError("the recording holds no state of the workspace from before that")
    return commits[-1]


def _is_commit(name: str) -> bool:
    return len(name) in (40, 64) and all(digit in "0123456789abcdef" for digit in name)


def _write(repository: Path, commit: str, output: Path, *, change: bool) -> None:
    from dap_ai.debuggees.runs.live.workspace.git import GitError  # noqa: PLC0415  not needed for --help
    from dap_ai.debuggees.runs.live.workspace.workspace_states import states_of  # noqa: PLC0415  imported on use

    try:
        output.mkdir(parents=True, exist_ok=True, mode=0o700)
        with states_of(repository) as states:
            if change:
                states.write_change(commit, output / "before", output / "after")
            else:
                states.write(commit, output)
    except (GitError, OSError) as error:
        raise RunArgumentError(f"{path_shown(str(output))}: cannot be restored: {error}") from error
