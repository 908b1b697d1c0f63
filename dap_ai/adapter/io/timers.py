"""A session's timers, by id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dap_ai.system.load_limits import Limit


class Timers:
    """Named timers of one session; calls `fired(id)` when one expires."""

    def __init__(self, fired: Callable[[str], None]) -> None:
        self._fired = fired
        self._running: dict[str, asyncio.TimerHandle] = {}
        self._paused: dict[str, float] = {}
        """Seconds left of each paused timer."""

    def set(self, timer_id: str, seconds: float, *, patient: bool = False) -> None:
        """Start or restart a timer. `patient`: the seconds are those of an idle machine, see system/load_limits.py."""
        self.cancel(timer_id)
        self._begin(timer_id, seconds, Limit(seconds) if patient else None)

    def _begin(self, timer_id: str, seconds: float, limit: Limit | None) -> None:
        self._running[timer_id] = asyncio.get_running_loop().call_later(seconds, self._fire, timer_id, limit)

    def cancel(self, timer_id: str) -> None:
        """Cancel a timer; unknown ids are ignored."""
        self._paused.pop(timer_id, None)
        if handle := self._running.pop(timer_id, None):
            handle.cancel()

    def pause(self, timer_id: str) -> None:
        """Pause a timer; one that is not running is ignored."""
        if handle := self._running.pop(timer_id, None):
            handle.cancel()
            self._paused[timer_id] = max(0.0, handle.when() - asyncio.get_running_loop().time())

    def resume(self, timer_id: str) -> None:
        """Resume a paused timer; others are ignored."""
        if (left := self._paused.pop(timer_id, None)) is not None:
            self.set(timer_id, left)

    def cancel_all(self) -> None:
        """Cancel all timers."""
        for timer_id in [*self._running, *self._paused]:
            self.cancel(timer_id)

    def _fire(self, timer_id: str, limit: Limit | None) -> None:
        if limit is not None and (left_s := limit.left_s):
            self._begin(timer_id, left_s, limit)
            return
        del self._running[timer_id]
        self._fired(timer_id)
