"""Hears of each exception that is raised, and captures what the user's frames hold; Python 3.12 and newer.

A budget of 3 % of the processor's time: where exceptions cost more than that, the event is off for a while. What has
been raised at the same place before waits until there is plenty of it left.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Frames hold Any; `sys.monitoring` is of newer Pythons.

from __future__ import annotations

import gc
import os
import sys
import time
from itertools import repeat
from typing import Any, Callable

from ..reading.captures import capture

SHARE = 0.03
PAUSE_S = 0.1
_TOOLS = (4, 3, 5, 2)
"""Free for anybody; then those of an optimizer and a profiler."""
NAME = "dap_ai"
_EVENT_NS = 700
"""What an event costs that captures nothing, at most."""
_EVENTS_PER_LOOK = 32
_MOST_NS = 10_000_000
"""So much may be saved up."""
_PLENTY_NS = 6_000_000
_MAX_SITES = 1000
_BALLAST = 4000

_current_frame: Any = sys._getframe  # pyright: ignore[reportPrivateUsage]  its documented name
_traceback_of: Any = BaseException.__dict__["__traceback__"].__get__
_own, _processor = time.thread_time_ns, time.process_time_ns


class Watch:
    """One process's. `is_user`: whether a file is the user's; `later(f)`: has `f` called once, PAUSE_S from now."""

    def __init__(self, is_user: Callable[[str], bool], later: Callable[[Callable[[], None]], None] | None) -> None:
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._is_user_file, self._later = is_user, later
        self._files: dict[str, bool] = {}
        self._sites: set[Any] = set()
        self._credit, self._counted, self._passed = _MOST_NS, _processor(), 0
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
            monitoring.set_events(tool, monitoring.events.RAISE)
            return True
        return False

    def end(self) -> None:
        """Gives the tool id back. Again changes nothing."""
        tool, self._tool = self._tool, None
        if tool is not None:
            self._monitoring.set_events(tool, 0)
            self._monitoring.register_callback(tool, self._monitoring.events.RAISE, None)
            self._monitoring.free_tool_id(tool)

    def resume(self) -> None:
        """The event is on again, if what it may cost has been earned."""
        if self._tool is None or os.getpid() != self._pid:
            return
        self._earn()
        if self._credit > 0:
            self._monitoring.set_events(self._tool, self._monitoring.events.RAISE)
        elif self._later is not None:
            self._later(self.resume)

    def _on_raise(self, code: Any, _at: int, exc: Any) -> None:
        self._credit -= _EVENT_NS
        file = code.co_filename
        is_user = self._files.get(file)
        if is_user is None:
            is_user = self._files[file] = self._is_user_file(file)
        if is_user:
            self._of_user(code, exc)
        if self._credit < 0:
            self._pause()

    def _of_user(self, code: Any, exc: Any) -> None:
        entry = _traceback_of(exc)
        if entry is None:
            return
        at, inner = entry.tb_lasti, entry.tb_next
        while inner is not None:  # on its way from where it was captured
            if self._files.get(inner.tb_frame.f_code.co_filename):
                return
            inner = inner.tb_next
        site = id(type(exc)), id(code), at
        is_new = site not in self._sites
        if not is_new and self._credit < _PLENTY_NS:
            self._passed += 1
            if self._passed % _EVENTS_PER_LOOK == 0:
                self._earn()
            if self._credit < _PLENTY_NS:
                return
        if is_new:
            if len(self._sites) >= _MAX_SITES:
                self._sites.clear()
            self._sites.add(site)
        began = _own()
        collecting, before = gc.isenabled(), gc.get_count()[0]
        gc.disable()  # a collection runs finalizers and callbacks of the program
        try:
            capture(entry.tb_frame, exc, site, self._is_user)
        except Exception as error:
            if not _is_ours(error):  # of a signal's handler: it is for the program
                raise
        finally:
            while self._ballast and gc.get_count()[0] > before:
                self._ballast.pop()
            if collecting:
                gc.enable()
            self._credit -= _own() - began

    def _is_user(self, code: Any) -> bool:
        file = code.co_filename
        known = self._files.get(file)
        if known is None:
            known = self._files[file] = self._is_user_file(file)
        return known

    def _earn(self) -> None:
        now = _processor()
        self._credit = min(_MOST_NS, self._credit + int((now - self._counted) * SHARE))
        self._counted = now

    def _pause(self) -> None:
        self._earn()
        if self._credit >= 0:
            return
        self._monitoring.set_events(self._tool, 0)
        if self._later is not None and os.getpid() == self._pid:
            self._later(self.resume)


def _is_ours(error: BaseException) -> bool:
    """Whether it was raised by what is called here."""
    entry: Any = _traceback_of(error)
    while entry.tb_next is not None:
        entry = entry.tb_next
    return entry.tb_frame.f_globals.get("__package__") == __package__
