"""Keeps the plugin from disturbing a test run: catches the plugin's errors, and pauses tests' time limits."""

from __future__ import annotations

import signal
from collections import Counter

_MAX_CHARS = 200


class Faults:
    """Counts errors in the plugin's hooks by kind, for the summary."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()

    def kept(self, task: str) -> _Kept:
        """Returns a context manager that catches and counts errors. `task` completes "dap_ai could not ..."."""
        return _Kept(self._counted, task)

    def lines(self) -> list[str]:
        """Returns a line for each kind of error, with its count."""
        return [f"{line}." if count == 1 else f"{line} ({count} times)." for line, count in self._counted.items()]


class _Kept:
    """Catches and counts errors of the block; pauses the process's timer (`signal.alarm`, pytest-timeout) meanwhile."""

    _left_s = _every_s = 0.0

    def __init__(self, counted: Counter[str], task: str) -> None:
        self._counted, self._task = counted, task

    def __enter__(self) -> None:
        self._left_s, self._every_s = signal.setitimer(signal.ITIMER_REAL, 0.0)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if self._left_s > 0:
            signal.setitimer(signal.ITIMER_REAL, self._left_s, self._every_s)
        if not isinstance(error, Exception):
            return False
        self._counted[f"dap_ai could not {self._task}: {described(error)}"] += 1
        return True


def described(error: BaseException) -> str:
    """Returns an error's type and message as one line."""
    text = " ".join(str(error).split())[:_MAX_CHARS]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
