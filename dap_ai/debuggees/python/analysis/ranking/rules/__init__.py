"""Rules for known mistakes, one file per family. Each rule examines one function and yields findings.

No rule is certain by itself: its finding has a weight, and the values at the stop or in a run refute or confirm it. To
add a rule, write a function in one of these files and add it to that file's `RULES`.
"""

from __future__ import annotations

from dap_ai.debuggees.python.analysis.ranking.rules import (
    awaiting,
    bounds,
    closures,
    conditions,
    dropped_results,
    guards,
    iterators,
    keys,
    names,
    none_values,
    races,
    returns,
    shadowing,
    sharing,
    ties,
)
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import Rule

_SUBJECTS = (
    bounds, returns, names, iterators, shadowing, sharing, races, closures, conditions, none_values, guards,
    dropped_results, ties, keys, awaiting,
)  # fmt: skip
TABLE: list[Rule] = [rule for subject in _SUBJECTS for rule in subject.RULES]
