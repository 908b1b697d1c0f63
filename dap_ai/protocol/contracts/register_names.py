"""The processor's general registers, which debug adapters list in a frame's scope named `registers`."""

from __future__ import annotations

import re
from typing import Any

from dap_ai.protocol.contracts.backend import Request

_GENERAL = re.compile(r"r(?:[a-d]x|[sd]i|[sb]p|ip|flags|\d+)|eflags|x\d+|sp|pc|fp|lr|cpsr", re.IGNORECASE)


async def general_registers(request: Request, frame_id: int) -> dict[str, str]:
    """Return the displayed value of each register by name; empty if the adapter shows no registers.

    Raises what `request` raises.
    """
    scopes = (await request("scopes", {"frameId": frame_id})).get("scopes", [])
    scope = next((s for s in scopes if str(s.get("name", "")).lower() == "registers"), None)
    rows = await _rows(request, scope) if scope else []
    if rows and rows[0].get("variablesReference"):  # lldb-dap lists them in groups, the general ones first
        rows = await _rows(request, rows[0])
    pairs = {str(row.get("name", "")): str(row.get("value", "")) for row in rows}
    general = {name: value for name, value in pairs.items() if _GENERAL.fullmatch(name)}
    if "rsp" in general:
        general.pop("sp", None)  # lldb-dap's: the lower half of rsp
    return general


async def _rows(request: Request, holder: dict[str, Any]) -> list[dict[str, Any]]:
    reference = int(holder.get("variablesReference") or 0)
    return (await request("variables", {"variablesReference": reference})).get("variables", [])
