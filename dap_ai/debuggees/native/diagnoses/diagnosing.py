"""The native analysis of a stop: the first family of diagnoses that knows what it is."""

from __future__ import annotations

from collections.abc import Callable

from dap_ai.agent.case.stack import Case
from dap_ai.debuggees.native.analysis.analysis import NativeAnalysis, failing
from dap_ai.debuggees.native.analysis.draft import Draft
from dap_ai.debuggees.native.diagnoses import arithmetic, bounds, claims, memory, others, pointers, recursion, threads

_FAMILIES: tuple[Callable[[Draft], bool], ...] = (
    recursion.diagnose,
    threads.diagnose,
    memory.diagnose,
    bounds.diagnose,
    arithmetic.diagnose,
    claims.diagnose,
    pointers.diagnose,
    others.diagnose,
)
"""The last one takes all."""


def analyse(case: Case) -> NativeAnalysis | None:
    """None: no frame has source of the user's."""
    place = failing(case)
    if place is None:
        return None
    draft = Draft(case, place)
    next(family for family in _FAMILIES if family(draft))
    return draft.done()
