"""The client's breakpoints as a table for the gate, and later hits of those that only analysis can decide. Pure."""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, why
from dap_ai.debuggees.runs.adapter.stopping.run_breakpoints import RunBreakpoints
from dap_ai.debuggees.runs.live.gate.orders import BreakpointRow, BreakpointTable
from dap_ai.debuggees.runs.live.gate.stop_table import LIVE

_KINDS = {"functions": "function", "filters": "filter", "data": "data"}


def table_of(breakpoints: RunBreakpoints) -> BreakpointTable:
    """Return the table of all breakpoints except line breakpoints, which are on past events."""
    rows = [
        BreakpointRow(stop.ident, kind, stop.asked)  # type: ignore[arg-type]
        for name, kind in _KINDS.items()
        for stop in breakpoints.of(name)
        if kind != "filter" or stop.filter in LIVE or stop.filter == "budget"
    ]
    return BreakpointTable(rows)


class AnalysisHit(NamedTuple):
    """A breakpoint that analysis has hit."""

    ident: int
    filter: str
    says: str
    at: int
    """Index of the event."""


def late_hit(breakpoints: RunBreakpoints, facts: RunFacts, judged: set[tuple[int, int]]) -> AnalysisHit | None:
    """Return the first hit that is not in `judged` and add it there; None if there is none."""
    stops = [each for each in breakpoints.of("filters") if each.filter not in LIVE and each.filter != "budget"]
    if not stops or not facts.analysed.is_due:
        return None
    for event in facts.run.events:
        for stop in stops:
            if (stop.ident, event.index) not in judged and stop.takes(event, facts):
                judged.add((stop.ident, event.index))
                says = why(stop.filter, event, facts) or FILTERS[stop.filter].label
                return AnalysisHit(stop.ident, stop.filter, says, event.index)
    return None
