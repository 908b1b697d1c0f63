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
    """Something that is a mistake only if it happened, which the rerun decides."""

    # Evidence from the source text.
    outside: float = 0.85
    """Factor: a rule's line outside the slice."""
    away: float = 0.97
    """Factor for each call between a rule's line and the failure."""
    failed: float = 0.3
    """The line that crashed."""
    failed_check: float = 0.02
    held: float = 0.8
    """The top suspect for the exception held by a value of a failed check."""
    caller: float = 0.2
    """A line known only to have called the failing one."""
    step: float = 0.3
    """A step of the slice, before factors."""
    further: float = 0.95
    """Factor for each step between the line and the failure."""
    at_module: float = 0.3
    beside_check: float = 0.5
    """Factor: in a function on the stack of a failed check, which mostly concerns calls that have returned."""
    display: float = 0.6
    """Factor: the step sets a literal."""
    argument: float = 0.7
    """Factor: the step passes an argument, unless the failing line is a `raise`, which blames its arguments."""
    written: float = 0.7
    """Factor: the step writes an attribute, and the failing line is a `raise`."""
    begins: float = 0.5
    """Factor: the step writes an attribute in `__init__`, where mistakes are rare."""

    # Evidence from the rerun.
    depended: float = 0.25
    """The failing value depended on the line, although the source does not show it; then `further` per dependence
    back."""
    of_test: float = 0.3
    """Factor: a line of the test itself."""
    cleared: float = 0.2
    """Factor: passed checks depended on the line, and the failing value did not."""
    odd: float = 0.9
    """An anomalous value first appeared there; multiplied by the anomaly's weight."""
    noticed: float = 0.6
    """Factor: the failing line, if the anomalous value first appeared elsewhere."""
    suspected: float = 0.3
    """Assumed best score before test evidence, if no line has any."""
    not_run: float = 0.3
    """Factor: a line without test evidence."""
    seen: float = 0.92
    """The mistake that a rule suspects was observed."""
    not_seen: float = 0.3
    """Factor: it was observed not to happen."""

    # Evidence from tried fixes.
    proved: float = 0.85
    """A small change there passes and has other evidence than the check; multiplied by its grade relative to the
    best."""
    passes: float = 0.7
    doubted: float = 0.3
    in_vain: float = 0.9
    """Factor: changes tried there failed, while one elsewhere passes."""
    of_kind: float = 1.5
    """Exponent, in a fix's grade, of the prior of its kind."""
    of_line: float = 0.5
    """Exponent, in a fix's grade, of its line's suspicion."""
    no_rule: float = 0.5
    """Factor in a fix's grade: no rule gives a reason."""
    at_failure: float = 0.7
    """Factor: the fix changes the failing statement, and no rule gives a reason."""
    narrow: float = 0.4
    """Factor: the check passes, but the whole program or test was not run."""
    weak_pass: float = 0.5
    """Factor: passing may prove nothing."""
    meddles: float = 0.6
    """Maximum reduction for changing previously correct behaviour."""


WEIGHTS = Weights()
"""The weights used by the analysis."""
