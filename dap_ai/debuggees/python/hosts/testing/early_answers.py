"""Answers a test's failure before the test's cleanup, and keeps the finding until pytest reports the failure."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from dap_ai.debuggees.python.hosts import cleanup_hooks

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.testing.failure_findings import FailureFinding


class Early:
    """Keeps findings made before the cleanup. `ask` takes an exception and the pytest item that it ends."""

    def __init__(self, ask: Callable[[BaseException, pytest.Item], FailureFinding]) -> None:
        self._ask = ask
        self._undo: list[Callable[[], None]] = []
        self._found: dict[int, tuple[BaseException, FailureFinding]] = {}
        """(exception, finding) pairs by the exception's id; storing the exception keeps the id valid."""
        self._reported = self._pid = 0
        self._is_asking = False
        self._loop = _Loop()
        self.seconds = 0.0
        """Seconds spent on answers during the item's call; pytest counts them in the test's duration."""

    def watch(self, item: pytest.Item) -> None:
        """Starts to watch a pytest item for an exception; called at the start of its call phase."""
        self._found.clear()
        self._is_asking, self.seconds, self._pid = False, 0.0, os.getpid()
        self._undo.append(cleanup_hooks.of_item(item, lambda exc: self._look(exc, item)))

    def unwatch(self) -> None:
        """Stops watching; called at the end of the call phase."""
        self._loop.goes_on()
        self._undo.pop()()

    def found(self, exc: BaseException) -> FailureFinding | None:
        """Returns and removes the finding made before the cleanup; None if no question was asked."""
        self._reported = id(exc) if id(exc) in self._found else 0
        return self._found.pop(id(exc), (exc, None))[1]

    def was_asked_early(self, exc: BaseException) -> bool:
        """Whether this exception, the last one reported, was asked about before the cleanup."""
        return id(exc) == self._reported

    def _look(self, exc: BaseException, item: pytest.Item) -> None:
        if self._is_asking or os.getpid() != self._pid:  # in a copy that reruns the test, or in a child of the test
            return
        if id(exc) in self._found:
            self._loop.goes_on()
            return
        self._is_asking, began = True, time.monotonic()
        timer = _Timer(item)
        timer.stop()
        self._loop.stands_still()
        found = self._ask(exc, item)
        if found:
            self._found[id(exc)] = exc, found
        timer.go_on()
        self._is_asking, self.seconds = False, self.seconds + time.monotonic() - began


class _Loop:
    """The event loop of a failing coroutine; in debug mode it warns of callbacks that take long."""

    def __init__(self) -> None:
        self._loop: Any = None
        self._limit_s = 0.0

    def stands_still(self) -> None:
        """Switches off the loop's warning about slow callbacks while the answer is made."""
        running = getattr(sys.modules.get("_asyncio"), "_get_running_loop", None)  # documented for event loops
        loop: Any = running() if running is not None else None
        if loop is not None and hasattr(loop, "slow_callback_duration"):
            self._loop, self._limit_s = loop, loop.slow_callback_duration
            loop.slow_callback_duration = float("inf")

    def goes_on(self) -> None:
        """Switches the warning on again; a second call has no effect."""
        if self._loop is not None:
            self._loop.slow_callback_duration = self._limit_s
            self._loop = None


class _Timer:
    """The timer of pytest-timeout in its thread mode. A failed test gets its full time again for its cleanup.

    guest.py pauses timers based on signals.
    """

    def __init__(self, item: Any) -> None:
        self._item = item
        settings = getattr(sys.modules.get("pytest_timeout"), "_get_item_settings", None)
        found = settings(item) if settings and hasattr(item, "cancel_timeout") else None
        self._settings = found if getattr(found, "method", "") == "thread" else None

    def stop(self) -> None:
        """Cancels the timer, so that it does not end the process while the answer is made."""
        if self._settings is not None:
            self._item.ihook.pytest_timeout_cancel_timer(item=self._item)

    def go_on(self) -> None:
        """Starts the timer again."""
        if self._settings is not None:
            self._item.ihook.pytest_timeout_set_timer(item=self._item, settings=self._settings)
