"""A moment as a client sees it: stack frames, scopes and variables, with ids of ours. Pure."""

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
"""From so many numbered parts on, a client is told that it may ask for some of them."""


class Ids:
    """Of frames and of references alike, none of them given twice in a session: those of a moment end with it."""

    def __init__(self) -> None:
        self._numbers = count(FIRST_OF_PAST)

    def new(self) -> int:
        """The next."""
        return next(self._numbers)


class MomentView:
    """Of one moment. What is not known of it yet, `look_at` names."""

    def __init__(self, ids: Ids, frames: Sequence[PastFrame]) -> None:
        self._ids = ids
        self._frames = {ids.new(): frame for frame in frames}
        self._looks: dict[int, MomentQuery] = {}
        """By reference."""
        self._scopes: dict[int, list[dict[str, Any]]] = {}
        self._seen: dict[bytes, MomentResult] = {}

    def stack(self, start: int, levels: int) -> Body:
        """The body of stackTrace."""
        rows = [self._row(number, frame) for number, frame in self._frames.items()]
        return {"stackFrames": rows[start : start + levels if levels else None], "totalFrames": len(rows)}

    def _row(self, number: int, frame: PastFrame) -> dict[str, Any]:
        source = {"name": PurePath(frame.file).name, "path": frame.file}
        return {"id": number, "name": frame.function, "line": frame.line, "column": 1, "source": source}

    def scopes(self, frame_id: int) -> Body | None:
        """The body of scopes; None: no frame of this moment."""
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
        """The index of a frame, the innermost is 0; None: none of this moment."""
        return list(self._frames).index(frame_id) if frame_id in self._frames else None

    def look_at(self, reference: int, start: int, wanted: int) -> MomentQuery | None:
        """What a client wants to see; None: nothing of this moment."""
        look = self._looks.get(reference)
        return msgspec.structs.replace(look, start=start, count=wanted) if look else None

    def result_of(self, look: MomentQuery) -> MomentResult | None:
        """What is known of it."""
        return self._seen.get(_key(look))

    def learn(self, look: MomentQuery, seen: MomentResult) -> None:
        """It was looked at."""
        self._seen[_key(look)] = seen

    def variables(self, look: MomentQuery, seen: MomentResult) -> Body:
        """The body of variables."""
        rows = [self._variable(look, look.start + at, shown) for at, shown in enumerate(seen.parts)]
        return {"variables": rows}

    def value(self, look: MomentQuery, seen: MomentResult) -> Body:
        """The body of evaluate."""
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
