"""Steps between recorded moments of a run: finds the moment before or after a given moment. Has no side effects.

Moments are numbered from 1. The present comes after the last moment, or is the last moment if its line has not run yet.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewound

Forward = Literal["next", "stepIn", "stepOut"]
WINDOW = 3000
"""Number of moments to fetch after a requested moment."""
_ANY = 1 << 62


class MomentPlace(NamedTuple):
    """The file, function and line of a moment."""

    file: str
    function: str
    line: int


class MomentSteps:
    """The known moments of a run: the moments `first` to `last`, of `count` in total."""

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
        """Replace the known moments by another part of the same run."""
        self._take(found)

    def knows(self, moment: int) -> bool:
        """Whether this moment is among the known moments."""
        return self.first <= moment <= self.last

    def spot(self, moment: int) -> MomentPlace:
        """Return the file, function and line of a known moment."""
        at = 3 * (moment - self.first)
        return MomentPlace(*self._codes[self._steps[at]], self._steps[at + 1])

    def back(self, moment: int, *, into: bool) -> int | None:
        """Return the known moment before this moment, or None.

        Without `into`, skips moments in deeper calls.
        """
        most = _ANY if into else self.depth(moment)
        known = range(min(moment - 1, self.last), self.first - 1, -1)
        return next((before for before in known if self.depth(before) <= most), None)

    def forward(self, moment: int, how: Forward) -> int | None:
        """Return the moment after a step forward, which may be the present. None if no known moment fits."""
        most = self.most_calls(moment, how)
        for after in range(max(moment + 1, self.first), self.last + 1):
            if after == self.present or self.depth(after) <= most:
                return after
        return self.present if self.last == self.count else None

    def most_calls(self, moment: int, how: Forward) -> int:
        """Return the maximum call depth at which a step forward ends. At depth 0, the step leads to the present."""
        return {"next": self.depth(moment), "stepIn": _ANY, "stepOut": self.depth(moment) - 1}[how]

    def depth(self, moment: int) -> int:
        """Return the call depth of a known moment or of the present."""
        if moment > self.last:
            return self._present_depth or (self._steps[-1] if self._steps else 1)
        return self._steps[3 * (moment - self.first) + 2]
