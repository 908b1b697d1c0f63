"""Keeps the plugin from disturbing a test run: its errors are caught, and tests' time limits are paused."""

from __future__ import annotations

import signal
from collections import Counter

_MAX_CHARS = 200


class Faults:
    """Errors in our hooks, counted by kind for the summary."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()

    def kept(self, task: str) -> _Kept:
        """Swallows and counts errors inside the block. `task` completes the sentence "dap_ai could not ..."."""
        return _Kept(self._counted, task)

    def lines(self) -> list[str]:
        """Returns a line for each kind of error, with its count."""
        return [f"{line}." if count == 1 else f"{line} ({count} times)." for line, count in self._counted.items()]


class _Kept:
    """Swallows errors, and pauses this process's timer (`signal.alarm`, pytest-timeout) for the block."""

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
    """Returns an error as one line."""
    text = " ".join(str(error).split())[:_MAX_CHARS]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
