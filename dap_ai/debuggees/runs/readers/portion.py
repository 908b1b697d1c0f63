"""Limits how much of a large file is read.

A debugger shows the beginning of a run at once and reads the remaining run later.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LARGE_BYTES = 16 * 1024 * 1024
"""Minimum size of a large file. Long texts of a large file may stay in the file, and only a portion may be read."""
Line = tuple[int, "bytes | None"]


class Portion:
    """Maximum number of bytes to read from each large file. None reads the whole file.

    `passed` is called with the current byte offset and may raise to stop reading.
    """

    def __init__(self, most_bytes: int | None = None, passed: Callable[[int], None] | None = None) -> None:
        self.most_bytes = most_bytes
        self.is_cut = False
        """Whether reading stopped at the limit, so that only the beginning of the run was read."""
        self._passed = passed

    def ends_at(self, byte: int) -> bool:
        """Pass the byte offset to the function `passed`, and return whether reading stops there."""
        if self._passed is not None:
            self._passed(byte)
        if self.most_bytes is None or byte < self.most_bytes:
            return False
        self.is_cut = True
        return True


_wanted: ContextVar[Portion | None] = ContextVar("portion", default=None)


@contextmanager
def thinly(portion: Portion | None = None) -> Generator[None]:
    """Make readers in this context leave long texts in their files and stop at the limit of `portion`."""
    token = _wanted.set(portion or Portion())
    try:
        yield
    finally:
        _wanted.reset(token)


def current_portion() -> Portion | None:
    """Return the portion set by `thinly`, or None if runs are read in full with all texts in memory."""
    return _wanted.get()


def within(lines: Iterable[Line], size: int) -> Iterator[Line]:
    """Yields the lines of a file of `size` bytes up to the end of the portion. The first line is always yielded."""
    portion, start = current_portion(), 0
    for number, line in lines:
        if start and portion is not None and size >= LARGE_BYTES and portion.ends_at(start):
            return
        yield number, line
        start += len(line) + 1 if line is not None else 0
