"""One-row summary of a run, shown by `dap-ai run list` and stored by `dap-ai run scan`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dap_ai.debuggees.runs.gist import task_of
from dap_ai.debuggees.runs.run_model import Run, Verdict

_MAX_TASK_CHARACTERS = 200
MAX_PROBLEMS = 100


class RunRow(msgspec.Struct, frozen=True):
    """Summary of one run; a missing value is None or an empty string. Field names are the keys of `run list --json`."""

    path: str
    format: str
    agent: str
    """The main agent's name."""
    model: str
    task: str
    """The task on one line, cut to 200 characters."""
    steps: int
    outcome: Verdict
    cost_usd: float | None
    seconds: float | None
    problems: Sequence[str]
    """Problems that the reader found, at most 100; for an unreadable run, only the reason."""


def row_of(path: str, run: Run) -> RunRow:
    """Return the row of a readable run."""
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
    """Return the row of an unreadable run, with the reason; `reader` names the reader that recognized the run."""
    return RunRow(path, reader, "", "", "", 0, "unknown", None, None, [reason])
