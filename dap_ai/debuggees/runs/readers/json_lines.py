"""Reads JSON Lines files. Yields objects with their refs.

A line that is not an object becomes a note and is reported as a problem.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.readers import portion, thin_events
from dap_ai.debuggees.runs.readers.base import Glance
from dap_ai.debuggees.runs.readers.json_shapes import table
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_files import MAX_LINE_BYTES, CannotRead, beginning, lines
from dap_ai.debuggees.runs.run_model import Ref

_MAX_QUOTED = 200_000
"""Maximum bytes that the note of a line keeps if the line is not an object."""


def first_rows(seen: Glance) -> Sequence[Any]:
    """Return the values of the first lines of a log.

    Accepts a log with a single line, and lines that are not objects.
    """
    if seen.rows or seen.kind not in ("document", "text"):
        return seen.rows
    try:
        value, _ = decoded(seen.head.lstrip().partition(b"\n")[0])
    except CannotRead:
        return ()
    return [value] if isinstance(value, dict) else ()


def objects(path: Path, timeline: Timeline, name: str = "") -> Iterator[tuple[Ref, Mapping[str, Any]]]:
    """Yields each object of a file with the ref of its line. Raises CannotRead.

    A line that is not an object becomes a note and is reported as a problem. If texts of a large file may stay in the
    file (`portion.thinly`), long texts of the events added for a line are replaced by their locations after each
    iteration.
    """
    for ref, value, page in located(path, timeline, name):
        yield ref, value
        if page is not None:
            timeline.shrink(page)


def located(
    path: Path, timeline: Timeline, name: str = ""
) -> Iterator[tuple[Ref, Mapping[str, Any], thin_events.Page | None]]:
    """Yields each object of a file with the ref and the `Page` of its line. Raises CannotRead.

    A `Page` finds the line's texts in the file again. It is None if texts are kept in memory.
    """
    size = path.stat().st_size
    source = thin_events.ThinSource(path) if portion.current_portion() and size >= portion.LARGE_BYTES else None
    start = len(codecs.BOM_UTF8) if source and beginning(path, 3) == codecs.BOM_UTF8 else 0
    for number, line in portion.within(lines(path), size):
        ref = Ref(name, (number, number))
        if line is None:
            source = None  # the line's length is unknown, so offsets from here on are too
            timeline.problem(
                ref, f"the line has more than {MAX_LINE_BYTES // 1024**2} MB, and is not read", "long line"
            )
        elif line.strip():
            try:
                value, wrong = decoded(line)
            except CannotRead as error:
                value, wrong = None, str(error)
            if wrong:
                timeline.problem(ref, wrong, "line that is no JSON")
            if isinstance(value, dict):
                yield ref, table(value), thin_events.Page(source, start, len(line), value) if source else None
            else:
                keep(line, ref, timeline, wrong)
        start += len(line) + 1 if line is not None else 0


def keep(line: bytes, ref: Ref, timeline: Timeline, wrong: str = "") -> None:
    """Add a line that is not an object as a note, and report the line as a problem.

    A line longer than 200,000 bytes is cut.
    """
    timeline.add("note", ref, text=line[:_MAX_QUOTED].decode("utf-8", "replace"))
    if not wrong:
        timeline.problem(ref, "the line is no JSON object", "line that is no object")
    if len(line) > _MAX_QUOTED:
        timeline.problem(ref, f"only the first {_MAX_QUOTED} bytes of the line are shown", "long line")
