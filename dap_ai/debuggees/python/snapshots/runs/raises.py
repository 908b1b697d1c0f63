"""Records when each exception of a run was raised, because lines that first ran later had no part in the failure.

No exception is kept alive, so a later exception may have the same id; their tracebacks distinguish them.
"""

from __future__ import annotations

from typing import Any


class Raises:
    """The position in the run at which each exception was first seen. Positions are any values of the caller."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, int, Any]] = {}
        """By the exception's id: (id of its innermost traceback entry, traceback length, position)."""

    def note(self, error: Any, entry: Any, position: Any) -> None:
        """Records the position of an exception that a frame sees, with its traceback `entry`.

        The traceback grows with each frame that the exception leaves, except that `contextlib` removes the entries that
        throwing it into a generator has added.
        """
        length, innermost = 0, entry
        while entry is not None:
            length, innermost, entry = length + 1, entry, entry.tb_next
        known = self._seen.get(id(error))
        if known is None or known[0] != id(innermost) or length <= known[1]:
            self._seen[id(error)] = id(innermost), length, position

    def position(self, error: Any) -> Any:
        """Returns the position at which an exception was raised; None if no traced frame has seen it."""
        known = self._seen.get(id(error))
        return None if known is None else known[2]
