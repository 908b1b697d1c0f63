"""Target of `dap-ai ask --run`, which asks about a recorded run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from dap_ai.commands.running.run_targets import TargetSession
from dap_ai.commands.running.start_debuggee import Debugged
from dap_ai.commands.target_kinds import Make, TargetRequest
from dap_ai.debuggees.runs.analysis.analyse import analyse, analyse_against
from dap_ai.debuggees.runs.answer import ASKS
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.readers.base import CannotRead
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.settings.configuration import Resolved


def look(wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """Return a function that makes the target for `ask --run`.

    Raises UsageError if no reader can read the run.
    """
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
    return lambda _: RunTarget(path, onset.step if onset else "end", against)


def _opened(option: str, path: str) -> Run:
    """Return the run at `path`. Raises UsageError if the run cannot be read."""
    try:
        return open_run(path)
    except CannotRead as error:
        raise click.UsageError(f"{option}: {error}") from error


class RunTarget(Debugged):
    """A recorded run as the target of `ask`. The session stops at one step, answers, and never resumes."""

    initialize: Mapping[str, Any] = {"adapterID": "agents", "supportsVariableType": True}
    stops_at_exceptions = False
    asks = ASKS
    on_cancel = "cancelling; press Ctrl-C again to leave"

    def __init__(self, path: str, stop_at: int | str, against: str = "") -> None:
        """Set the run's path and the step to stop at; `against` is the path of another run of the same task."""
        self._path = path
        self._against = against
        self._stop_at = stop_at

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return a launch request with the run's path and the step to stop at."""
        del session, capabilities
        against = {"against": self._against} if self._against else {}
        return "launch", {"run": self._path, "stopAt": self._stop_at, **against}

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Drop output events, which are for an editor's console."""
        del session
        return None if name == "output" else body
