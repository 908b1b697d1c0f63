"""Finds the events of an OpenHands run: in an array, in a line of output.jsonl, or in a folder of event files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import as_far_as_possible
from dap_ai.debuggees.runs.readers.base import glance
from dap_ai.debuggees.runs.readers.json_shapes import array, at, table
from dap_ai.debuggees.runs.readers.run_builder import RunBuilder
from dap_ai.debuggees.runs.run_files import CannotRead, lines
from dap_ai.debuggees.runs.run_model import Ref

Place = tuple[Ref, Mapping[str, Any]]
_NUMBERED = re.compile(r"(?:event-)?(\d{1,12})(?:-[0-9a-fA-F-]+)?\.json")
_MOST_FILES = 100_000


def below(ref: Ref, pointer: str) -> Ref:
    """Return a ref to the JSON pointer `pointer` within `ref`."""
    return Ref(ref.path, ref.lines, ref.pointer + pointer)


def _event_files(folder: Path) -> list[str]:
    """Return the names of the event files in a folder, ordered by number; empty if the folder has no event files."""
    try:
        names = [name for name in (entry.name for entry in folder.iterdir()) if _NUMBERED.fullmatch(name)]
    except OSError:
        return []
    return sorted(names, key=lambda name: (int(_NUMBERED.fullmatch(name)[1]), name))[:_MOST_FILES]  # type: ignore[index]


def _events_folder(path: Path) -> tuple[Path, list[str]]:
    """Return the folder with the event files, which is `path` or its subfolder `events`, and the files' names."""
    below = path / "events"
    names = _event_files(below)
    return (below, names) if names else (path, _event_files(path))


def count_event_files(path: Path, is_event: Callable[[Any], bool]) -> int:
    """Return the number of event files in a folder, or 0 if the first file does not contain an event."""
    folder, names = _events_folder(path)
    return len(names) if names and is_event(glance(folder / names[0]).table) else 0


def events_at(
    building: RunBuilder, path: Path, row: int | None = None
) -> tuple[Mapping[str, Any], Ref, Iterator[Place]]:
    """Return the object around the events, its ref, and the events with their refs. Raises CannotRead.

    `row` is the run's line in an output.jsonl, 1-based. None reads the first run.
    """
    return ({}, Ref(), _from_folder(building, path)) if path.is_dir() else _from_file(building, path, row)


def _from_folder(building: RunBuilder, root: Path) -> Iterator[Place]:
    """Yields the event of each file in a folder. An unreadable file becomes a problem."""
    folder, names = _events_folder(root)
    prefix = "" if folder == root else f"{folder.name}/"
    building.run.artefacts = [f"{prefix}{name}" for name in names]
    for name in names:
        place = f"{prefix}{name}"
        try:
            if not (folder / name).resolve().is_relative_to(root.resolve()):
                raise CannotRead("leads out of the run's folder, and is not read")  # noqa: TRY301  the handler below reports it
            value = building.document(folder / name, place)
        except CannotRead as error:
            building.problem(Ref(place), str(error))
            continue
        yield Ref(place), table(value)


def rows(path: Path) -> Sequence[int]:
    """Return the 1-based line numbers of the runs in an output.jsonl. Empty for any other file. Raises CannotRead."""
    if path.suffix != ".jsonl" or _has_events(path):
        return ()
    return [number for number, line in lines(path) if line is None or line.strip()]


def _from_file(building: RunBuilder, path: Path, row: int | None) -> tuple[Mapping[str, Any], Ref, Iterator[Place]]:
    if row is None and path.suffix == ".jsonl" and _has_events(path):
        return {}, Ref(), _from_lines(building, path)
    value, ref = _whole(building, path, row)
    if array(value):
        return {}, ref, _flat(array(value), ref)
    key = "history" if array(at(value, "history")) else "trajectory"
    return table(value), ref, _flat(array(at(value, key)), below(ref, f"/{key}"))


def _has_events(path: Path) -> bool:
    """Return whether each line of a file is an event and not a whole run."""
    first = glance(path).table
    return bool({"kind", "action", "observation"} & first.keys()) and not {"history", "trajectory"} & first.keys()


def _from_lines(building: RunBuilder, path: Path) -> Iterator[Place]:
    for number, line in lines(path):
        if line is None or line.strip():
            try:
                value, ref = _row(building, path, number, line)
            except CannotRead as error:
                building.problem(Ref(lines=(number, number)), str(error))
                continue
            yield ref, table(value)


def _flat(history: Any, ref: Ref) -> Iterator[Place]:
    """Yields the events of a history. In the oldest layout, the history consists of pairs of action and observation."""
    for index, item in enumerate(history):
        if isinstance(item, list):
            for position, one in enumerate(array(item)):
                yield below(ref, f"/{index}/{position}"), table(one)
        else:
            yield below(ref, f"/{index}"), table(item)


def _whole(building: RunBuilder, path: Path, row: int | None) -> tuple[Any, Ref]:
    if path.suffix != ".jsonl":
        if row is not None:
            raise CannotRead(f"{path}: is one run, and has no run {row}")
        return building.document(path), Ref()
    known = rows(path)
    if not known:
        raise CannotRead(f"{path}: is empty")
    if row is None and len(known) > 1:
        told = f"holds {len(known)} runs, a line each: the first is shown, and {path.name}#{known[1]} is the next"
        building.problem(Ref(lines=(known[0], known[0])), told)
    wanted = known[0] if row is None else row
    return _row(building, path, wanted, next((line for number, line in lines(path) if number == wanted), b""))


def _row(building: RunBuilder, path: Path, row: int, line: bytes | None) -> tuple[Any, Ref]:
    """Return the value of a line and its ref. Raises CannotRead if the line is missing or too long."""
    if line is None or not line.strip():
        raise CannotRead(f"{path}: line {row} is not there, or too long to be read")
    value, wrong = as_far_as_possible(line)
    if wrong:
        building.problem(Ref(lines=(row, row)), wrong)
    return value, Ref(lines=(row, row))
