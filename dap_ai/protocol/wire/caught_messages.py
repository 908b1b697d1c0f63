"""An exception that did not stop the program, because some code caught it and printed or reported its traceback.

Test runners, web frameworks, process pools and event loops catch exceptions in this way. The report contains no live
values.
"""

from __future__ import annotations

from typing import Literal

import msgspec

KEY = "dapAiCaught"
"""Key of the report in the `data` of an `output` event that dap_ai's code in a debugpy debuggee sends."""

Filter = Literal["userUnhandled", "raised"]
FILTERS: tuple[Filter, ...] = ("userUnhandled", "raised")
"""Exception filters that would stop the program at the exception. raised: for exceptions that the user's own code
catches."""
_RUNNERS = ("/_pytest/", "/unittest/")


class CaughtFrame(msgspec.Struct, frozen=True, array_like=True):
    """A row of a traceback: file, 1-based line and function name."""

    file: str
    line: int
    name: str
    user: bool
    """Whether debugpy classifies the frame as the user's own code."""


class Caught(msgspec.Struct, frozen=True):
    """An exception that did not stop the program, and its traceback, outermost frame first.

    At least one frame is the user's.
    """

    type: str
    message: str
    frames: list[CaughtFrame]
    filter: Filter = "userUnhandled"
    cwd: str = ""
    """The program's working directory when the exception was reported."""

    @property
    def spot(self) -> CaughtFrame:
        """The innermost user frame, in which the exception was raised or from which it left the user's code."""
        return next((frame for frame in reversed(self.frames) if frame.user), self.frames[-1])

    @property
    def is_of_test(self) -> bool:
        """Whether a test runner caught the exception.

        The test may still be expected to fail; only the end of the test run shows that.
        """
        files = [frame.file.replace("\\", "/") for frame in self.frames]
        return any(part in file for file in files for part in _RUNNERS)
