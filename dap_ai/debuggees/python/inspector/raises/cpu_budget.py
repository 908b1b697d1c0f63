"""How much of the processor's time hearing of exceptions may take: 3 %, of which a little can be saved up."""

from __future__ import annotations

import time

SHARE = 0.03
FIRST_NS = 3_000_000
"""What there is to begin with."""
_MOST_NS = 10_000_000
"""So much may be saved up."""
_PLENTY_NS = 1_500_000
_LOAN_NS, _MOST_LOANED_NS = 100_000, 1_000_000
_processor = time.process_time_ns


class CpuBudget:
    """`is_plenty`: what was raised at the same place before may be captured again."""

    def __init__(self) -> None:
        self.left_ns, self._counted = FIRST_NS, _processor()
        self._floor = 0
        self.is_plenty = True

    def spend(self, ns: int) -> None:
        """Takes what something has cost."""
        self.left_ns -= ns
        if self.left_ns < _PLENTY_NS:
            self.is_plenty = False

    def earn(self) -> None:
        """Adds the share of the time since it was last asked."""
        now = _processor()
        self.left_ns = min(_MOST_NS, self.left_ns + int((now - self._counted) * SHARE))
        self._counted = now
        self.is_plenty = self.left_ns >= _PLENTY_NS
        if self.left_ns > 0:
            self._floor = 0

    def borrow(self) -> bool:
        """Whether a little more may be spent, to be earned before anything else."""
        if self.left_ns < -_MOST_LOANED_NS:
            return False
        self._floor = min(0, self.left_ns) - _LOAN_NS
        return True

    @property
    def is_spent(self) -> bool:
        """Whether there is nothing left, nor of a loan."""
        return self.left_ns < self._floor
