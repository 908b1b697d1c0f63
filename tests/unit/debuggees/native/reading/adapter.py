"""An adapter in a few lines: variables as lists, and what `hover` finds."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dap_ai.protocol.wire.errors import RequestFailed

Row = dict[str, Any]


@dataclass
class FakeAdapter:
    """As lldb-dap lists them (`paths`), or as gdb. `hovers`: path -> row, or the text of an error."""

    rows: list[Row]
    hovers: Mapping[str, Row | str] = field(default_factory=dict[str, "Row | str"])
    paths: bool = True
    memory: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    sent: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])

    def __post_init__(self) -> None:
        self._numbers = itertools.count(10)
        self._children: dict[int, list[Row]] = {1: self.rows}

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.sent.append((command, arguments))
        if command == "scopes":
            return {"scopes": [{"name": "Locals", "presentationHint": "locals", "variablesReference": 1}]}
        if command == "variables":
            rows = self._children[arguments["variablesReference"]]
            start, count = arguments.get("start", 0), arguments.get("count", 0) or len(rows)
            return {"variables": [self._listed(row) for row in rows[start : start + count]]}
        if command == "evaluate":
            found = self.hovers.get(arguments["expression"], "use of undeclared identifier")
            if isinstance(found, str):
                raise RequestFailed(command, found)
            row = self._listed(found)
            return {**row, "result": row["value"]}
        if command == "readMemory" and arguments["memoryReference"] in self.memory:
            return {"data": base64.b64encode(self.memory[arguments["memoryReference"]]).decode()}
        raise RequestFailed(command, "notSupported")

    def _listed(self, row: Row) -> Row:
        listed = {"value": "", **row}
        children = listed.pop("children", None)
        if children is not None:
            listed["variablesReference"] = next(self._numbers)
            self._children[listed["variablesReference"]] = children
        return listed | ({"evaluateName": listed.get("name", "")} if self.paths else {})


def var(name: str, type_: str, value: str = "", children: list[Row] | None = None, **more: Any) -> Row:
    row = {"name": name, "type": type_, "value": value, **more}
    return row | ({"children": children} if children is not None else {})
