"""Diff of what a call wrote, made from the call's arguments, because the file itself is not available."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite

_MAX_COMPARED = 2_000
"""Maximum lines to diff; above that, all old lines are shown as removed and all new lines as added."""


def change_lines(write: FileWrite) -> Iterator[str]:
    """Yield diff lines that start with `+`, `-`, `@` or a blank; none if the call does not contain the text."""
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
