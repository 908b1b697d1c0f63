"""An exception that did not stop the program: something caught it and printed or reported its traceback.

Test runners, web frameworks, process pools and event loops do so. The report contains no live values.
"""

from __future__ import annotations

from typing import Literal

import msgspec

KEY = "dapAiCaught"
"""The key in the `data` of an `output` event from debugpy's debuggee: see backends/debugpy/traceback_reports.py."""

Filter = Literal["userUnhandled", "raised"]
FILTERS: tuple[Filter, ...] = ("userUnhandled", "raised")
"""Exception filters that would stop the program there. raised: the user's own code catches the exception."""
_RUNNERS = ("/_pytest/", "/unittest/")


class CaughtFrame(msgspec.Struct, frozen=True, array_like=True):
    """A row of a traceback. `line` is 1-based."""

    file: str
    line: int
    name: str
    user: bool
    """Whether the frame is the user's own code, as debugpy classifies it."""


class Caught(msgspec.Struct, frozen=True):
    """An exception and its traceback, outermost frame first, with at least one user frame."""

    type: str
    message: str
    frames: list[CaughtFrame]
    filter: Filter = "userUnhandled"
    cwd: str = ""
    """The program's working directory when the exception was reported."""

    @property
    def spot(self) -> CaughtFrame:
        """The innermost user frame: where the exception was raised or left the user's code."""
        return next((frame for frame in reversed(self.frames) if frame.user), self.frames[-1])

    @property
    def is_of_test(self) -> bool:
        """Whether a test runner caught the exception.

        Only the end of the run shows whether the test was expected to fail.
        """
        files = [frame.file.replace("\\", "/") for frame in self.frames]
        return any(part in file for file in files for part in _RUNNERS)
