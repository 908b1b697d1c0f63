"""Hears of each exception that is raised, and captures what the user's frames hold; Python 3.12 and newer.

Within a budget: where exceptions cost more, what is raised at the same place again and again is counted and no more;
then the event is off, for a while or until the function returns in which they are raised.

`sys.monitoring` (PEP 669). A place can't be switched off by itself: only local events may return DISABLE, and RAISE is
none. So the cost is bounded in three steps, of which each captures less and costs the program less:

1. All is captured while there is plenty of the budget (`cpu_budget.py`, a token bucket of 3 % of the processor's time).
2. Below that, a place is captured four times, and then only counted; the clock is read once in 64 counted raises.
3. Spent, the event goes off for the whole process, for 0.1 s or until a function returns.

A place is (code, type of the exception, instruction). Its captures are dropped once it raises unheard: an exception
often gets the address of an earlier one, and would be given that one's values.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Frames hold Any; `sys.monitoring` is of newer Pythons.

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
"""Free for anybody; then those of an optimizer and a profiler."""
NAME = "dap_ai"
_COUNTED_NS, _LOOKED_AT_NS, _RETURN_NS = 450, 1000, 10_000
"""What an event costs: one that is only counted, one that is looked at, and the return of a function."""
_COUNTED_PER_LOOK = 64
_EARLY_NS = 5_000_000
_MAX_SITES = 1000
_CAPTURES_OF_A_SITE = 4
"""So many in a while, once the budget runs low."""
_BALLAST = 4000

_current_frame: Any = sys._getframe  # pyright: ignore[reportPrivateUsage]  its documented name
_traceback_of: Any = BaseException.__dict__["__traceback__"].__get__
Site = Tuple[int, int, int]
"""The ids of a code and of an exception's type, and the offset of the instruction between them."""
_own, _processor = time.thread_time_ns, time.process_time_ns


class RaiseWatch:
    """One process's. `is_user`: whether a file is the user's; `later(f)`: has `f` called once, PAUSE_S from now."""

    def __init__(self, is_user: Callable[[str], bool], later: Callable[[Callable[[], None]], None] | None) -> None:
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._is_user_file, self._later = is_user, later
        self._files: dict[str, bool] = {}
        self._frequent: set[Site] = set()
        self._times: dict[Site, int] = {}
        """How often each place has raised, of late; while there is plenty of the budget, nobody counts."""
        self._budget = CpuBudget()
        self._counts_down = _COUNTED_PER_LOOK
        self._is_off, self._is_due, self._off_since, self._callers = False, False, 0, 0
        self._pid = os.getpid()
        self._tool: int | None = None
        self._ballast: list[Any] = list(map(repeat, (None,) * _BALLAST))

    def begin(self) -> bool:
        """Whether there is a free tool id; False on older Pythons, too."""
        monitoring = self._monitoring
        if monitoring is None:
            return False
        for tool in _TOOLS:
            try:
                monitoring.use_tool_id(tool, NAME)
            except ValueError:  # somebody else's
                continue
            self._tool = tool
            monitoring.register_callback(tool, monitoring.events.RAISE, self._on_raise)
            monitoring.register_callback(tool, monitoring.events.PY_RETURN, self._on_return)
            monitoring.set_events(tool, monitoring.events.RAISE)
            return True
        return False

    def end(self) -> None:
        """Gives the tool id back. Again changes nothing."""
        tool, self._tool = self._tool, None
        if tool is not None:
            self._monitoring.set_events(tool, 0)
            for event in (self._monitoring.events.RAISE, self._monitoring.events.PY_RETURN):
                self._monitoring.register_callback(tool, event, None)
            self._monitoring.free_tool_id(tool)
            captures.clear()

    def resume(self) -> None:
        """The event is on again, if what it may cost has been earned."""
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
                captures.drop(site)  # another exception may come to have its address
                self._frequent.add(site)
                self._counts_down -= 1
                if self._counts_down <= 0:
                    self._look(code, 0)
                return
        if self._is_user(code):
            self._of_user(site, exc)

    def _is_frequent(self, site: Site) -> bool:
        """Whether this place has had its captures of this while."""
        if len(self._times) >= _MAX_SITES:
            self._times.clear()
        times = self._times[site] = self._times.get(site, 0) + 1
        return times > _CAPTURES_OF_A_SITE and not self._budget.is_plenty

    def _look(self, code: Any, ns: int) -> None:
        """At the budget. Some raises after the last capture at the earliest: somebody may be about to read it."""
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
        """Until there is something in the budget again, or the function returns; if that has come soon, a caller."""
        captures.clear()  # as above: nothing is heard of what is raised now
        self._is_off, self._off_since = True, _processor()
        self._monitoring.set_events(self._tool, 0)
        # PY_RETURN is a local event, so it can be set for one code object and costs nothing elsewhere. The function
        # that raises so often mostly runs a loop; when it returns, the storm is over. If the return came within 5 ms
        # (`_EARLY_NS`), it was not: the next time the caller of that function is waited for, one frame further out with
        # each failure.
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
        """Whether it comes from a frame of the user's, where it has been heard of."""
        entry = _traceback_of(exc)
        # RAISE comes again in each frame that an exception passes through. Only the first one of the user's holds the
        # values of the raise; a traceback that has such a frame further in has been captured there.
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
            if not _is_ours(error):  # of a signal's handler: it is for the program
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
    """Whether it was raised by what is called here."""
    entry: Any = _traceback_of(error)
    while entry.tb_next is not None:
        entry = entry.tb_next
    return entry.tb_frame.f_globals.get("__package__") == __package__
