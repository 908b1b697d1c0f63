"""Converts a past moment to DAP stack frames, scopes and variables, and assigns their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import PurePath
from typing import Any

import msgspec

from dap_ai.adapter.state.ours import FIRST_OF_PAST
from dap_ai.protocol.contracts.rewind_messages import MomentQuery, MomentResult, MomentValue, PastFrame

Body = Mapping[str, Any]
_SCOPES = {"locals": "Locals", "globals": "Globals"}
_MANY = 100
"""Number of elements above which a client may fetch a variable's elements in ranges."""


class Ids:
    """Counter of ids for frames and variables. It never repeats an id in a session."""

    def __init__(self) -> None:
        self._numbers = count(FIRST_OF_PAST)

    def new(self) -> int:
        """Return the next id."""
        return next(self._numbers)


class MomentView:
    """The DAP view of one past moment. `look_at` returns the query that fetches a variable's children."""

    def __init__(self, ids: Ids, frames: Sequence[PastFrame]) -> None:
        self._ids = ids
        self._frames = {ids.new(): frame for frame in frames}
        self._looks: dict[int, MomentQuery] = {}
        """Maps each variables reference to the query that fetches its children."""
        self._scopes: dict[int, list[dict[str, Any]]] = {}
        self._seen: dict[bytes, MomentResult] = {}

    def stack(self, start: int, levels: int) -> Body:
        """Return the body of a `stackTrace` response for this moment."""
        rows = [self._row(number, frame) for number, frame in self._frames.items()]
        return {"stackFrames": rows[start : start + levels if levels else None], "totalFrames": len(rows)}

    def _row(self, number: int, frame: PastFrame) -> dict[str, Any]:
        source = {"name": PurePath(frame.file).name, "path": frame.file}
        return {"id": number, "name": frame.function, "line": frame.line, "column": 1, "source": source}

    def scopes(self, frame_id: int) -> Body | None:
        """Return the body of a `scopes` response, or None if the frame belongs to another moment."""
        index = self.frame(frame_id)
        if index is None:
            return None
        if frame_id not in self._scopes:
            self._scopes[frame_id] = [
                {
                    "name": name,
                    "variablesReference": self._reference(MomentQuery(index, root)),
                    "expensive": root == "globals",
                }
                for root, name in _SCOPES.items()
            ]
        return {"scopes": self._scopes[frame_id]}

    def frame(self, frame_id: int) -> int | None:
        """Return the index of a frame (0 is the innermost), or None if the frame belongs to another moment."""
        return list(self._frames).index(frame_id) if frame_id in self._frames else None

    def look_at(self, reference: int, start: int, wanted: int) -> MomentQuery | None:
        """Return the query for a range of a variable's children, or None if the reference belongs to another moment."""
        look = self._looks.get(reference)
        return msgspec.structs.replace(look, start=start, count=wanted) if look else None

    def result_of(self, look: MomentQuery) -> MomentResult | None:
        """Return the stored result of a query, or None if no result is stored."""
        return self._seen.get(_key(look))

    def learn(self, look: MomentQuery, seen: MomentResult) -> None:
        """Store the result of a query."""
        self._seen[_key(look)] = seen

    def variables(self, look: MomentQuery, seen: MomentResult) -> Body:
        """Return the body of a `variables` response from a query's result."""
        rows = [self._variable(look, look.start + at, shown) for at, shown in enumerate(seen.parts)]
        return {"variables": rows}

    def value(self, look: MomentQuery, seen: MomentResult) -> Body:
        """Return the body of an `evaluate` response from a query's result."""
        shown = seen.value or MomentValue("", "")
        told = {"result": shown.value, "type": shown.type, "variablesReference": 0}
        return told | self._inside(look, shown)

    def _variable(self, look: MomentQuery, place: int, shown: MomentValue) -> dict[str, Any]:
        inner = MomentQuery(look.frame, look.root, [*look.path, place])
        told = {"name": shown.name, "value": shown.value, "type": shown.type, "variablesReference": 0}
        return told | self._inside(inner, shown)

    def _inside(self, look: MomentQuery, shown: MomentValue) -> dict[str, Any]:
        if not shown.parts:
            return {}
        many = {"indexedVariables": shown.parts} if shown.indexed and shown.parts > _MANY else {}
        return {"variablesReference": self._reference(look), **many}

    def _reference(self, look: MomentQuery) -> int:
        number = self._ids.new()
        self._looks[number] = look
        return number


def _key(look: MomentQuery) -> bytes:
    return msgspec.json.encode(look)
