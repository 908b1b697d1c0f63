"""How much of a large file is read at once: a debugger opens a run by its beginning, and reads on while it is used."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LARGE_BYTES = 16 * 1024 * 1024
"""Of files whose texts are left where they are, and of which a portion may be read."""
Line = tuple[int, "bytes | None"]


class Portion:
    """Of each large file so many bytes at most; None: all of it. `passed` hears how far it is, and may raise."""

    def __init__(self, most_bytes: int | None = None, passed: Callable[[int], None] | None = None) -> None:
        self.most_bytes = most_bytes
        self.is_cut = False
        """Whether something was left: what was read is the beginning of a run."""
        self._passed = passed

    def ends_at(self, byte: int) -> bool:
        """Whether nothing is read from this byte of a file on."""
        if self._passed is not None:
            self._passed(byte)
        if self.most_bytes is None or byte < self.most_bytes:
            return False
        self.is_cut = True
        return True


_wanted: ContextVar[Portion | None] = ContextVar("portion", default=None)


@contextmanager
def thinly(portion: Portion | None = None) -> Generator[None]:
    """Runs that are read within it may leave long texts in their files, and are read no further than is said."""
    token = _wanted.set(portion or Portion())
    try:
        yield
    finally:
        _wanted.reset(token)


def current_portion() -> Portion | None:
    """What is to be read, where texts may be left where they are; None: a run is read whole, with its texts."""
    return _wanted.get()


def within(lines: Iterable[Line], size: int) -> Iterator[Line]:
    """The lines of a file of that size, up to the end of the portion; always the first."""
    portion, start = current_portion(), 0
    for number, line in lines:
        if start and portion is not None and size >= LARGE_BYTES and portion.ends_at(start):
            return
        yield number, line
        start += len(line) + 1 if line is not None else 0
