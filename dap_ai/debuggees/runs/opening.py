"""Opens a recorded run of any format with the most confident reader.

Each reader parses one format and rates its confidence for a path. Readers come from the entry points of the group
`dap_ai.readers`, including third-party ones. A reader that cannot be loaded or raises an unexpected error is reported
and skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from dap_ai.debuggees.runs.readers.base import GROUP, Reader
from dap_ai.debuggees.runs.readers.portion import Portion, thinly
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Problem, Ref, Run

__all__ = ["CannotRead", "Readers", "each_run", "find_runs", "is_there", "open_run", "readers", "recognized"]
SURE = 0.5
"""Minimum confidence of a reader that is tried; a less confident reader is only named as the nearest in the error."""
_MAX_DIGITS = 9
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})


class Readers(NamedTuple):
    """The installed readers, and errors about those that could not be loaded."""

    known: Sequence[Reader]
    broken: Sequence[str]
    """One error message per broken reader: `reader 'x': cannot be loaded: ...`."""


class Guess(NamedTuple):
    """A reader's confidence, 0 to 1, that it can read a path, and the reason for it."""

    confidence: float
    reader: Reader
    why: str


@lru_cache(maxsize=1)
def readers() -> Readers:
    """Load every installed reader and cache the result."""
    known, broken = list[Reader](), list[str]()
    for point in sorted(entry_points(group=GROUP)):
        try:
            loaded = point.load()
        except Exception as error:  # noqa: BLE001  third-party code may raise anything
            broken.append(f"reader {point.name!r}: cannot be loaded: {error!r}")
            continue
        if isinstance(loaded, Reader):
            known.append(loaded)
        else:
            broken.append(f"reader {point.name!r}: is no Reader, but {type(loaded).__name__}")
    return Readers(known, broken)


def open_run(path: str | Path, *, among: Readers | None = None, thin: bool | Portion = False) -> Run:
    """Open the run at a file or folder, or one of several runs in a file, given as `FILE#NUMBER`.

    With `thin`, long texts of a large JSON Lines or span file are read from the file when accessed; such a run can be
    viewed but not encoded. A Portion as `thin` limits how much of the file is read, and records whether the limit was
    reached. Raises CannotRead, whose message lists the known formats and names the nearest reader.
    """
    among = among or readers()
    portion = Portion() if thin is True else thin or None
    found, number = _place(path)
    if not found.exists():
        raise CannotRead(f"{path}: is not there")
    guesses, problems = _guesses(found, among)
    failures = list[str]()
    for guess in guesses:
        if guess.confidence < SURE:
            break
        try:
            with thinly(portion) if portion else nullcontext():
                run = _read(guess.reader, found, number)
        except CannotRead as error:
            failures.append(f"{guess.reader.name}: {error}")
        except Exception as error:  # noqa: BLE001  third-party reader or hostile file: report it without a traceback
            failures.append(f"{guess.reader.name}: fails at it: {error!r}")
        else:
            run.problems = [*run.problems, *problems, *(Problem(Ref(), text) for text in failures)]
            return run
    raise CannotRead(_why_not(path, guesses, failures, [*among.broken, *(problem.text for problem in problems)], among))


def recognized(path: Path, *, among: Readers | None = None) -> Guess | None:
    """Return the most confident reader's guess for a path, or None if no reader is confident enough."""
    guesses, _ = _guesses(_place(path)[0], among or readers())
    return guesses[0] if guesses and guesses[0].confidence >= SURE else None


def is_there(path: str | Path) -> bool:
    """Return whether a path exists: a file, a folder, or a file in `FILE#NUMBER` notation."""
    return _place(path)[0].exists()


def _runs_in(path: Path, reader: Reader) -> list[Path]:
    """Return the runs at a recognized path: the path itself, or `FILE#NUMBER` for each of several runs in one file."""
    try:
        numbers = reader.numbers(path) if reader.numbers and path.is_file() else ()
    except CannotRead:  # reported when the run is opened
        numbers = ()
    return [path.with_name(f"{path.name}#{number}") for number in numbers] if len(numbers) > 1 else [path]


def each_run(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield (path, reader name) of each run at or below a path; every yielded path begins with the given path."""
    if path.is_dir():
        top = Path(os.path.realpath(path))
        for found, reader in find_runs(path):
            yield path / found.relative_to(top), reader
    elif guess := recognized(path):
        yield from ((run, guess.reader.name) for run in _runs_in(path, guess.reader))


def find_runs(folder: str | Path, *, among: Readers | None = None) -> Iterator[tuple[Path, str]]:
    """Yield (path, reader name) of each run in a folder and its subfolders, sorted by name. Does not follow links.

    Does not search inside a folder that is itself a run. Raises CannotRead if `folder` isn't a folder.
    """
    top = _real(folder)
    if not top.is_dir():
        raise CannotRead(f"{folder}: is no folder")
    waiting = [top]
    while waiting:
        place = waiting.pop()
        guess = recognized(place, among=among)
        if guess:
            yield place, guess.reader.name
            continue
        below, files = _listed(place)
        for file in files:
            if found := recognized(file, among=among):
                yield from ((run, found.reader.name) for run in _runs_in(file, found.reader))
        waiting += reversed(below)


def _read(reader: Reader, path: Path, number: int | None) -> Run:
    if number is None:
        return reader.read(path)
    if reader.read_one is None:
        raise CannotRead("has no more than one run in a file")
    return reader.read_one(path, number)


def _place(path: str | Path) -> tuple[Path, int | None]:
    """Split `FILE#NUMBER` into (file, number).

    The number is None for a path without `#NUMBER`, or if a file has that literal name.
    """
    found = _real(path)
    name, mark, number = found.name.rpartition("#")
    if (
        not mark
        or not name
        or len(number) > _MAX_DIGITS
        or not (number.isascii() and number.isdecimal())
        or found.exists()
    ):
        return found, None
    return found.with_name(name), int(number)


def _real(path: str | Path) -> Path:
    """Return the path with links resolved. Raises CannotRead if it is not a valid path."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path!r}: {error}") from error


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return (folders, regular files) in a folder, sorted by name, without links; both empty if not readable."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry for entry in found if not entry.is_symlink()), key=lambda entry: entry.name)
    except OSError:
        return [], []
    folders = [Path(entry.path) for entry in entries if entry.is_dir() and entry.name not in _NEVER_ENTERED]
    return folders, [Path(entry.path) for entry in entries if entry.is_file()]


def _guesses(path: Path, among: Readers) -> tuple[list[Guess], list[Problem]]:
    """Return every reader's guess about a path, most confident first, and problems of readers that failed."""
    guesses, problems = list[Guess](), list[Problem]()
    for reader in among.known:
        try:
            confidence, why = reader.sniff(path)
        except CannotRead:
            continue
        except Exception as error:  # noqa: BLE001  third-party code may raise anything
            problems.append(Problem(Ref(), f"reader {reader.name!r} fails at looking: {error!r}"))
            continue
        if confidence > 0:
            guesses.append(Guess(min(confidence, 1.0), reader, why))
    return sorted(guesses, key=lambda guess: -guess.confidence), problems


def _why_not(
    path: str | Path, guesses: Sequence[Guess], failures: Sequence[str], broken: Sequence[str], among: Readers
) -> str:
    """Return the error message for a path that isn't a known run."""
    if failures:
        return "\n".join([f"{path}: cannot be read", *failures, *broken])
    looked_for = ", ".join(reader.looks_for for reader in among.known)
    nearest = f"; the nearest is {guesses[0].reader.name}: {guesses[0].why}" if guesses else ""
    return "\n".join([f"{path}: is no recorded run that is known: looked for {looked_for}{nearest}", *broken])
