"""When each exception of a run was raised: a line that first ran later had no part in that failure.

No exception is kept alive, so a later one may have the same id: their tracebacks tell them apart.
"""

from __future__ import annotations

from typing import Any


class Raises:
    """The position in the run at which each exception was first seen; the caller defines positions."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, int, Any]] = {}
        """By an exception's id: the id of its innermost traceback entry, the traceback's first length, the position."""

    def note(self, error: Any, entry: Any, position: Any) -> None:
        """A frame sees an exception, whose traceback `entry` is longer than at first with each frame that it leaves.

        Not longer each time: `contextlib` takes off what throwing it into a generator has added.
        """
        length, innermost = 0, entry
        while entry is not None:
            length, innermost, entry = length + 1, entry, entry.tb_next
        known = self._seen.get(id(error))
        if known is None or known[0] != id(innermost) or length <= known[1]:
            self._seen[id(error)] = id(innermost), length, position

    def position(self, error: Any) -> Any:
        """Where this was raised; None: no traced frame has seen it."""
        known = self._seen.get(id(error))
        return None if known is None else known[2]
