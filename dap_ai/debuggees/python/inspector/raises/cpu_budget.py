"""The budget of processor time for handling exception events: 3 % of the process's time, partly saved up."""

from __future__ import annotations

import time

SHARE = 0.03
FIRST_NS = 3_000_000
"""Nanoseconds in the budget at the start."""
_MOST_NS = 10_000_000
"""Maximum nanoseconds that the budget can save up."""
_PLENTY_NS = 1_500_000
_LOAN_NS, _MOST_LOANED_NS = 100_000, 1_000_000
_processor = time.process_time_ns


class CpuBudget:
    """Nanoseconds left for handling exception events. `is_plenty`: places that raise often may be captured again."""

    def __init__(self) -> None:
        self.left_ns, self._counted = FIRST_NS, _processor()
        self._floor = 0
        self.is_plenty = True

    def spend(self, ns: int) -> None:
        """Subtracts a cost in nanoseconds from the budget."""
        self.left_ns -= ns
        if self.left_ns < _PLENTY_NS:
            self.is_plenty = False

    def earn(self) -> None:
        """Adds 3 % of the processor time since the last call."""
        now = _processor()
        self.left_ns = min(_MOST_NS, self.left_ns + int((now - self._counted) * SHARE))
        self._counted = now
        self.is_plenty = self.left_ns >= _PLENTY_NS
        if self.left_ns > 0:
            self._floor = 0

    def borrow(self) -> bool:
        """Allows spending a little more than is left; returns False if the debt is already too large."""
        if self.left_ns < -_MOST_LOANED_NS:
            return False
        self._floor = min(0, self.left_ns) - _LOAN_NS
        return True

    @property
    def is_spent(self) -> bool:
        """Whether the budget and the loan are used up."""
        return self.left_ns < self._floor
