"""The document `run.md`, with one line per event, and the mapping between its lines and events."""

from __future__ import annotations

from dap_ai.debuggees.runs.event_titles import line, title
from dap_ai.debuggees.runs.gist import name_of
from dap_ai.debuggees.runs.run_model import Event, Run

RUN_FILE = "run.md"
HEAD_LINES = 2
"""Number of lines in `run.md` above the first event."""


def run_document(run: Run, known: str = "", first: int = 0) -> str:
    """Return the text of `run.md`: two lines about the run, then one line for each event from `first` on.

    `known` says how much of the run has been read; empty means the whole run.
    """
    verdict = f"{run.outcome.verdict} {run.outcome.words}".strip()
    about = f"{run.steps} steps in {known}" if known else f"{run.steps} steps, outcome: {verdict}"
    head = [f"# {line(name_of(run))}", line(f"{run.format}, {about}")]
    agents = len(run.agents) > 1
    return "\n".join([*head, *(_row(event, named=agents) for event in run.events[first:]), ""])


def line_of(index: int) -> int:
    """Return the 1-based line of an event in `run.md`."""
    return index + HEAD_LINES + 1


def index_of(line_number: int) -> int:
    """Return the index of the event at a line; 0 for the lines above the first event."""
    return max(0, line_number - HEAD_LINES - 1)


def _row(event: Event, *, named: bool) -> str:
    indent = "  " if event.kind in ("call", "result", "change") else ""
    who = f"{line(event.agent, 40)}: " if named else ""
    return f"{indent}{who}{title(event)}"
