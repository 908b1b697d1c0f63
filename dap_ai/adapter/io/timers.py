"""The timers of a session, by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dap_ai.system.load_limits import Limit


class Timers:
    """`fired(id)` is called when one runs out."""

    def __init__(self, fired: Callable[[str], None]) -> None:
        self._fired = fired
        self._running: dict[str, asyncio.TimerHandle] = {}
        self._paused: dict[str, float] = {}
        """Seconds that are left."""

    def set(self, timer_id: str, seconds: float, *, patient: bool = False) -> None:
        """Start one, or restart it. `patient`: the seconds are those of an idle machine, see system/load_limits.py."""
        self.cancel(timer_id)
        self._begin(timer_id, seconds, Limit(seconds) if patient else None)

    def _begin(self, timer_id: str, seconds: float, limit: Limit | None) -> None:
        self._running[timer_id] = asyncio.get_running_loop().call_later(seconds, self._fire, timer_id, limit)

    def cancel(self, timer_id: str) -> None:
        """Forget one."""
        self._paused.pop(timer_id, None)
        if handle := self._running.pop(timer_id, None):
            handle.cancel()

    def pause(self, timer_id: str) -> None:
        """Let one stand still; one that does not run changes nothing."""
        if handle := self._running.pop(timer_id, None):
            handle.cancel()
            self._paused[timer_id] = max(0.0, handle.when() - asyncio.get_running_loop().time())

    def resume(self, timer_id: str) -> None:
        """Let one go on that stands still."""
        if (left := self._paused.pop(timer_id, None)) is not None:
            self.set(timer_id, left)

    def cancel_all(self) -> None:
        """None fires any more."""
        for timer_id in [*self._running, *self._paused]:
            self.cancel(timer_id)

    def _fire(self, timer_id: str, limit: Limit | None) -> None:
        if limit is not None and (left_s := limit.left_s):
            self._begin(timer_id, left_s, limit)
            return
        del self._running[timer_id]
        self._fired(timer_id)
