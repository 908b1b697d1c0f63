"""Reads a native value's parts page by page with DAP's `variables`, so that large containers do not take longer."""

from __future__ import annotations

import contextlib
from typing import Any

from dap_ai.agent.case.frame_rows import QUIET_SCOPES
from dap_ai.agent.source.syntax import node_of
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.tool_reads import visit
from dap_ai.protocol.contracts.inspection import FrameQuery, Node, Value, Variable

_MAX_LISTED = 200
"""Maximum number of children that are searched for a member."""
_MAX_DEPTH = 3
"""Maximum number of base classes and pointers between a value and its member."""

Row = dict[str, Any]


async def page_of(bench: ToolContext, expression: str, start: int, count: int) -> tuple[list[Variable], int]:
    """Return `count` children of a value from `start` on, and their total number.

    Supports names, members, items and pointer targets that the adapter lists. Raises LookupError, NotStopped or
    RequestFailed.
    """
    row = await _pointed(bench, await _row(bench, node_of(expression, bench.dialect)))
    total = int(row.get("indexedVariables") or 0) + int(row.get("namedVariables") or 0)
    rows = await _children(bench, row, start, count)
    if not total:
        total = start + len(rows) + (len(rows) == count and bool(await _children(bench, row, start + count, 1)))
    return [Variable(_name(r), Value(str(r.get("value", "")), str(r.get("type") or ""))) for r in rows[:count]], total


async def _row(bench: ToolContext, node: Node) -> Row:
    match node:
        case ["n", str(name)]:
            return _called(await _names(bench), name)
        case ["a", inner, str(name)]:
            return await _member(bench, await _row(bench, inner), name, _MAX_DEPTH)
        case ["s", inner, index]:
            return await _item(bench, await _row(bench, inner), await _number(bench, index))
        case ["->", inner]:
            return await _row(bench, inner)
        case ["u", "*", inner]:
            return await _pointed(bench, await _row(bench, inner))
        case ["cast", _, _]:
            raise LookupError("the parts of a cast value are not listed: read it without the cast")
        case _:
            raise LookupError("only names, members, items and what pointers point to have parts")


async def _pointed(bench: ToolContext, row: Row) -> Row:
    """Return a pointer's target if the adapter lists it as the pointer's only child (as gdb does) and it has parts.

    Any other row is returned unchanged.
    """
    if not str(row.get("type") or "").rstrip().endswith(("*", "&", "*const", "* const")):
        return row
    children = await _children(bench, row, 0, 2)
    return children[0] if len(children) == 1 and children[0].get("variablesReference") else row


async def _member(bench: ToolContext, row: Row, name: str, depth: int) -> Row:
    """Find a member of a value, a base class or a pointer's target. Raises LookupError if it is not found."""
    children = await _children(bench, row, 0, _MAX_LISTED)
    for child in children:
        if _name(child) == name:
            return child
    inner = [c for c in children if len(children) == 1 or _name(c) == str(c.get("type") or "")]
    for child in inner if depth else ():
        with contextlib.suppress(LookupError):
            return await _member(bench, child, name, depth - 1)
    raise LookupError(f"the debug adapter lists no {name} there")


async def _item(bench: ToolContext, row: Row, index: int) -> Row:
    for child in await _children(bench, row, index, 1):
        if _name(child).strip("[]") == str(index):
            return child
    return _called(await _children(bench, row, 0, _MAX_LISTED), f"[{index}]")


async def _number(bench: ToolContext, index: Node) -> int:
    match index:
        case ["c", int(number)]:
            return number
        case _:
            found = await visit(bench, [FrameQuery(bench.frame_id, variables=False, expressions=[index])])
            value = found.frames[0].values[0].value if found.frames and found.frames[0].values else None
            if value is None or not value.text.isdecimal():
                raise LookupError("the index could not be read")
            return int(value.text)


def _called(rows: list[Row], name: str) -> Row:
    for row in rows:
        if _name(row) == name:
            return row
    raise LookupError(f"the debug adapter lists no {name} there")


async def _names(bench: ToolContext) -> list[Row]:
    """Return the frame's variables, followed by the global variables of its file."""
    scopes = (await bench.debugger.request("scopes", {"frameId": bench.frame_id})).get("scopes", [])
    own = [s for s in scopes if str(s.get("name", "")).lower() not in QUIET_SCOPES]
    wide = [s for s in scopes if str(s.get("name", "")).lower() == "globals"]
    rows: list[Row] = []
    for scope in (*own, *wide):
        rows += await _children(bench, scope, 0, _MAX_LISTED)
    return rows


async def _children(bench: ToolContext, row: Row, start: int, count: int) -> list[Row]:
    reference = int(row.get("variablesReference") or 0)
    if not reference:
        return []
    page = {"variablesReference": reference, "start": start, "count": count}
    rows: list[Row] = (await bench.debugger.request("variables", page)).get("variables", [])
    return rows if len(rows) <= count else rows[start : start + count]  # gdb only pages for clients that support it


def _name(row: Row) -> str:
    return str(row.get("name", ""))
