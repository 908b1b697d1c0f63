"""The weights of the ranking, each with what it multiplies. Fitted by `benchmarks/diagnosis.py --fit`, not by hand."""

from __future__ import annotations

WEIGHTS = {
    "distance": 0.93,
    "passed": 0.35,
    "module level": 0.35,
    "display": 0.5,
    "of the test": 0.3,
    "decides": 0.85,
    "passes": 0.8,
    "writes": 0.8,
    "ends": 0.9,
    "rule": 4.0,
    "not run": 0.6,
    "oddity": 6.0,
    "tried in vain": 0.85,
    "fix passes": 0.8,
    "fix proved": 4.0,
}
"""`distance`: for each dependence back. `passed`: exponent for the passing checks that depend on the line, too. The
roles of evidence.dependence.Part that have no weight have 1. `rule` and `oddity`: added to 1, times how sure each is.
`not run`: a line that a rule names because something is missing there. `tried in vain`: all small changes of it fail.
`fix passes`, `fix proved`: added to 1, times how likely the fix is meant."""
