"""A Run from what a timeline and a reader know."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_model import Run


def finished(path: Path, name: str, timeline: Timeline, *, by_time: bool, **facts: Any) -> Run:
    """The run at `path`; `facts` are fields of Run. `seconds` is from the first to the last time, where not given."""
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
    """Seconds since 1970 as ISO 8601 in UTC; "" for None, and for what no calendar has."""
    if seconds is None:
        return ""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.timezone.utc).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
