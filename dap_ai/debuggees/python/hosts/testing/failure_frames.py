"""Which exception a test has failed with, and which frames are its own: the runner's are folded away."""

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
"""Packages that stand between a test and what it tests, and fail in its name."""
_RUNNER_MODULES = ("twisted.trial.", "twisted.internet.defer", "twisted.python.failure")
"""The same of a package that is also tested by other means: how the names of its modules begin."""


def failed_with(exc: BaseException) -> BaseException:
    """What is wrong: not that a module could not be collected, or a doctest not be run, but why.

    Of an exception group, its first member with a traceback.
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
    """Says of each frame of a traceback whether it is the test's, or of what it tests.

    Left out are whatever called the outermost frame of the user's code, the packages of the runner, and the frames
    that hide themselves as pytest has it (`__tracebackhide__`). `root`: what lies there is the user's, be it pytest.
    """

    def __init__(self, exc: BaseException, root: str) -> None:
        self._root = root + os.sep
        frames = list(_frames(exc.__traceback__))
        first = next((n for n, frame in enumerate(frames) if self._is_users(frame)), 0)
        self._callers = {id(frame) for frame in frames[:first]}

    def __call__(self, frame: FrameType) -> bool:
        """See inject.post_mortem.stack.Keep."""
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
    """A function decides by the exception; that is for those who wrote it."""
    hides = frame.f_locals.get("__tracebackhide__", frame.f_globals.get("__tracebackhide__"))
    return hides is True
