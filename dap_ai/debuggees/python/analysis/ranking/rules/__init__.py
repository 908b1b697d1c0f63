"""Rules of known mistakes. Each looks at one function and gives findings; none is sure by itself."""

from __future__ import annotations

from dap_ai.debuggees.python.analysis.ranking.findings import Rule
from dap_ai.debuggees.python.analysis.ranking.rules import (
    awaiting,
    bounds,
    closures,
    conditions,
    dropped,
    guards,
    iterators,
    keys,
    names,
    nothing,
    races,
    returns,
    shadowing,
    sharing,
    ties,
)

TABLE: list[Rule] = [
    *bounds.RULES,
    *returns.RULES,
    *names.RULES,
    *iterators.RULES,
    *shadowing.RULES,
    *sharing.RULES,
    *races.RULES,
    *closures.RULES,
    *conditions.RULES,
    *nothing.RULES,
    *guards.RULES,
    *dropped.RULES,
    *ties.RULES,
    *keys.RULES,
    *awaiting.RULES,
]
