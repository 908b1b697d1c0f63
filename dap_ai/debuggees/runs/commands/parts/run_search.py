"""Many runs: every one at or below some paths, read one after the other, with progress on stderr."""

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
    """A run that some reader takes for its own."""

    path: str
    """As its user would name it."""
    reader: str


class PathProgress:
    """Told of each path that is read; shows it where stderr is a terminal and nothing else is printed meanwhile."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._count = 0

    def step(self, path: str) -> None:
        """The next run is about to be read."""
        self._count += 1
        if self._show:
            line = in_a_line(f"reading run {self._count}: {path_shown(path)}", 20 + _PATH_CHARACTERS)
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()

    def clear(self) -> None:
        """The line is empty again."""
        if self._show and self._count:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@contextmanager
def progress(*, quiet: bool = False) -> Generator[PathProgress]:
    """A line on stderr while many runs are read."""
    shown = PathProgress(not quiet and sys.stderr.isatty())
    try:
        yield shown
    finally:
        shown.clear()


def runs_at(paths: Iterable[Path]) -> Iterator[RunLocation]:
    """The run at each path, or all below it. Raises Unreadable where a path is not there, or no run and no folder."""
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
            open_run(path)  # which says why it is none
        except CannotRead as error:
            raise RunArgumentError(str(error)) from error


def read(found: RunLocation) -> Run | str:
    """The run, or why it cannot be read: its path stands there once at most."""
    try:
        return open_run(found.path)
    except CannotRead as error:
        return str(error).replace(f"{os.path.realpath(found.path)}: ", "")
