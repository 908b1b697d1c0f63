"""Budget of processor time for exception events: 3 %, of which a little can be saved up."""

from __future__ import annotations

import time

SHARE = 0.03
FIRST_NS = 3_000_000
"""The budget at the start, in nanoseconds."""
_MOST_NS = 10_000_000
"""The largest budget that can be saved up, in nanoseconds."""
_PLENTY_NS = 1_500_000
_LOAN_NS, _MOST_LOANED_NS = 100_000, 1_000_000
_processor = time.process_time_ns


class CpuBudget:
    """The budget. `is_plenty`: places that have raised before may be captured again."""

    def __init__(self) -> None:
        self.left_ns, self._counted = FIRST_NS, _processor()
        self._floor = 0
        self.is_plenty = True

    def spend(self, ns: int) -> None:
        """Subtracts a cost in nanoseconds."""
        self.left_ns -= ns
        if self.left_ns < _PLENTY_NS:
            self.is_plenty = False

    def earn(self) -> None:
        """Adds the share of the processor time since the last call."""
        now = _processor()
        self.left_ns = min(_MOST_NS, self.left_ns + int((now - self._counted) * SHARE))
        self._counted = now
        self.is_plenty = self.left_ns >= _PLENTY_NS
        if self.left_ns > 0:
            self._floor = 0

    def borrow(self) -> bool:
        """Allows a little more spending, to be earned before anything else; returns whether it is allowed."""
        if self.left_ns < -_MOST_LOANED_NS:
            return False
        self._floor = min(0, self.left_ns) - _LOAN_NS
        return True

    @property
    def is_spent(self) -> bool:
        """Whether the budget, including a loan, is used up."""
        return self.left_ns < self._floor
