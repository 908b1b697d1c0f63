"""Names and parts of values by DAP's `scopes` and `variables`, where the debug adapter has no walker."""

from __future__ import annotations

import ast
from typing import Any

from dap_ai.agent.case.rows import MAX_SCOPES, is_quiet, page_of, rows_of, variable_of
from dap_ai.agent.tools.base import Bench
from dap_ai.protocol.contracts.inspection import Variable


async def names_of(bench: Bench) -> list[Variable]:
    """The names of the frame. Raises NotStopped, RequestFailed."""
    return [variable_of(row) for row in await _names(bench)]


async def children_of(bench: Bench, expression: ast.expr) -> list[Variable]:
    """The parts of a value, or the value alone. Raises LookupError, NotStopped, RequestFailed.

    `expression` is a name with attributes and subscripts: each of them is looked up among what the adapter lists.
    """
    rows, row = await _names(bench), dict[str, Any]()
    for step in _steps(expression):
        found = next((r for r in rows if str(r.get("name", "")) in step), None)
        if found is None:
            raise LookupError(f"the debug adapter lists no {step[0]} there")
        row = found
        rows = await _children(bench, int(row.get("variablesReference") or 0))
    return [variable_of(r) for r in rows or [row]]


def _steps(expression: ast.expr) -> list[tuple[str, ...]]:
    """The names by which adapters list each step, from the root on."""
    match expression:
        case ast.Name(id=name):
            return [(name,)]
        case ast.Attribute(value=value, attr=name):
            return [*_steps(value), (name, f".{name}")]
        case ast.Subscript(value=value, slice=index):
            text = ast.unparse(index)
            padded = [text.zfill(width) for width in range(2, 9)] if text.isdecimal() else []
            return [*_steps(value), (text, f"[{text}]", *padded)]
        case _:
            raise LookupError("without a walker only names, attributes and subscripts are read")


async def _names(bench: Bench) -> list[dict[str, Any]]:
    scopes = rows_of(await bench.debugger.request("scopes", {"frameId": bench.frame_id}), "scopes")
    rows: list[dict[str, Any]] = []
    for scope in [scope for scope in scopes if not scope.get("expensive") and not is_quiet(scope)][:MAX_SCOPES]:
        rows += await _children(bench, int(scope.get("variablesReference") or 0))
    return rows


async def _children(bench: Bench, reference: int) -> list[dict[str, Any]]:
    if not reference:
        return []
    return rows_of(await bench.debugger.request("variables", page_of(reference)), "variables")
