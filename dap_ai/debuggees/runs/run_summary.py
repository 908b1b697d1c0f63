"""A run in one row: what `dap-ai run list` shows, and what a scan of many keeps."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dap_ai.debuggees.runs.gist import task_of
from dap_ai.debuggees.runs.run_model import Run, Verdict

_MAX_TASK_CHARACTERS = 200
MAX_PROBLEMS = 100


class RunRow(msgspec.Struct, frozen=True):
    """One run; a field is None or "" where nothing is recorded. Its fields are the keys of `run list --json`."""

    path: str
    format: str
    agent: str
    """The main agent's name."""
    model: str
    task: str
    """On one line, cut."""
    steps: int
    outcome: Verdict
    cost_usd: float | None
    seconds: float | None
    problems: Sequence[str]
    """What was not understood; of a run that cannot be read the reason alone. The first hundred."""


def row_of(path: str, run: Run) -> RunRow:
    """The row of a run that was read."""
    main = run.agents[0] if run.agents else None
    task = " ".join(task_of(run.task)[: 20 * _MAX_TASK_CHARACTERS].split())
    return RunRow(
        path=path,
        format=run.format,
        agent=main.name if main else "",
        model=main.model if main else "",
        task=task[:_MAX_TASK_CHARACTERS],
        steps=run.steps,
        outcome=run.outcome.verdict,
        cost_usd=run.cost_usd,
        seconds=run.seconds,
        problems=[problem.text for problem in run.problems[:MAX_PROBLEMS]],
    )


def row_of_unreadable(path: str, reason: str, reader: str = "") -> RunRow:
    """The row of a run that cannot be read, and why; `reader`: the name of the one that took it for its own."""
    return RunRow(path, reader, "", "", "", 0, "unknown", None, None, [reason])
