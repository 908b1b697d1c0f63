"""Rules of known mistakes, a file for each family. Each looks at one function and gives findings.

No rule is sure by itself: its finding has a weight, and what the values at the stop or a run show refutes or confirms
it. To add one: a function in a file here, and its line in the table below.
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
