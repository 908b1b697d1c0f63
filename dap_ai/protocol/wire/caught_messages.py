"""An exception at which nothing stopped: something caught it and printed or reported its traceback.

A test runner, a web framework, a pool of processes and an event loop do so. What was told of it has no live values.
"""

from __future__ import annotations

from typing import Literal

import msgspec

KEY = "dapAiCaught"
"""The key in the `data` of an `output` event from debugpy's debuggee: see backends/debugpy/traceback_reports.py."""

Filter = Literal["userUnhandled", "raised"]
FILTERS: tuple[Filter, ...] = ("userUnhandled", "raised")
"""The exception filter with which the program would stop there. raised: the user's own code catches it."""
_RUNNERS = ("/_pytest/", "/unittest/")


class CaughtFrame(msgspec.Struct, frozen=True, array_like=True):
    """A row of its traceback. `line` is 1-based."""

    file: str
    line: int
    name: str
    user: bool
    """It is the user's own code, as debugpy judges."""


class Caught(msgspec.Struct, frozen=True):
    """It and its traceback, outermost frame first; at least one is the user's."""

    type: str
    message: str
    frames: list[CaughtFrame]
    filter: Filter = "userUnhandled"
    cwd: str = ""
    """Of the program, when it was told."""

    @property
    def spot(self) -> CaughtFrame:
        """Where it left the user's code, or was raised in it."""
        return next((frame for frame in reversed(self.frames) if frame.user), self.frames[-1])

    @property
    def is_of_test(self) -> bool:
        """Whether a test runner caught it: whether the test was to fail, only the end of the run tells."""
        files = [frame.file.replace("\\", "/") for frame in self.frames]
        return any(part in file for file in files for part in _RUNNERS)
