"""Weights of all evidence in the line ranking: data, fitted by `benchmarks/diagnosis.py --fit`.

Evidence from neighbour tests has its own weights, in `contrast/spectrum.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Weights:
    """Weights from 0 to 1. Those that lower a score are factors."""

    # A rule's own confidence in a line.
    sure: float = 0.9
    likely: float = 0.8
    fair: float = 0.6
    possible: float = 0.5
    faint: float = 0.35
    unseen: float = 0.15
    """Weight of a line that is wrong only if a rerun shows that the suspected mistake happened."""

    # Evidence from the source text.
    outside: float = 0.85
    """Factor for a rule's line outside the slice."""
    away: float = 0.97
    """Factor for each call between a rule's line and the failure."""
    failed: float = 0.3
    """Weight of the line that crashed."""
    failed_check: float = 0.02
    held: float = 0.8
    """Weight of the top suspect for an exception stored in a value of a failed check."""
    caller: float = 0.2
    """Weight of a line known only to have called the failing line."""
    step: float = 0.3
    """Weight of a step of the slice, before factors."""
    further: float = 0.95
    """Factor for each step between the line and the failure."""
    at_module: float = 0.3
    beside_check: float = 0.5
    """Factor for a step in a function on the stack of a failed check, which mostly concerns calls that have
    returned."""
    display: float = 0.6
    """Factor for a step that sets a literal."""
    argument: float = 0.7
    """Factor for a step that passes an argument, unless the failing line is a `raise`, which blames its arguments."""
    written: float = 0.7
    """Factor for a step that writes an attribute, if the failing line is a `raise`."""
    begins: float = 0.5
    """Factor for a step that writes an attribute in `__init__`, where mistakes are rare."""

    # Evidence from the rerun.
    depended: float = 0.25
    """Weight of a line on which the failing value depended in the rerun only; times `further` for each dependence
    back."""
    of_test: float = 0.3
    """Factor for a line of the test itself."""
    cleared: float = 0.2
    """Factor for a line on which passed checks depended, but not the failing value."""
    odd: float = 0.9
    """Weight of a line where an anomalous value first appeared; multiplied by the anomaly's weight."""
    noticed: float = 0.6
    """Factor for the failing line if the anomalous value first appeared elsewhere."""
    suspected: float = 0.3
    """Best score to assume before test evidence if no line has a score."""
    not_run: float = 0.3
    """Factor for a line without test evidence."""
    seen: float = 0.92
    """Weight of a line where the mistake that a rule suspects was observed."""
    not_seen: float = 0.3
    """Factor for a line whose suspected mistake did not happen in the rerun."""

    # Evidence from tried fixes.
    proved: float = 0.85
    """Weight of a line where a small change passes with further evidence; times its grade relative to the best
    grade."""
    passes: float = 0.7
    doubted: float = 0.3
    in_vain: float = 0.9
    """Factor for a line whose tried changes failed while a change elsewhere passes."""
    of_kind: float = 1.5
    """Exponent, in a fix's grade, of the prior of its kind."""
    of_line: float = 0.5
    """Exponent, in a fix's grade, of its line's suspicion."""
    no_rule: float = 0.5
    """Factor in the grade of a fix without a rule's reason."""
    at_failure: float = 0.7
    """Factor in the grade of a fix that changes the failing statement without a rule's reason."""
    narrow: float = 0.4
    """Factor for a fix with which the check passes, if the whole program or test was not run."""
    weak_pass: float = 0.5
    """Factor for a fix whose passing may prove nothing."""
    meddles: float = 0.6
    """Maximum reduction for a fix that changes previously correct behaviour."""


WEIGHTS = Weights()
"""The weights used by the analysis."""
