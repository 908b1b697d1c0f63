"""When the exceptions of a run were raised: what first runs later had no part in the failure that one of them is.

No exception is kept: it would live longer than in the program. So an id may come again; its traceback tells.
"""

from __future__ import annotations

from typing import Any


class Raises:
    """The position in the run, as who looks on counts it, at which each exception was first seen."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, int, Any]] = {}
        """By the exception's id: its innermost traceback entry's, how long its traceback was first, the position."""

    def note(self, error: Any, entry: Any, position: Any) -> None:
        """A frame sees an exception with this traceback. One that goes on its way has a longer one than at first.

        Not each time a longer one: `contextlib` takes off what throwing it into a generator has added.
        """
        length, innermost = 0, entry
        while entry is not None:
            length, innermost, entry = length + 1, entry, entry.tb_next
        known = self._seen.get(id(error))
        if known is None or known[0] != id(innermost) or length <= known[1]:
            self._seen[id(error)] = id(innermost), length, position

    def position(self, error: Any) -> Any:
        """None: no frame that was looked at has seen it."""
        known = self._seen.get(id(error))
        return None if known is None else known[2]
