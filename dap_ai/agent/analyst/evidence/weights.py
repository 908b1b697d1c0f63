"""The weights of the ranking: data, fitted by `benchmarks/diagnosis.py --fit`, not set by hand."""

from __future__ import annotations

WEIGHTS = {
    "distance": 0.93,
    "spectrum": 0.7,
    "module": 0.35,
    "display": 0.5,
    "test": 0.3,
    "decides": 0.85,
    "passes": 0.8,
    "writes": 0.8,
    "ends": 0.9,
    "hands on": 0.5,
    "calls": 0.8,
    "rule": 3.0,
    "oddity": 3.0,
    "not run": 0.6,
    "tried in vain": 0.85,
    "fix passes": 0.8,
    "fix proved": 4.0,
}
"""`distance`: for each dependence back from the failure. `spectrum`: exponent of Ochiai. `module`, `display`, `test`,
`not run`: factors for lines at module level, that only hold data, that check others, that a rule names though they did
not run. `decides` to `calls`: factors by the part in the failing value; others have 1. `rule`, `oddity`, `fix passes`,
`fix proved`: added to 1, times how sure each is. A rule's own name: a factor of how sure it is. `tried in vain`: where
small changes of the line were tried, and none passed."""
