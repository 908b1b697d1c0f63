"""Runs the timers of a session by their ids."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dap_ai.system.load_limits import Limit


class Timers:
    """The timers of one session, by id. Calls `fired(id)` when a timer expires."""

    def __init__(self, fired: Callable[[str], None]) -> None:
        self._fired = fired
        self._running: dict[str, asyncio.TimerHandle] = {}
        self._paused: dict[str, float] = {}
        """Maps each paused timer to its remaining seconds."""

    def set(self, timer_id: str, seconds: float, *, patient: bool = False) -> None:
        """Start or restart a timer. If `patient`, a busy machine extends the time (system/load_limits.py)."""
        self.cancel(timer_id)
        self._begin(timer_id, seconds, Limit(seconds) if patient else None)

    def _begin(self, timer_id: str, seconds: float, limit: Limit | None) -> None:
        self._running[timer_id] = asyncio.get_running_loop().call_later(seconds, self._fire, timer_id, limit)

    def cancel(self, timer_id: str) -> None:
        """Cancel a timer. Ignores an unknown id."""
        self._paused.pop(timer_id, None)
        if handle := self._running.pop(timer_id, None):
            handle.cancel()

    def pause(self, timer_id: str) -> None:
        """Pause a timer. Ignores a timer that is not running."""
        if handle := self._running.pop(timer_id, None):
            handle.cancel()
            self._paused[timer_id] = max(0.0, handle.when() - asyncio.get_running_loop().time())

    def resume(self, timer_id: str) -> None:
        """Resume a paused timer. Ignores a timer that is not paused."""
        if (left := self._paused.pop(timer_id, None)) is not None:
            self.set(timer_id, left)

    def cancel_all(self) -> None:
        """Cancel all running and paused timers."""
        for timer_id in [*self._running, *self._paused]:
            self.cancel(timer_id)

    def _fire(self, timer_id: str, limit: Limit | None) -> None:
        if limit is not None and (left_s := limit.left_s):
            self._begin(timer_id, left_s, limit)
            return
        del self._running[timer_id]
        self._fired(timer_id)
