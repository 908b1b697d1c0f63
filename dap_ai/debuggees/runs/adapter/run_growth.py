"""Growth of a large run: its beginning is shown while the rest is read in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Event, Run

_MEGABYTE = 1_000_000


class BackgroundReader(Protocol):
    """Reads the rest of a run in the background."""

    def begin(self, tell: Callable[[Growth], None]) -> None:
        """Start reading unless reading is in progress; another thread calls `tell` with each portion."""
        ...

    def end(self) -> None:
        """Stop reading; `begin` resumes."""
        ...


class Growth(NamedTuple):
    """Progress of reading a run; `run` is None if there are no further events yet."""

    rest: BackgroundReader
    read_bytes: int
    all_bytes: int
    run: Run | None = None
    analysed: Analysed | None = None
    """Analysis of the complete run, only in the last message."""
    failed: str = ""
    """Why the rest of the run can't be read; the events that were read before stay valid."""

    @property
    def is_last(self) -> bool:
        """Whether no further progress follows."""
        return self.analysed is not None or bool(self.failed)

    @property
    def percentage(self) -> int:
        """Percentage of bytes read, 0 to 100."""
        return min(100, 100 * self.read_bytes // max(1, self.all_bytes))

    @property
    def words(self) -> str:
        """Progress as text: `the first 16 of 200 MB`."""
        return f"the first {self.read_bytes // _MEGABYTE:,} of {self.all_bytes // _MEGABYTE:,} MB"


class PartialAnalysis:
    """Empty analysis of a run that has not been read completely; implements background_analysis.Analysed."""

    is_due = False

    def begin(self) -> bool:
        """Return False, because an incomplete run is not analysed."""
        return False

    def __call__(self) -> RunAnalysis:
        """Return an empty analysis."""
        return _NOTHING


_NOTHING = RunAnalysis()


class ReadProgress:
    """Shows the reading progress with DAP events, if the client supports them; `emit` sends a DAP event."""

    def __init__(self, emit: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._emit = emit
        self._number = 0
        self._ident = ""
        self.is_shown = False
        """Whether the client supports progress reporting."""

    def is_named(self, ident: str) -> bool:
        """Return whether `ident` is the id of the progress that is shown."""
        return bool(ident) and ident == self._ident

    def goes_on(self, growth: Growth) -> None:
        """Show the progress."""
        if growth.is_last:
            self.end()
        elif self.is_shown:
            name, more = "progressUpdate", {}
            if not self._ident:
                self._number += 1
                self._ident = f"run-{self._number}"
                name, more = "progressStart", {"title": "Reading the run", "cancellable": True}
            told = {"message": growth.words, "percentage": growth.percentage}
            self._emit(name, {"progressId": self._ident, **more, **told})

    def end(self) -> None:
        """End the progress display."""
        if self._ident:
            self._emit("progressEnd", {"progressId": self._ident})
        self._ident = ""


def settled(run: Run) -> Run:
    """Remove the last cycle of a partially read run, because unread parts of the file may belong to that cycle."""
    last = run.events[-1] if run.events else None
    ends = len(run.events) - 1
    if last is not None and last.cycle:
        ends = next(e.index for e in run.events if e.agent == last.agent and e.cycle == last.cycle) or ends
    run.events = run.events[: max(ends, 1)]
    return run


def goes_on(before: Run, after: Run) -> bool:
    """Return whether `after` begins like `before`. If not, unread parts have changed the order of events or agents."""
    if len(after.events) < len(before.events):
        return False
    return all(map(_alike, before.events, after.events)) and (
        [agent.name for agent in before.agents] == [agent.name for agent in after.agents][: len(before.agents)]
    )


def place_in(run: Run, event: Event) -> int:
    """Return the event's index in a newly read run; the nearest index if the run does not contain the event."""
    found = (each.index for each in run.events if each.ref == event.ref and each.kind == event.kind)
    return next(found, min(event.index, len(run.events) - 1))


def _alike(one: Event, other: Event) -> bool:
    return (one.kind, one.ref, one.agent, one.step) == (other.kind, other.ref, other.agent, other.step)
