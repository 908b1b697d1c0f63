"""What a call wrote, as the lines of a diff; made of what the call says, not of the file, which nobody has."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite

_MAX_COMPARED = 2_000
"""Lines: above that, the old and the new stand one after the other."""


def change_lines(write: FileWrite) -> Iterator[str]:
    """Lines that start with `+`, `-`, `@` or a blank; none where the call does not hold the text."""
    old = write.old.splitlines() if write.old is not None else []
    new = write.new.splitlines() if write.new is not None else []
    if write.how == "patch" and write.new is not None and write.old is None:
        yield from new
        return
    if len(old) + len(new) > _MAX_COMPARED or not old:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    yield from islice(difflib.unified_diff(old, new, n=3, lineterm=""), 2, None)  # without the names of files
