"""Rules of known mistakes, a file for each family. Each looks at one function and gives findings.

No rule is sure by itself: its finding has a weight, and what the values at the stop or a run show refutes or confirms
it. To add one: a function in a file here, and its line in the table below.
"""

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
