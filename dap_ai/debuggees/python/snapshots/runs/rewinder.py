"""Counts the lines of a rerun, so that a later rerun can end at any of them; lines are numbered from 1.

A run ends at the program's stop, or fails as the program did, or ends at an earlier moment and reports the state there.
Two runs of a program have the same count, unless the program behaves differently each time.

To step back is to rerun and end one line earlier: no state is recorded, only which lines ran, by number, as in Boothe's
bidirectional debugger (PLDI 2000). To go back to the last breakpoint takes two runs: the first counts to the stop and
remembers the last line with a breakpoint (`_hit`), the second ends at that line. A record of all states would need no
second run, but would slow down the first run and contain only copies.

The invariant is that both runs count alike. So each line is counted in the same way for every query. A condition is
evaluated within the trace function, where the interpreter traces nothing, and the arrival compares values, to notice a
run that went another way.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import dis
import sys
import time
from typing import Any

from ...inspector.scopes import frame_locals
from ...inspector.stored.statics import text_of
from ...inspector.stored.values import ValueDescriber, VisitBudget
from ..editing.sources import UserFiles
from .arriving import Arrival, place_of
from .frame_statements import value_of
from .instants import Instant
from .run_watcher import Watcher

_SHARE = 0.8
"""The share of the deadline that the run may use; the rest is for the report."""
_MAX_STEPS = 6000
_MAX_BYTES = 300_000
_LINES_PER_LOOK = 5000

_clock = time.thread_time


class Rewinder(Watcher):
    """Counts the lines of one run. Create it before the copy is made, where the program is stopped."""

    key = "rewound"

    def __init__(self, wanted: dict[str, Any], stopped: Any, deadline_s: float, files: UserFiles) -> None:
        """`stopped`: the innermost of the user's frames. `wanted`: a Rewind dict."""
        super().__init__()
        self._files = files
        self._describer = ValueDescriber({"max_items": 20}, VisitBudget(_MAX_BYTES, 1e9))
        self._wanted = wanted
        self._last = wanted.get("at") or wanted.get("until") or sys.maxsize
        self._after = wanted.get("after", 0)
        self._most_calls = wanted.get("most_calls", 0)
        self._arrival = Arrival(stopped, files, self._describer) if wanted.get("to_stop") else None
        self._stop, self._stop_line = place_of(stopped.f_code), stopped.f_lineno
        # A program that is stopped in the middle of a line (in a call, after a step out) has no line event there. The
        # nearest event is the return of the line's call; if the line itself is meant, `at_line` requests
        # its start.
        starts = {offset for offset, _line in dis.findlinestarts(stopped.f_code)}
        self._is_within = stopped.f_lasti not in starts
        self._is_at_return = self._is_within and not wanted.get("at_line")
        self._share_s = _SHARE * deadline_s
        self._codes: list[Any] = []
        self._others: list[Any] = []
        """Code objects of libraries, kept alive so that their ids are not reused."""
        self._numbers: dict[int, int] = {}
        self._conditions: list[dict[int, str]] = []
        """For each numbered code object: breakpoint conditions by line."""
        self._steps: Any = collections.deque(maxlen=_MAX_STEPS)
        self._depth = self._count = self._hit = 0
        self._instant: Instant | None = None
        self._is_cut = False

    def _prepare(self) -> None:
        self._ends = _clock() + self._share_s

    # -- events ------------------------------------------------------------------------------------------------------

    def _enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        number = self._numbers.get(id(code))
        if number is None:
            number = self._numbers[id(code)] = self._learn(code)
        if number < 0:
            return None
        self._depth += 1
        return self._follower(number)

    def _learn(self, code: Any) -> int:
        if not self._files.has(code.co_filename):
            self._others.append(code)
            return -1
        halts = self._wanted.get("halts", ())
        self._conditions.append({p["line"]: p.get("condition", "") for p in halts if p["file"] == code.co_filename})
        self._codes.append(code)
        return len(self._codes) - 1

    def _follower(self, number: int) -> Any:
        """Returns the trace function of one frame."""
        last_line, offset = 0, -1

        def follow(frame: Any, event: str, _argument: Any) -> Any:
            nonlocal last_line, offset
            try:
                if event == "line":
                    line, at = frame.f_lineno, frame.f_lasti
                    if line != last_line or at == offset:  # a comprehension within the line does not start it again
                        last_line, offset = line, at
                        self._on_line(frame, number, line)
                elif event == "return":
                    self._depth -= 1
                    if self._is_at_return and self._arrival is not None and frame.f_back is not None:
                        self._arrive(frame.f_back)
            except Exception:  # no stack is left: raised here, it would reach the program
                self._is_cut = True
            return follow

        return follow

    def _on_line(self, frame: Any, number: int, line: int) -> None:
        """Counts a line that is about to run, and ends the run at the requested line."""
        self._count += 1
        self._steps.append((number, line, self._depth))
        # Stepping over: the run may end at a line that is no deeper than this. `depth` is that of the
        # user's calls.
        is_near = self._depth <= self._most_calls
        if self._count != self._last and (is_near or self._holds(self._conditions[number].get(line), frame)):
            self._hit = self._count
            if 0 < self._after < self._count:
                self._end()
        if self._count >= self._last:
            if self._wanted.get("at"):
                self._instant = Instant(frame, self._own, self._files, self._describer)
            self._end()
        elif self._arrival is not None and not self._is_at_return:
            self._arrive(frame)
        if self._count % _LINES_PER_LOOK == 0 and _clock() > self._ends:
            self._is_cut = True
            self._end()

    def _holds(self, condition: str | None, frame: Any) -> bool:
        """Whether a breakpoint holds at a line now.

        `condition`: the breakpoint's condition, empty without a condition; None without a breakpoint.
        """
        if not condition:
            return condition is not None
        names = {} if frame.f_locals is frame.f_globals else frame_locals(frame)
        try:
            return bool(value_of(condition, frame.f_globals, names))
        except Exception:
            return False

    def _arrive(self, frame: Any) -> None:
        """Ends the run if this frame is at the program's stop."""
        if frame.f_lineno != self._stop_line or place_of(frame.f_code) != self._stop or self._arrival is None:
            return
        if self._arrival.is_here(frame, self._own):
            self._end()

    # -- results ----------------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """Returns the Rewound dict of the run."""
        told: dict[str, Any] = {"count": self._count, "hit": self._hit, "within": self._is_within, "cut": self._is_cut}
        told["depth"] = self._depth
        if self._instant is not None:
            told["frames"] = self._instant.frames()
            told["seen"] = [self._instant.look_result(look) for look in self._wanted.get("looks", ())]
        elif not self._wanted.get("at"):
            told["first"] = self._count - len(self._steps) + 1
            told["codes"] = [[text_of(code.co_filename), text_of(code.co_name)] for code in self._codes]
            told["steps"] = [part for step in self._steps for part in step]
        if self._arrival is not None:
            told.update(arrived=self._arrival.has_come, differs=self._arrival.differs)
        return told
