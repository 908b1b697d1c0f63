"""Finds the exception that a test failed with, and the frames to show: the runner's frames are hidden."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, cast

from dap_ai.system.user_code import is_user_path

_RUNNERS = frozenset({
    "_pytest", "pluggy", "pytest", "unittest", "mock", "xdist", "execnet", "pytest_asyncio", "pytest_mock",
    "pytest_timeout", "pytest_cov", "pytest_subtests", "hypothesis",
})  # fmt: skip
"""Packages of test runners. Their frames lie between a test and the code it tests, or raise failures."""
_RUNNER_MODULES = ("twisted.trial.", "twisted.internet.defer", "twisted.python.failure")
"""Prefixes of runner modules in packages that programs also use without the runner."""


def failed_with(exc: BaseException) -> BaseException:
    """Returns the error behind pytest's or doctest's own exception.

    This is the error of a module that was not collected, the error that a doctest raised, or the first member of an
    exception group that has a traceback.
    """
    if type(exc).__name__ == "CollectError" and exc.__cause__ is not None:
        return failed_with(exc.__cause__)
    told = getattr(exc, "exc_info", None)
    if type(exc).__name__ == "UnexpectedException" and isinstance(told, tuple):  # doctest's
        return failed_with(cast("tuple[Any, BaseException, Any]", told)[1])
    members: Any = getattr(exc, "exceptions", None)
    if isinstance(members, tuple) and type(exc).__name__.endswith("Group"):
        for member in cast("tuple[BaseException, ...]", members):
            if member.__traceback__ is not None:
                return failed_with(member)
    return exc


class FrameFilter:
    """Decides which frames of a traceback belong to the test or to the code it tests.

    It hides the callers of the outermost user frame, frames of test runners, and frames with pytest's
    `__tracebackhide__`. `root`: the user's folder; all code there counts as the user's, even a test runner.
    """

    def __init__(self, exc: BaseException, root: str) -> None:
        self._root = root + os.sep
        frames = list(_frames(exc.__traceback__))
        first = next((n for n, frame in enumerate(frames) if self._is_users(frame)), 0)
        self._callers = {id(frame) for frame in frames[:first]}

    def __call__(self, frame: FrameType) -> bool:
        """Whether to show a frame of the traceback."""
        return id(frame) not in self._callers and not self._is_runners(frame) and not _hides(frame)

    def _is_users(self, frame: FrameType) -> bool:
        return is_user_path(frame.f_code.co_filename) and not self._is_runners(frame)

    def _is_runners(self, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        if file.startswith(self._root) and is_user_path(file):
            return False
        name = frame.f_globals.get("__name__")
        return type(name) is str and (name.partition(".")[0] in _RUNNERS or name.startswith(_RUNNER_MODULES))


def _frames(tb: TracebackType | None) -> Iterator[FrameType]:
    while tb is not None:
        yield tb.tb_frame
        tb = tb.tb_next


def _hides(frame: FrameType) -> bool:
    """Whether a frame hides itself by `__tracebackhide__ = True`; a function as its value is ignored."""
    hides = frame.f_locals.get("__tracebackhide__", frame.f_globals.get("__tracebackhide__"))
    return hides is True
