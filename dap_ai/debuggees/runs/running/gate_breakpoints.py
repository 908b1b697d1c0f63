"""The client's breakpoints as a table for the gate, and hits that only the later analysis finds. Does no I/O."""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, why
from dap_ai.debuggees.runs.adapter.stopping.run_breakpoints import RunBreakpoints
from dap_ai.debuggees.runs.live.gate.orders import BreakpointRow, BreakpointTable
from dap_ai.debuggees.runs.live.gate.stop_table import LIVE

_KINDS = {"functions": "function", "filters": "filter", "data": "data"}


def table_of(breakpoints: RunBreakpoints) -> BreakpointTable:
    """Return the table of breakpoints that the gate decides. Line breakpoints are left out: they are on past events."""
    rows = [
        BreakpointRow(stop.ident, kind, stop.asked)  # type: ignore[arg-type]
        for name, kind in _KINDS.items()
        for stop in breakpoints.of(name)
        if kind != "filter" or stop.filter in LIVE or stop.filter == "budget"
    ]
    return BreakpointTable(rows)


class AnalysisHit(NamedTuple):
    """Hit of a breakpoint that only the analysis finds."""

    ident: int
    filter: str
    says: str
    at: int
    """Index of the event with the hit."""


def late_hit(breakpoints: RunBreakpoints, facts: RunFacts, judged: set[tuple[int, int]]) -> AnalysisHit | None:
    """Return the first hit that is not in `judged`, and add the hit there; None without a new hit."""
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
