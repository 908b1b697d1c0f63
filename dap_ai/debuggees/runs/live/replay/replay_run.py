"""Reruns a recorded command in a copy of its workspace, and runs checks there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dap_ai.debuggees.runs.live.endpoint_plan import Plan
from dap_ai.debuggees.runs.live.record_agent import Keeper, RecordRequest, ReplayLaunch, run_agent
from dap_ai.debuggees.runs.live.replay.tape import CannotReplay, Tape
from dap_ai.debuggees.runs.live.replay.workspace_copy import made, whole
from dap_ai.debuggees.runs.live.wire.apis.message_edits import rewritten
from dap_ai.debuggees.runs.readers.json_shapes import array, words
from dap_ai.system import child_python

COPY = "copy"
"""Name of the workspace's copy in the new recording's folder."""


class WorkspaceView(NamedTuple):
    """A copy of a workspace in which commands run as if in the original."""

    copy: Path
    workspace: str
    """Path of the workspace when it was recorded."""
    is_mounted: bool
    """Whether the copy is mounted at the recorded path; otherwise commands use the copy's own path."""
    words: Sequence[str]
    """Sentences about differences from the recorded workspace."""

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], Path]:
        """Return the command line and working directory that run `argv` in the copy."""
        inside = self._inside(cwd)
        inside.mkdir(parents=True, exist_ok=True)
        if self.is_mounted:
            return _mounted_command(self.copy, self.workspace, cwd, argv), self.copy
        return rewritten(list(argv), self.workspace, str(self.copy)), inside

    def _inside(self, cwd: str) -> Path:
        path = Path(cwd)
        return self.copy / path.relative_to(self.workspace) if path.is_relative_to(self.workspace) else path


def prepared(tape: Tape, commit: str, to: Path, now: Path | None, *, without: Sequence[Path] = ()) -> WorkspaceView:
    """Copy the workspace's state at a commit; `now` is the workspace's current directory. Raises CannotReplay."""
    repository = tape.repository
    workspace = tape.workspace or str(now or "")
    if repository is None:
        if now is None:
            raise CannotReplay(
                f"{tape.folder} holds no states of a workspace, so that the agent would work on what is there today: "
                "--workspace DIR names a directory of which it gets a copy"
            )
        told = [f"the copy is of {now} as it is today: the recording holds no state of it", *whole(now, to)]
    else:
        told = made(repository, commit, now or Path(workspace), to, without=[*without, tape.folder, to])
    return WorkspaceView(to, workspace, _can_mount(to, workspace), told)


def found(command: Sequence[str], tape: Tape) -> list[str]:
    """Return a recorded command with its program's full path. Raises CannotReplay."""
    if not command:
        raise CannotReplay(f"{tape.folder} names no command: give it after --")
    program = shutil.which(command[0])
    if program is None:
        raise CannotReplay(f"{command[0]}, the recorded command, cannot be found here: give another after --")
    return [program, *command[1:]]


def missing_names(tape: Tape, environ: Mapping[str, str]) -> list[str]:
    """Return the names of environment variables that were set when the run was recorded and are not set now."""
    return [words(name) for name in array(tape.head.get("environ")) if words(name) not in environ]


def replayed(  # noqa: PLR0917  the parts of a replay
    tape: Tape,
    plan: Plan,
    command: Sequence[str],
    place: WorkspaceView,
    folder: Path,
    parent: Mapping[str, Any],
    *,
    aside: bool,
) -> int:
    """Rerun the command on this process's terminal and return its exit code.

    With `aside`, the agent's stdout goes to this process's stderr. `folder` is the folder of the new recording, in
    which `parent` describes the original run. Raises CannotRecord, CannotReplay and OSError.
    """
    program = found(command, tape)
    cwd = words(tape.head.get("cwd")) or place.workspace
    argv, directory = place.command(program, cwd)
    paths = None if place.is_mounted else (place.workspace, str(place.copy))
    restore = tape.commit_before(plan.until) if plan.until is not None and tape.repository else ""
    plan = msgspec.structs.replace(plan, paths=paths, restore=restore)
    made = {**parent, "edits": msgspec.to_builtins(plan.edits)}
    head = {"cwd": cwd, "workspace": place.workspace, "command": list(command), "parent": made}
    environ = {**os.environ, "PWD": cwd if place.is_mounted else str(directory)}
    wish = RecordRequest(program, folder, place.copy, environ, ReplayLaunch(plan, argv, directory, head, aside))
    keeper = Keeper(wish)
    code = 126
    try:
        code = run_agent(wish, keeper)
    finally:
        keeper.end(code)
    return code


class CheckResult(NamedTuple):
    """Exit code of a check command, and its output: stdout, then stderr."""

    code: int
    output: str


def checked(command: str, place: WorkspaceView, cwd: str) -> CheckResult:
    """Run a check command in a workspace copy; its files are discarded with the copy. Raises OSError."""
    argv, directory = place.command(["/bin/sh", "-c", command], cwd)
    if not place.is_mounted:
        argv = ["/bin/sh", "-c", rewritten(command, place.workspace, str(place.copy))]
    ran = subprocess.run(  # noqa: S603  the user's own command
        argv, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return CheckResult(ran.returncode, (ran.stdout + ran.stderr).decode("utf-8", "replace"))


def _mounted_command(copy: Path, workspace: str, cwd: str, argv: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs `argv` through mount_namespace.py."""
    return child_python.command(
        "dap_ai.debuggees.runs.live.replay.mount_namespace:main", str(copy), workspace, cwd, *argv
    )


def _can_mount(copy: Path, workspace: str) -> bool:
    if sys.platform != "linux" or not Path(workspace).is_dir():
        return False
    try:
        asked = _mounted_command(copy, workspace, workspace)
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0  # noqa: S603  ours
    except OSError:
        return False
