"""Thread that reads the rest of a large run in portions, each several times as long as the previous one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from dap_ai.debuggees.runs.adapter.background_analysis import BackgroundAnalysis
from dap_ai.debuggees.runs.adapter.run_growth import Growth, settled
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.readers.portion import Portion
from dap_ai.debuggees.runs.run_model import Run

FIRST_BYTES = 2_000_000
"""Bytes of each large file that are read to open a run: a few hundred events."""
_TIMES = 8
_TOLD_EVERY_S = 0.5


class _Ended(BaseException):
    """Raised to stop reading. Derives from BaseException so that no reader catches it."""


class ReadingOn:
    """Reads the rest of a large run in a thread; implements run_growth.BackgroundReader."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._tell: Callable[[Growth], None] = _nobody
        self._all_bytes = size_of(path)
        self._bytes = FIRST_BYTES
        self._told_at = 0.0
        self._is_wanted = False
        self._thread: threading.Thread | None = None

    @property
    def first(self) -> str:
        """Text about the part of the run that was read to open it: `the first 2 of 200 MB`."""
        return Growth(self, FIRST_BYTES, self._all_bytes).words

    def begin(self, tell: Callable[[Growth], None]) -> None:
        """Start reading, or resume at the portion that `end` interrupted."""
        self._is_wanted, self._tell = True, tell
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._read, name="reading", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop the thread at the next line."""
        self._is_wanted = False

    def _read(self) -> None:
        is_whole = False
        try:
            while not is_whole:
                is_whole = self._piece()
        except _Ended:
            pass
        except Exception as error:  # noqa: BLE001  changed file or own bug: keep what was read
            why = f"no more of the run can be read: {error}"
            self._tell(Growth(self, self._bytes, self._all_bytes, failed=why))

    def _piece(self) -> bool:
        """Read the run again, up to a larger limit; return whether the whole run was read."""
        wanted = self._bytes * _TIMES
        portion = Portion(wanted if wanted * 2 < self._all_bytes else None, self._passed)
        run = open_run(self._path, thin=portion)
        self._bytes = wanted if portion.is_cut else self._all_bytes
        if portion.is_cut:
            self._tell(Growth(self, self._bytes, self._all_bytes, settled(run)))
        else:
            self._tell(Growth(self, self._bytes, self._all_bytes, run, BackgroundAnalysis(run)))
        return not portion.is_cut

    def _passed(self, byte: int) -> None:
        if not self._is_wanted:
            raise _Ended
        if (now := time.monotonic()) - self._told_at > _TOLD_EVERY_S:
            self._told_at = now
            self._tell(Growth(self, max(byte, self._bytes), self._all_bytes))


def _nobody(_: Growth) -> None:
    pass


def size_of(path: str) -> int:
    """Return the size in bytes of a run's file; for a folder, of its largest file."""
    place = Path(path if Path(path).exists() else path.rpartition("#")[0])
    files = [file for file in place.rglob("*") if file.is_file()] if place.is_dir() else [place]
    return max((file.stat().st_size for file in files), default=0)


def first_of(path: str | Path) -> tuple[Run, bool]:
    """Open a run and return (run, whether it is complete). Raises CannotRead.

    Reads only the beginning of a large run.
    """
    portion = Portion(FIRST_BYTES)
    run = open_run(path, thin=portion)
    if not portion.is_cut:
        return run, True
    return (settled(run), False) if run.events else (open_run(path, thin=True), True)
