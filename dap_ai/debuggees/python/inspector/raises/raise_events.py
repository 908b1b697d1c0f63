"""Captures values in the user's frames at each raise, within a budget; Python 3.12 and newer.

It uses `sys.monitoring` (PEP 669). A single place can't be switched off, because only local events may return DISABLE
and RAISE is not a local event. So the cost is bounded in three steps, each of which captures less and costs the program
less:

1. Every raise is captured while much budget is left (`cpu_budget.py`, a token bucket of 3 % of the processor's time).
2. If the budget runs low, a place is captured four times and then only counted; the clock is read once in 64 counted
   raises.
3. When the budget is used up, the event is off for the whole process, for 0.1 s or until a function returns.

A place is (code, instruction, type of the exception). A place's captures are dropped once it raises uncaptured: a new
exception often gets the address of an earlier exception, and would be shown with the earlier values.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Frames hold Any; `sys.monitoring` needs Python 3.12.

from __future__ import annotations

import gc
import os
import sys
import time
from itertools import repeat
from typing import Any, Callable, Tuple

from .. import captures
from .cpu_budget import CpuBudget

PAUSE_S = 0.1
_TOOLS = (4, 3, 5, 2)
"""Tool ids of `sys.monitoring` to try: unassigned ids first, then those of an optimizer and a profiler."""
NAME = "dap_ai"
_COUNTED_NS, _LOOKED_AT_NS, _RETURN_NS = 450, 1000, 10_000
"""Nanoseconds per event: a raise that is only counted, a raise that is examined, a function's return."""
_COUNTED_PER_LOOK = 64
_EARLY_NS = 5_000_000
_MAX_SITES = 1000
_CAPTURES_OF_A_SITE = 4
"""Captures per place and period, once the budget runs low."""
_BALLAST = 4000

_current_frame: Any = sys._getframe  # pyright: ignore[reportPrivateUsage]  its documented name
_traceback_of: Any = BaseException.__dict__["__traceback__"].__get__
Site = Tuple[int, int, int]
"""The place of a raise: the code object's id, the instruction's offset and the id of the exception's type."""
_own, _processor = time.thread_time_ns, time.process_time_ns


class RaiseWatch:
    """Captures values at raises in one process.

    `is_user`: whether a file is the user's. `later(f)` must call `f` once, PAUSE_S from now.
    """

    def __init__(self, is_user: Callable[[str], bool], later: Callable[[Callable[[], None]], None] | None) -> None:
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._is_user_file, self._later = is_user, later
        self._files: dict[str, bool] = {}
        self._frequent: set[Site] = set()
        self._times: dict[Site, int] = {}
        """Number of recent raises per place; empty while much budget is left."""
        self._budget = CpuBudget()
        self._counts_down = _COUNTED_PER_LOOK
        self._is_off, self._is_due, self._off_since, self._callers = False, False, 0, 0
        self._pid = os.getpid()
        self._tool: int | None = None
        self._ballast: list[Any] = list(map(repeat, (None,) * _BALLAST))

    def begin(self) -> bool:
        """Starts the watch; returns False before Python 3.12, or if no tool id is free."""
        monitoring = self._monitoring
        if monitoring is None:
            return False
        for tool in _TOOLS:
            try:
                monitoring.use_tool_id(tool, NAME)
            except ValueError:  # used by another tool
                continue
            self._tool = tool
            monitoring.register_callback(tool, monitoring.events.RAISE, self._on_raise)
            monitoring.register_callback(tool, monitoring.events.PY_RETURN, self._on_return)
            monitoring.set_events(tool, monitoring.events.RAISE)
            return True
        return False

    def end(self) -> None:
        """Stops the watch and frees the tool id; a second call has no effect."""
        tool, self._tool = self._tool, None
        if tool is not None:
            self._monitoring.set_events(tool, 0)
            for event in (self._monitoring.events.RAISE, self._monitoring.events.PY_RETURN):
                self._monitoring.register_callback(tool, event, None)
            self._monitoring.free_tool_id(tool)
            captures.clear()

    def resume(self) -> None:
        """Turns the RAISE event on again if the budget allows."""
        self._is_due = False
        if self._tool is None or os.getpid() != self._pid:
            return
        self._budget.earn()
        self._frequent.clear()
        self._times.clear()
        if self._is_off and self._budget.left_ns > 0:
            self._is_off = False
            self._monitoring.set_events(self._tool, self._monitoring.events.RAISE)
        if self._budget.is_plenty:
            self._callers = 0
        else:
            self._resume_later()

    def _resume_later(self) -> None:
        if self._later is not None and not self._is_due and os.getpid() == self._pid:
            self._is_due = True
            self._later(self.resume)

    def _on_raise(self, code: Any, at: int, exc: Any) -> None:
        site = id(code), at, id(type(exc))
        # The shortest way out first: this runs for every raise of a loop that uses exceptions as control flow.
        if site in self._frequent:
            self._counts_down -= 1
            if self._counts_down <= 0:
                self._look(code, _COUNTED_PER_LOOK * _COUNTED_NS)
            return
        budget = self._budget
        budget.spend(_LOOKED_AT_NS)
        if self._is_on_its_way(exc):
            return
        if not budget.is_plenty:
            self._earn()
            if budget.is_spent or self._is_frequent(site):
                captures.drop(site)  # another exception may get its address
                self._frequent.add(site)
                self._counts_down -= 1
                if self._counts_down <= 0:
                    self._look(code, 0)
                return
        if self._is_user(code):
            self._of_user(site, exc)

    def _is_frequent(self, site: Site) -> bool:
        """Whether this place has used up its captures of the current period."""
        if len(self._times) >= _MAX_SITES:
            self._times.clear()
        times = self._times[site] = self._times.get(site, 0) + 1
        return times > _CAPTURES_OF_A_SITE and not self._budget.is_plenty

    def _look(self, code: Any, ns: int) -> None:
        """Charges the cost to the budget, and turns the event off if the budget is used up.

        This happens some raises after the last capture, because a reader may be about to use that capture.
        """
        self._counts_down = _COUNTED_PER_LOOK
        self._budget.spend(ns)
        self._earn()
        if self._budget.is_spent:
            self._pause(code)

    def _earn(self) -> None:
        self._budget.earn()
        if self._budget.is_plenty:
            self._frequent.clear()
            self._times.clear()
        else:
            self._resume_later()

    def _pause(self, code: Any) -> None:
        """Turns the RAISE event off until the budget is refilled or the raising function returns.

        If the last such function returned too soon, its caller must return.
        """
        captures.clear()  # as above: exceptions raised now are not captured
        self._is_off, self._off_since = True, _processor()
        self._monitoring.set_events(self._tool, 0)
        # PY_RETURN is a local event, so it can be set for one code object and costs nothing elsewhere. A function that
        # raises so often usually runs a loop; when it returns, the frequent raises are over. If it returned within 5 ms
        # (`_EARLY_NS`), they were not: the next pause lasts until that function's caller returns, one frame further
        # out with each failed attempt.
        frame = _current_frame(1)
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        for _ in range(self._callers):
            frame = frame.f_back if frame is not None else None
        if frame is not None:
            self._monitoring.set_local_events(self._tool, frame.f_code, self._monitoring.events.PY_RETURN)

    def _on_return(self, code: Any, _at: int, _returned: Any) -> None:
        if self._tool is None:
            return
        self._monitoring.set_local_events(self._tool, code, 0)
        if not self._is_off:
            return
        self._budget.spend(_RETURN_NS)
        self._budget.earn()
        self._callers += _processor() - self._off_since < _EARLY_NS
        if self._budget.borrow():
            self._is_off = False
            self._monitoring.set_events(self._tool, self._monitoring.events.RAISE)

    def _is_on_its_way(self, exc: Any) -> bool:
        """Whether the exception has already passed through a user's frame, where it was captured."""
        entry = _traceback_of(exc)
        # RAISE occurs again in each frame that an exception passes through. Only the user's first frame has the
        # values of the raise; a traceback with such a frame further in has been captured there.
        inner = entry.tb_next if entry is not None else None
        while inner is not None:
            if self._files.get(inner.tb_frame.f_code.co_filename):
                return True
            inner = inner.tb_next
        return False

    def _of_user(self, site: Site, exc: Any) -> None:
        entry = _traceback_of(exc)
        if entry is None:
            return
        self._counts_down = _COUNTED_PER_LOOK
        began = _own()
        collecting, before = gc.isenabled(), gc.get_count()[0]
        gc.disable()  # a collection runs finalizers and callbacks of the program
        try:
            captures.capture(entry.tb_frame, exc, site, self._is_user)
        except Exception as error:
            if not _is_ours(error):  # raised by a signal handler: it is the program's
                raise
        finally:
            while self._ballast and gc.get_count()[0] > before:
                self._ballast.pop()
            if collecting:
                gc.enable()
            self._budget.spend(_own() - began)

    def _is_user(self, code: Any) -> bool:
        file = code.co_filename
        known = self._files.get(file)
        if known is None:
            known = self._files[file] = self._is_user_file(file)
        return known


def _is_ours(error: BaseException) -> bool:
    """Whether dap_ai's own code raised the exception."""
    entry: Any = _traceback_of(error)
    while entry.tb_next is not None:
        entry = entry.tb_next
    return entry.tb_frame.f_globals.get("__package__") == __package__
