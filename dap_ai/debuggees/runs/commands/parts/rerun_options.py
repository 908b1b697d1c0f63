"""Reruns a recorded agent for the commands `replay`, `fork` and `retry`, and compares both runs."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.commands.display.command_output import say, warn
from dap_ai.debuggees.runs.commands.parts.replay_options import ReplayOptions, recording_folder
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError
from dap_ai.debuggees.runs.commands.parts.run_comparison import RunComparison, compare_recordings
from dap_ai.debuggees.runs.commands.parts.run_output import print_json
from dap_ai.debuggees.runs.commands.parts.visible_texts import few
from dap_ai.debuggees.runs.live.endpoint_plan import Edit, EditedResult, InsertedText, Plan
from dap_ai.debuggees.runs.live.record_agent import CannotRecord
from dap_ai.debuggees.runs.live.replay.replay_run import (
    COPY,
    CheckResult,
    WorkspaceView,
    checked,
    found,
    missing_names,
    prepared,
    replayed,
)
from dap_ai.debuggees.runs.live.replay.tape import CannotReplay, Tape
from dap_ai.debuggees.runs.live.replay.workspace_copy import remove
from dap_ai.debuggees.runs.readers.json_shapes import array, table, whole, words
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.store import FILE, FORMAT, Recording

_OUTPUT_CHARACTERS = 4_000
_MANY = 12


def tape_of(path: Path, run: Run) -> Tape:
    """Return the run's recording for a replay. Raises RunArgumentError, which says why it can't be replayed."""
    if run.format != FORMAT:
        raise RunArgumentError(
            f"{path}: a run of the format {run.format} cannot be run again: it holds neither the agent's command "
            "nor what the model was asked, word for word.\n"
            "Record the agent with `dap-ai record -- COMMAND`; that can be replayed."
        )
    try:
        return Tape(path if path.is_dir() else path.parent)
    except CannotReplay as error:
        raise RunArgumentError(str(error)) from error


def inherited(tape: Tape) -> list[Edit]:
    """Return the edits of the fork that made this recording; a rerun of the recorded agent needs them again."""
    edits = list[Edit]()
    for place, row in enumerate(array(table(tape.head.get("parent")).get("edits"))):
        edit = msgspec.convert(row, Edit)
        if isinstance(edit, InsertedText):
            learnt = next((each for each in tape.rows if each.get("edit") == place), None)
            edit = InsertedText(whole(learnt.get("query")) or 0, edit.text) if learnt else None
        edits += [edit] if isinstance(edit, (InsertedText, EditedResult)) else []
    return edits


def run_again(run: Run, tape: Tape, plan: Plan, made: Mapping[str, Any], wanted: ReplayOptions) -> None:
    """Rerun the agent, print both outcomes, and exit: 0 or 1 for a check or a replay, else the agent's exit code."""
    folder = recording_folder(wanted.out, f"{made['kind']}-{Path((tape.command or ['run'])[0]).name}")
    path = tape.folder
    parent = {"run": str(path.resolve()), **made}
    command = wanted.command or tape.command
    try:
        found(command, tape)
        place = prepared(tape, tape.first_commit, folder / COPY, wanted.workspace, without=[folder])
    except CannotReplay as error:
        _discard(folder)
        raise RunArgumentError(str(error)) from error
    _announce(tape, place, folder)
    try:
        code = replayed(tape, plan, command, place, folder, parent, aside=wanted.as_json)
    except (CannotRecord, CannotReplay, OSError) as error:
        remove(place.copy)
        raise RunArgumentError(f"{path}: cannot be run again: {error}") from error
    checks = _checks(wanted.check, tape, place, folder, wanted.workspace) if wanted.check else None
    both = compare_recordings(path, run, tape, folder, checks)
    if wanted.as_json:
        print_json([both.fields()])
    else:
        for line in both.lines():
            click.echo(line)
    _end(place, folder, keep=wanted.keep)
    raise SystemExit(_code(both, code, made["kind"], checks))


def _announce(tape: Tape, place: WorkspaceView, folder: Path) -> None:
    warn(f"recording to {folder}")
    if place.is_mounted:
        warn(f"the agent works in a copy, which it sees at {place.workspace}")
    else:
        warn(f"the agent works in a copy, {place.copy}: it cannot be seen at {place.workspace} here, so paths differ")
    for line in place.words:
        warn(line)
    if missing := missing_names(tape, os.environ):
        warn(f"set when it was recorded, and not now: {few(missing, _MANY)}")


def _checks(
    command: str, tape: Tape, place: WorkspaceView, folder: Path, now: Path | None
) -> tuple[CheckResult | None, CheckResult]:
    """Run the check in the final states of both runs; return (original result, new result).

    Records the new result. The original result is None if the original run's state is not recorded.
    """
    cwd = words(tape.head.get("cwd")) or place.workspace
    before: CheckResult | None = None
    if tape.repository is not None:
        scratch = Path(tempfile.mkdtemp(prefix="dap-ai-"))
        try:
            before = checked(command, prepared(tape, tape.last_commit, scratch / COPY, now, without=[folder]), cwd)
        except CannotReplay as error:
            warn(f"the check cannot be run in the state that the run left: {error}")
        finally:
            remove(scratch)
    after = checked(command, place, cwd)
    recording = Recording(folder, {})
    output = after.output[-_OUTPUT_CHARACTERS:]
    recording.event({"check": command, "exit_code": after.code, "output": output, "at": time.time()})
    recording.close()
    return before, after


def _end(place: WorkspaceView, folder: Path, *, keep: bool) -> None:
    """Delete the workspace's copy unless `keep`, because the recording has its states except for ignored files."""
    if keep:
        warn(f"the copy is kept: {place.copy}")
    else:
        remove(place.copy)
    shown = shlex.quote(str(folder))
    warn(f"recorded in {folder}; look at it with:")
    for line in (f"dap-ai run show {shown}", f"dap-ai run compare {shown}"):
        say(f"    {line}", err=True)


def _discard(folder: Path) -> None:
    """Delete the folder of the new recording if nothing was recorded."""
    if not (folder / FILE).exists():
        shutil.rmtree(folder, ignore_errors=True)


def _code(both: RunComparison, agent: int, kind: str, checks: tuple[CheckResult | None, CheckResult] | None) -> int:
    """Return 0 or 1 for the check; without a check, 1 for a replay that differs, or else the agent's exit code."""
    if checks is not None:
        return 0 if checks[1].code == 0 else 1
    if kind == "replay":
        return 1 if both.differs else 0
    return agent
