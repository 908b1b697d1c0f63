"""Sends a query's `scopes`, `variables` and `hover` requests to the adapter, each once and within a budget.

Only this module sends text to `evaluate`, always in context `hover` with a frame id. The text is always a path: names,
members, integer subscripts, and leading `*` and `&`. Such a path can neither call a function nor assign a value.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from dap_ai.debuggees.native.reading import types
from dap_ai.debuggees.native.reading.adapter_literals import clear_of_lldb
from dap_ai.debuggees.native.reading.adapter_variables import (
    ADDRESS,
    MAX_PATH,
    PATH,
    AdapterVariable,
    UnreadVariable,
    child_path,
    item_path,
    raw_of,
    target_path,
    unread,
    unshadowed,
)
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import Query
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.load_limits import slack

MAX_REQUESTS = 140
LISTED_ONE_BY_ONE = 100
"""Number of children above which lldb-dap takes 0.1 ms per child, even if a request asks for only a few."""
MAX_LISTED = 2000


class BudgetSpent(Exception):  # noqa: N818  a limit, not a mistake
    """The query has reached its limit of requests, time or bytes."""


class AdapterReader:
    """Sends the requests of one query, each only once. All methods raise NotStopped if the program resumes."""

    def __init__(self, request: Request, query: Query, *, hovers: bool) -> None:
        self.hovers = hovers
        self.truncated = False
        self.bytes_left = query.max_bytes
        self.lldb = False
        """Whether the adapter is lldb-dap, whose variables have an `evaluateName`. If False, the adapter is gdb."""
        self.rust = False
        """Whether the current frame is written in Rust."""
        self.allowance = MAX_REQUESTS
        """Number of requests that the current part of the query may still send."""
        self._request = request
        self._deadline = time.monotonic() + query.deadline_ms / 1000 * slack()
        self._requests_left = MAX_REQUESTS
        self._hovered: dict[tuple[int, str], AdapterVariable | UnreadVariable] = {}
        self._listed: dict[tuple[int, int], list[AdapterVariable] | UnreadVariable] = {}

    @property
    def requests_left(self) -> int:
        """Number of requests that may still be sent; 0 after the deadline."""
        over = time.monotonic() >= self._deadline or self.bytes_left <= 0
        return 0 if over else min(self._requests_left, self.allowance)

    async def send(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the response's body. Raises RequestFailed, NotStopped or BudgetSpent."""
        if self.requests_left <= 0:
            self.truncated = True
            raise BudgetSpent
        self._requests_left -= 1
        self.allowance -= 1
        return await self._request(command, arguments)

    async def frame_variables(self, frame_id: int, wanted: int) -> tuple[list[AdapterVariable], list[AdapterVariable]]:
        """Return a frame's arguments and its locals. If the adapter mixes them, all are returned as locals.

        Raises RequestFailed, NotStopped or BudgetSpent.
        """
        arguments: list[AdapterVariable] = []
        local: list[AdapterVariable] = []
        for scope in (await self.send("scopes", {"frameId": frame_id})).get("scopes", []):
            hint = str(scope.get("presentationHint") or scope.get("name", "")).lower()
            if hint not in ("arguments", "locals", "returnvalue") or not scope.get("variablesReference"):
                continue
            rows = await self._rows(scope["variablesReference"], min(wanted, int(scope.get("namedVariables") or 0)))
            (arguments if hint == "arguments" else local).extend(rows)
        return unshadowed(arguments), unshadowed(local)

    async def _rows(self, reference: int, count: int) -> list[AdapterVariable]:
        window = {"start": 0, "count": count} if count else {}
        body = await self.send("variables", {"variablesReference": reference} | window)
        rows = cast("list[dict[str, Any]]", body.get("variables", []))
        self.lldb = self.lldb or any("evaluateName" in row for row in rows)
        return [self._raw(row, str(row.get("name", ""))) for row in rows]

    def _raw(self, row: dict[str, Any], name: str) -> AdapterVariable:
        """Convert a variable row as raw_of does, and unify types that debuggers and languages name differently."""
        raw = raw_of(row, name)
        if self.rust and raw.type == "char":  # lldb's name for Rust's i8, gdb's for its 32-bit char
            raw = replace(raw, type="i8" if self.lldb else "char32_t")
        if not self.lldb:
            lost = raw.text.startswith("<error") and types.pointee(raw.type) and unread(raw.text).address == raw.place
            return replace(raw, text=hex(raw.place)) if lost else raw  # gdb's error about a char pointer's target
        text = clear_of_lldb(raw.text, rust=types.is_rust_text(raw.type))
        return replace(raw, text="()" if raw.type == "void" else text)

    async def hover(self, frame_id: int, path: str) -> AdapterVariable:
        """Return the variable at the path, read with `hover`. Raises UnreadVariable, NotStopped or BudgetSpent."""
        if not self.hovers or len(path) > MAX_PATH or not PATH.fullmatch(path):
            raise UnreadVariable("no value at that path")
        key = frame_id, path
        if key not in self._hovered:
            self._hovered[key] = await self._hover(frame_id, path)
        found = self._hovered[key]
        if isinstance(found, UnreadVariable):
            raise found
        found.check()
        return found

    async def enumerator(self, frame_id: int, path: str) -> str:
        """Return the numeric value of the enum at the path, as text.

        lldb-dap formats the value in hexadecimal; gdb evaluates a cast. Raises UnreadVariable, NotStopped or
        BudgetSpent.
        """
        if not PATH.fullmatch(path):
            raise UnreadVariable("no value at that path")
        found = await self._hover(frame_id, path, hexadecimal=True)
        if isinstance(found, AdapterVariable) and re.fullmatch(r"0x[0-9a-fA-F]+", found.text):
            return found.text
        return (await self.hover(frame_id, f"(long){path}")).text

    async def _hover(self, frame_id: int, path: str, *, hexadecimal: bool = False) -> AdapterVariable | UnreadVariable:
        arguments: dict[str, Any] = {"expression": path, "frameId": frame_id, "context": "hover"}
        try:
            body = await self.send("evaluate", arguments | ({"format": {"hex": True}} if hexadecimal else {}))
        except NotStopped:
            raise
        except RequestFailed as error:
            return unread(error.user_text)
        return self._raw(body | {"value": body.get("result", "")}, path)

    async def children(self, raw: AdapterVariable, frame_id: int, count: int) -> list[AdapterVariable]:
        """Return a variable's first `count` children. Raises UnreadVariable, NotStopped or BudgetSpent.

        If there are very many children and only a request for all could list them, the list is empty.
        """
        if not raw.reference:
            return []
        total = max(raw.length or 0, raw.named)
        if total > LISTED_ONE_BY_ONE and (found := await self._one_by_one(raw, frame_id, min(count, total))):
            return found
        if total > MAX_LISTED and self.lldb:
            self.truncated = True
            return []
        key = raw.reference, min(count, total) if total else 0
        if key not in self._listed:
            self._listed[key] = await self._children(*key)
        rows = self._listed[key]
        if isinstance(rows, UnreadVariable):
            raise rows
        return [replace(row, path=child_path(raw, row.name)) for row in rows[:count]]

    async def _one_by_one(self, raw: AdapterVariable, frame_id: int, count: int) -> list[AdapterVariable]:
        """Read the first items of a container by `hover`, one request per item."""
        found: list[AdapterVariable] = []
        for index in range(count):
            try:
                item = await self.hover(frame_id, item_path(raw.path, index))
            except (UnreadVariable, BudgetSpent):
                break
            found.append(replace(item, name=f"[{index}]"))
        return found

    async def _children(self, reference: int, count: int) -> list[AdapterVariable] | UnreadVariable:
        try:
            return await self._rows(reference, count)
        except NotStopped:
            raise
        except RequestFailed as error:
            return unread(error.user_text)

    async def memory(self, address: int, size: int) -> bytes:
        """Read `size` bytes of the program's memory. Raises UnreadVariable, NotStopped or BudgetSpent."""
        try:
            body = await self.send("readMemory", {"memoryReference": hex(address), "count": size})
        except NotStopped:
            raise
        except RequestFailed as error:
            raise unread(error.user_text) from error
        found = base64.b64decode(str(body.get("data") or ""))
        if len(found) < size:
            raise UnreadVariable(f"{address:#x} is not readable", address)
        return found

    async def globals(self, frame_id: int) -> list[AdapterVariable]:
        """Return the variables in the scope named Globals. Raises UnreadVariable, NotStopped or BudgetSpent."""
        try:
            scopes = (await self.send("scopes", {"frameId": frame_id})).get("scopes", [])
            found = [scope for scope in scopes if scope.get("name") == "Globals" and scope.get("variablesReference")]
            return await self._rows(found[0]["variablesReference"], MAX_LISTED) if found else []
        except NotStopped:
            raise
        except RequestFailed as error:
            raise unread(error.user_text) from error

    async def pointed(self, raw: AdapterVariable, frame_id: int, count: int) -> AdapterVariable:
        """Return the variable that a pointer or reference points to.

        Raises UnreadVariable, NotStopped or BudgetSpent.
        """
        element = types.pointee(raw.type) or ""
        direct = self.lldb or not raw.text.startswith(("0x", "@"))  # gdb has a printer for the reference itself
        if direct and types.kind_of(element) in ("list", "dict", "set", "optional", "smart", "array"):
            inner = "" if not types.is_reference(raw.type) else raw.path  # its children are the container's
            place = (raw.address or 0) if types.is_reference(raw.type) else raw.place  # lldb's: the reference's own
            return replace(raw, type=element, text=ADDRESS.sub("", raw.text), path=inner, place=place)
        rows = await self.children(replace(raw, text=""), frame_id, count)
        path = target_path(raw.path, plain=types.kind_of(element) in ("", "int", "float", "bool", "char", "pointer"))
        if types.is_reference(raw.type):
            path = raw.path
        if len(rows) == 1 and ((rows[0].name == "value" and not self.lldb) or rows[0].name.startswith(("*", "&"))):
            rows[0].check()
            return replace(rows[0], path=path, type=rows[0].type or element)
        kind = types.kind_of(element)
        opaque = self.lldb and kind in ("pointer", "str")  # the rows may belong to what is behind both pointers
        if (not rows or opaque) and not types.is_reference(raw.type):
            try:
                return await self.hover(frame_id, path)
            except UnreadVariable:
                if not rows or kind == "pointer":
                    raise
        if rows and all(row.text.startswith("<error") for row in rows):
            rows[0].check()
        return replace(raw, type=element, text=ADDRESS.sub("", raw.text), path=path)
