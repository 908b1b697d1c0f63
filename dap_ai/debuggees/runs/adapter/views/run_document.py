"""A run as a document of one line an event, and the line of each."""

from __future__ import annotations

from dap_ai.debuggees.runs.event_titles import line, title
from dap_ai.debuggees.runs.gist import name_of
from dap_ai.debuggees.runs.run_model import Event, Run

RUN_FILE = "run.md"
HEAD_LINES = 2
"""Lines of `run.md` above the first event."""


def run_document(run: Run, known: str = "", first: int = 0) -> str:
    """`run.md`: two lines about the run, then one for each event from `first` on.

    `known` says how much of the run is read, where it is not all.
    """
    verdict = f"{run.outcome.verdict} {run.outcome.words}".strip()
    about = f"{run.steps} steps in {known}" if known else f"{run.steps} steps, outcome: {verdict}"
    head = [f"# {line(name_of(run))}", line(f"{run.format}, {about}")]
    agents = len(run.agents) > 1
    return "\n".join([*head, *(_row(event, named=agents) for event in run.events[first:]), ""])


def line_of(index: int) -> int:
    """The line of `run.md`, 1-based, at which an event stands."""
    return index + HEAD_LINES + 1


def index_of(line_number: int) -> int:
    """The event that stands at a line, or the nearest one below."""
    return max(0, line_number - HEAD_LINES - 1)


def _row(event: Event, *, named: bool) -> str:
    indent = "  " if event.kind in ("call", "result", "change") else ""
    who = f"{line(event.agent, 40)}: " if named else ""
    return f"{indent}{who}{title(event)}"
