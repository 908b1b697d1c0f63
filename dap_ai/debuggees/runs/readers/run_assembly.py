"""Builds a Run from a timeline of events and the fields that the reader knows."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_model import Run


def finished(path: Path, name: str, timeline: Timeline, *, by_time: bool, **facts: Any) -> Run:
    """Return the run at `path` with the events of `timeline`. `facts` are further fields of the Run.

    `by_time` sorts the events by time. `seconds` defaults to the time from the first to the last event.
    """
    if by_time:
        timeline.sort_by_time()
    timeline.tell_unanswered()
    start = timeline.finish()
    last = max((event.at_s for event in timeline.events if event.at_s is not None), default=None)
    facts.setdefault("seconds", last)
    facts.setdefault("artefacts", [""])
    return Run(
        root=str(path.resolve()),
        format=name,
        agents=timeline.agents,
        events=timeline.events,
        problems=timeline.problems,
        started=iso(start),
        **facts,
    )


def iso(seconds: float | None) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC. Empty for None and for values outside the calendar."""
    if seconds is None:
        return ""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.timezone.utc).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
