"""Opens a recorded run, of whatever format: asks each reader how sure it is, and lets the surest one read.

Readers come from the entry points of the group `dap_ai.readers`, ours and anybody's. One that cannot be loaded, or that
fails in another way than it may, is told and left out; it never ends the reading of others.
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
"""A reader that is less sure than this is named as the nearest, and not tried."""
_MAX_DIGITS = 9
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})


class Readers(NamedTuple):
    """The readers that are there, and what is wrong with those that are not."""

    known: Sequence[Reader]
    broken: Sequence[str]
    """Words, one text each: `reader 'x': cannot be loaded: ...`."""


class Guess(NamedTuple):
    """What a reader says of a path."""

    confidence: float
    reader: Reader
    why: str


@lru_cache(maxsize=1)
def readers() -> Readers:
    """Every reader that is installed; loaded once."""
    known, broken = list[Reader](), list[str]()
    for point in sorted(entry_points(group=GROUP)):
        try:
            loaded = point.load()
        except Exception as error:  # noqa: BLE001  anybody's code: whatever it raises, the others work
            broken.append(f"reader {point.name!r}: cannot be loaded: {error!r}")
            continue
        if isinstance(loaded, Reader):
            known.append(loaded)
        else:
            broken.append(f"reader {point.name!r}: is no Reader, but {type(loaded).__name__}")
    return Readers(known, broken)


def open_run(path: str | Path, *, among: Readers | None = None, thin: bool | Portion = False) -> Run:
    """The run at a file or folder, or in a file that has several: `FILE#NUMBER`.

    `thin`: long texts of a large file of lines or spans stay in it, and are read when somebody looks. Such a run is
    looked at, and not encoded. A Portion says how much of such a file is read, and then knows whether all was.
    Raises CannotRead: what was looked for, and which reader is the nearest.
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
        except Exception as error:  # noqa: BLE001  a reader of anybody's, or a hostile file: words, no traceback
            failures.append(f"{guess.reader.name}: fails at it: {error!r}")
        else:
            run.problems = [*run.problems, *problems, *(Problem(Ref(), text) for text in failures)]
            return run
    raise CannotRead(_why_not(path, guesses, failures, [*among.broken, *(problem.text for problem in problems)], among))


def recognized(path: Path, *, among: Readers | None = None) -> Guess | None:
    """The reader that is the surest of a path, and sure enough; None where there is none."""
    guesses, _ = _guesses(_place(path)[0], among or readers())
    return guesses[0] if guesses and guesses[0].confidence >= SURE else None


def is_there(path: str | Path) -> bool:
    """Whether something is there: a file, a folder, or a file of which one run is named."""
    return _place(path)[0].exists()


def _runs_in(path: Path, reader: Reader) -> list[Path]:
    """The runs at a recognized path: itself, or each of several in one file, as `open_run` takes them."""
    try:
        numbers = reader.numbers(path) if reader.numbers and path.is_file() else ()
    except CannotRead:  # which is told when it is opened
        numbers = ()
    return [path.with_name(f"{path.name}#{number}") for number in numbers] if len(numbers) > 1 else [path]


def each_run(path: Path) -> Iterator[tuple[Path, str]]:
    """The run or runs at a path, or all below it, named as the path is, and their readers' names; none: it has none."""
    if path.is_dir():
        top = Path(os.path.realpath(path))
        for found, reader in find_runs(path):
            yield path / found.relative_to(top), reader
    elif guess := recognized(path):
        yield from ((run, guess.reader.name) for run in _runs_in(path, guess.reader))


def find_runs(folder: str | Path, *, among: Readers | None = None) -> Iterator[tuple[Path, str]]:
    """Each run in a folder and below, and its reader's name, in the order of names. Links are not followed.

    A folder that is a run is not looked into any further. Raises CannotRead where the folder is none.
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
    """The file or folder, and the number of a run in it. A file whose own name ends so is that file."""
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
    """The path without links. Raises CannotRead where it can be none."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path!r}: {error}") from error


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Folders and ordinary files in a folder, by name, without links; nothing where it may not be read."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry for entry in found if not entry.is_symlink()), key=lambda entry: entry.name)
    except OSError:
        return [], []
    folders = [Path(entry.path) for entry in entries if entry.is_dir() and entry.name not in _NEVER_ENTERED]
    return folders, [Path(entry.path) for entry in entries if entry.is_file()]


def _guesses(path: Path, among: Readers) -> tuple[list[Guess], list[Problem]]:
    """What each reader says of a path, the surest first, and which of them fail at it."""
    guesses, problems = list[Guess](), list[Problem]()
    for reader in among.known:
        try:
            confidence, why = reader.sniff(path)
        except CannotRead:
            continue
        except Exception as error:  # noqa: BLE001  the same
            problems.append(Problem(Ref(), f"reader {reader.name!r} fails at looking: {error!r}"))
            continue
        if confidence > 0:
            guesses.append(Guess(min(confidence, 1.0), reader, why))
    return sorted(guesses, key=lambda guess: -guess.confidence), problems


def _why_not(
    path: str | Path, guesses: Sequence[Guess], failures: Sequence[str], broken: Sequence[str], among: Readers
) -> str:
    """The one message about a path that is no run."""
    if failures:
        return "\n".join([f"{path}: cannot be read", *failures, *broken])
    looked_for = ", ".join(reader.looks_for for reader in among.known)
    nearest = f"; the nearest is {guesses[0].reader.name}: {guesses[0].why}" if guesses else ""
    return "\n".join([f"{path}: is no recorded run that is known: looked for {looked_for}{nearest}", *broken])
