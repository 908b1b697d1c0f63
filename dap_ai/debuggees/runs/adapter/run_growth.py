"""A run of which only the beginning was read when it opened: what a session is told as the rest is read beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Event, Run

_MEGABYTE = 1_000_000


class BackgroundReader(Protocol):
    """What reads on, beside the session."""

    def begin(self, tell: Callable[[Growth], None]) -> None:
        """Reads on, where nobody does; `tell` takes each piece, beside the session."""
        ...

    def end(self) -> None:
        """Reads no further; `begin` goes on."""
        ...


class Growth(NamedTuple):
    """How far it is. `run` is None where nothing is known yet that was not known before."""

    rest: BackgroundReader
    read_bytes: int
    all_bytes: int
    run: Run | None = None
    analysed: Analysed | None = None
    """Of a run that is whole: nothing comes after this."""
    failed: str = ""
    """Why no more can be read: what is known stays."""

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after this."""
        return self.analysed is not None or bool(self.failed)

    @property
    def percentage(self) -> int:
        """Of the bytes."""
        return min(100, 100 * self.read_bytes // max(1, self.all_bytes))

    @property
    def words(self) -> str:
        """`the first 16 of 200 MB`."""
        return f"the first {self.read_bytes // _MEGABYTE:,} of {self.all_bytes // _MEGABYTE:,} MB"


class PartialAnalysis:
    """The analysis of a run that is not read to its end: there is none. See Analysed."""

    is_due = False

    def begin(self) -> bool:
        """It cannot be begun."""
        return False

    def __call__(self) -> RunAnalysis:
        """Nothing."""
        return _NOTHING


_NOTHING = RunAnalysis()


class ReadProgress:
    """What a client that shows it is told of the reading, by DAP's events; `emit` sends one."""

    def __init__(self, emit: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._emit = emit
        self._number = 0
        self._ident = ""
        self.is_shown = False
        """Whether the client shows it."""

    def is_named(self, ident: str) -> bool:
        """Whether a client means the one that it is shown."""
        return bool(ident) and ident == self._ident

    def goes_on(self, growth: Growth) -> None:
        """A piece is read, or a part of one."""
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
        """Nothing is read any more."""
        if self._ident:
            self._emit("progressEnd", {"progressId": self._ident})
        self._ident = ""


def settled(run: Run) -> Run:
    """A beginning without its last cycle: what follows in the file may still belong to that."""
    last = run.events[-1] if run.events else None
    ends = len(run.events) - 1
    if last is not None and last.cycle:
        ends = next(e.index for e in run.events if e.agent == last.agent and e.cycle == last.cycle) or ends
    run.events = run.events[: max(ends, 1)]
    return run


def goes_on(before: Run, after: Run) -> bool:
    """Whether a run begins as was known. Else more of it has shown another order, or others who speak."""
    if len(after.events) < len(before.events):
        return False
    return all(map(_alike, before.events, after.events)) and (
        [agent.name for agent in before.agents] == [agent.name for agent in after.agents][: len(before.agents)]
    )


def place_in(run: Run, event: Event) -> int:
    """The index at which an event now stands, that was known under another; else the nearest one."""
    found = (each.index for each in run.events if each.ref == event.ref and each.kind == event.kind)
    return next(found, min(event.index, len(run.events) - 1))


def _alike(one: Event, other: Event) -> bool:
    return (one.kind, one.ref, one.agent, one.step) == (other.kind, other.ref, other.agent, other.step)
