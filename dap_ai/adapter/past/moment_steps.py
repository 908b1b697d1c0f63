"""Steps over recorded moments: which moment comes before or after one. Pure.

Moments are numbered from 1 on; the present is one more than the last, or the last itself, where that has not run yet.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewound

Forward = Literal["next", "stepIn", "stepOut"]
WINDOW = 3000
"""So many moments after a wanted one are asked for with it."""
_ANY = 1 << 62


class MomentPlace(NamedTuple):
    """Where a moment stands."""

    file: str
    function: str
    line: int


class MomentSteps:
    """Those moments of a run that are known: `first` to `last` of `count`."""

    def __init__(self, recalled: Recalled) -> None:
        found = recalled.rewound
        self.count = found.count
        self.within = recalled.within
        self.present = found.count + 1 if recalled.within else found.count
        self._present_depth = found.depth
        self._take(found)

    def _take(self, found: Rewound) -> None:
        self.first = found.first
        self._codes, self._steps = found.codes, found.steps
        self.last = found.first + len(found.steps) // 3 - 1

    def look_elsewhere(self, found: Rewound) -> None:
        """Others of the same run are known from now on, up to where it was ended."""
        self._take(found)

    def knows(self, moment: int) -> bool:
        """Whether it is one of those that are known."""
        return self.first <= moment <= self.last

    def spot(self, moment: int) -> MomentPlace:
        """Of one that is known."""
        at = 3 * (moment - self.first)
        return MomentPlace(*self._codes[self._steps[at]], self._steps[at + 1])

    def back(self, moment: int, *, into: bool) -> int | None:
        """The moment before; not `into`: in the same call, or in one around it. None: none that is known."""
        most = _ANY if into else self.depth(moment)
        known = range(min(moment - 1, self.last), self.first - 1, -1)
        return next((before for before in known if self.depth(before) <= most), None)

    def forward(self, moment: int, how: Forward) -> int | None:
        """The moment after, as a step of the program goes; the present counts. None: none that is known."""
        most = self.most_calls(moment, how)
        for after in range(max(moment + 1, self.first), self.last + 1):
            if after == self.present or self.depth(after) <= most:
                return after
        return self.present if self.last == self.count else None

    def most_calls(self, moment: int, how: Forward) -> int:
        """How many calls may stand around the moment to which such a step leads; 0: it leads to the present."""
        return {"next": self.depth(moment), "stepIn": _ANY, "stepOut": self.depth(moment) - 1}[how]

    def depth(self, moment: int) -> int:
        """How many calls stand around a moment that is known, or around the present."""
        if moment > self.last:
            return self._present_depth or (self._steps[-1] if self._steps else 1)
        return self._steps[3 * (moment - self.first) + 2]
