"""Finds the diagnosis of a native stop. The first family of failures that matches the stop wins."""

from __future__ import annotations

from collections.abc import Callable

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis, failing
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder
from dap_ai.debuggees.native.diagnoses import (
    arithmetic,
    claims,
    freed_memory,
    index_bounds,
    others,
    pointers,
    recursion,
    threads,
)

_FAMILIES: tuple[Callable[[ReportBuilder], bool], ...] = (
    recursion.diagnose,
    threads.diagnose,
    freed_memory.diagnose,
    index_bounds.diagnose,
    arithmetic.diagnose,
    claims.diagnose,
    pointers.diagnose,
    others.diagnose,
)
"""Diagnoses in the order in which they are tried. The last one matches every stop."""


def analyse(case: StopSnapshot) -> NativeAnalysis | None:
    """Analyse a native stop. Return None if no frame has source of the user's program."""
    place = failing(case)
    if place is None:
        return None
    draft = ReportBuilder(case, place)
    next(family for family in _FAMILIES if family(draft))
    return draft.done()
