"""Finds and reads every run at or below some paths, one after the other, with progress on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.opening import each_run, is_there, open_run
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Run

_PATH_CHARACTERS = 60


class RunLocation(NamedTuple):
    """Location of a run that a reader has recognized."""

    path: str
    """Path as the user would write it."""
    reader: str


class PathProgress:
    """Shows the path of each run on stderr while the run is read, if enabled."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._count = 0

    def step(self, path: str) -> None:
        """Show the path of the next run to read."""
        self._count += 1
        if self._show:
            line = in_a_line(f"reading run {self._count}: {path_shown(path)}", 20 + _PATH_CHARACTERS)
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Clear the progress line."""
        if self._show and self._count:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@contextmanager
def progress(*, quiet: bool = False) -> Generator[PathProgress]:
    """Show progress on stderr while many runs are read."""
    shown = PathProgress(not quiet and sys.stderr.isatty())
    try:
        yield shown
    finally:
        shown.clear()


def runs_at(paths: Iterable[Path]) -> Iterator[RunLocation]:
    """Yield the run at each path; for a folder of runs, all runs below it.

    Raises RunArgumentError if a path doesn't exist, or is a file that isn't a run.
    """
    for path in paths:
        yield from _runs_at(path)


def _runs_at(path: Path) -> Iterator[RunLocation]:
    if not is_there(path):
        raise RunArgumentError(f"{path_shown(str(path))}: is not there")
    found = None
    for found, reader in each_run(path):
        yield RunLocation(str(found), reader)
    if found is None and not path.is_dir():
        try:
            open_run(path)  # raises the reason
        except CannotRead as error:
            raise RunArgumentError(str(error)) from error


def read(found: RunLocation) -> Run | str:
    """Return the run at a location; a string with the reason if the run can't be read."""
    try:
        return open_run(found.path)
    except CannotRead as error:
        return str(error).replace(f"{os.path.realpath(found.path)}: ", "")
