"""What makes the plugin a guest in a run of tests: nothing of it ends the run, and no time limit of a test ends it."""

from __future__ import annotations

import signal
from collections import Counter

_MAX_CHARS = 200


class Faults:
    """What went wrong in our hooks: of each kind a line for the summary."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()

    def kept(self, task: str) -> _Kept:
        """Ends here whatever fails within. `task` completes the sentence "dap_ai could not ..."."""
        return _Kept(self._counted, task)

    def lines(self) -> list[str]:
        """One for each kind, with how often it came."""
        return [f"{line}." if count == 1 else f"{line} ({count} times)." for line, count in self._counted.items()]


class _Kept:
    """Meanwhile the timer of this process (`signal.alarm`, pytest-timeout) stands: a test's time does not run."""

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
    """An error in one line."""
    text = " ".join(str(error).split())[:_MAX_CHARS]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
