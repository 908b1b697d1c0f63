"""Reads values at an earlier moment of the program, in a copy that has run to that moment.

It uses DAP requests, because the agent's tools read the present.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.commands.debugging import tool_answers
from dap_ai.commands.debugging.live_program import LiveProgram
from dap_ai.protocol.wire.errors import RequestFailed

WHERE = "in the past"
_MANY = 40


async def value(live: LiveProgram, expression: str) -> tool_answers.ShownValue:
    """Return the value of an expression in the selected frame of the copy, or its error."""
    try:
        return tool_answers.ShownValue(str((await _evaluated(live, expression))["result"]))
    except RequestFailed as error:
        return tool_answers.ShownValue(f"*** {error.user_text}", failed=True)


async def names(live: LiveProgram) -> str:
    """Return the local variables of the selected frame as text, one per line."""
    scopes = (await live.controls.request("scopes", {"frameId": live.frame_id}))["scopes"]
    return _rows(await _inside(live, scopes[0]["variablesReference"])) or "no locals"


async def parts(live: LiveProgram, expression: str) -> str:
    """Return the items or fields of an expression's value as text, one per line. Raises RequestFailed."""
    found = await _evaluated(live, expression)
    reference = found["variablesReference"]
    return _rows(await _inside(live, reference)) if reference else str(found["result"])


async def type_of(live: LiveProgram, expression: str) -> str:
    """Return the type of an expression's value. Raises RequestFailed."""
    return str((await _evaluated(live, expression))["type"])


async def _evaluated(live: LiveProgram, expression: str) -> Mapping[str, Any]:
    arguments = {"expression": expression, "frameId": live.frame_id, "context": "watch"}
    return await live.controls.request("evaluate", arguments)


async def _inside(live: LiveProgram, reference: int) -> Sequence[Mapping[str, Any]]:
    return (await live.controls.request("variables", {"variablesReference": reference}))["variables"]


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    more = [f"... {len(rows) - _MANY} more"] if len(rows) > _MANY else []
    return "\n".join([*(f"{row['name']} = {row['value']}" for row in rows[:_MANY]), *more])
