"""Diffs of the files that a tool call writes, made from the call's arguments because the files are not available."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite

_MAX_COMPARED = 2_000
"""Maximum lines to diff; above this limit, all old lines are shown as removed and all new lines as added."""


def change_lines(write: FileWrite) -> Iterator[str]:
    """Yield the diff lines of a file write; each starts with `+`, `-`, `@` or a blank.

    Yields nothing if the call does not contain the written text.
    """
    old = write.old.splitlines() if write.old is not None else []
    new = write.new.splitlines() if write.new is not None else []
    if write.how == "patch" and write.new is not None and write.old is None:
        yield from new
        return
    if len(old) + len(new) > _MAX_COMPARED or not old:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    yield from islice(difflib.unified_diff(old, new, n=3, lineterm=""), 2, None)  # without the file names
