"""What each piece of evidence weighs in the ranking of lines: data, which `benchmarks/diagnosis.py --fit` fits.

What tests beside the failed one tell has weights of its own, in `contrast/spectrum.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Weights:
    """From 0 to 1. What lowers a score is a factor."""

    # How sure a rule is of a line by itself.
    sure: float = 0.9
    likely: float = 0.8
    fair: float = 0.6
    possible: float = 0.5
    faint: float = 0.35
    unseen: float = 0.15
    """A mistake that is one only if it happened; whether it did, the failure run again tells."""

    # What the text tells of a line.
    outside: float = 0.85
    """Factor: a rule's line that the slice has not met."""
    away: float = 0.97
    """Factor for each call between a rule's line and the failure."""
    failed: float = 0.3
    """The line that crashed."""
    failed_check: float = 0.02
    held: float = 0.8
    """The best suspect where an exception was raised that a value of a failed check holds."""
    caller: float = 0.2
    """A line that is known only to have called the one that failed."""
    step: float = 0.3
    """A step of the slice; then factors."""
    further: float = 0.95
    """For each step between it and the failure."""
    at_module: float = 0.3
    beside_check: float = 0.5
    """In a function on the stack of a failed check, which tells more of what has returned already."""
    display: float = 0.6
    """It sets a literal."""
    argument: float = 0.7
    """It passes an argument; who raises on purpose blames just that."""
    written: float = 0.7
    """It writes an attribute of what raises on purpose."""
    begins: float = 0.5
    """It writes an attribute in `__init__`: there it begins, and seldom goes wrong."""

    # What the failure run again tells of it.
    depended: float = 0.25
    """The failing value depended on it, though the text does not tell so; then `further` for each dependence back."""
    of_test: float = 0.3
    """Factor: in the test itself."""
    cleared: float = 0.2
    """Factor: checks that passed rested on it, and the failing value did not."""
    odd: float = 0.9
    """A value that stands out was born there; times how much it tells."""
    noticed: float = 0.6
    """Factor: the line that failed, where such a value was born elsewhere."""
    suspected: float = 0.3
    """The best that is known of a line, where nothing is, beside what tests tell."""
    not_run: float = 0.3
    """Factor: a line of which tests tell nothing."""
    seen: float = 0.92
    """What a rule says was seen to happen."""
    not_seen: float = 0.3
    """Factor: it was seen not to happen."""

    # What tries tell of it.
    proved: float = 0.85
    """A small change there passes, and other things speak for it than the check; times its share of the best grade."""
    passes: float = 0.7
    doubted: float = 0.3
    in_vain: float = 0.9
    """Factor: changes there were tried, while one elsewhere passes."""
    of_kind: float = 1.5
    """Exponent, in a change's grade, of how often such changes are the fix."""
    of_line: float = 0.5
    """Exponent of how suspicious its line was."""
    no_rule: float = 0.5
    """Factor in a grade: no rule says why."""
    at_failure: float = 0.7
    """Factor: it changes the failing statement, and no rule says why."""
    narrow: float = 0.4
    """Factor: the check passes, and the whole was not run."""
    weak_pass: float = 0.5
    """Factor: its pass may prove nothing."""
    meddles: float = 0.6
    """So much less, at most, for what goes otherwise with it that went well before."""


WEIGHTS = Weights()
"""What the analyst goes by."""
