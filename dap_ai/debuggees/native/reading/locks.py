"""Finds mutexes, their owners, and Rust's mutex guards in a frame's variables, for adapters that cannot read memory."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dap_ai.debuggees.native.reading.faults import tried
from dap_ai.protocol.contracts.backend import Request

MAX_REQUESTS = 40
_MAX_DEPTH = 3
"""Maximum number of levels between a variable and a mutex inside it, as in `bank->accounts[1].lock`."""
_QUIET_SCOPES = ("globals", "registers")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"-?\d+")


class Lock(NamedTuple):
    """A locked mutex of the C library glibc."""

    text: str
    """Expression for the mutex in the frame's code, such as `&to->lock`."""
    owner: int
    """Operating-system number of the thread that holds the mutex."""


async def locks_of(request: Request, frame_id: int) -> list[Lock]:
    """Return the locked mutexes in a frame's arguments and locals, nearest first. Raises NotStopped."""
    search = _Search(request)
    scopes = (await tried(request, "scopes", {"frameId": frame_id})).get("scopes", [])
    level = [row for scope in scopes if _is_own(scope) for row in await search.children(scope)]
    for _ in range(_MAX_DEPTH):
        level = [inner for row in level for inner in await search.inside(row)]
    return search.found


async def guarded_in(request: Request, frame_id: int) -> list[int]:
    """Return the addresses of the mutexes that Rust guards in a frame's variables hold. Raises NotStopped."""
    search = _Search(request)
    scopes = (await tried(request, "scopes", {"frameId": frame_id})).get("scopes", [])
    names = [row for scope in scopes if _is_own(scope) for row in await search.children(scope)]
    guards = [row for row in names if "MutexGuard<" in str(row.get("type") or row.get("value") or "")]
    locks = [row for guard in guards for row in await search.children(guard) if row.get("name") == "lock"]
    return [int(found[0], 16) for found in (_ADDRESS.match(str(row.get("value", ""))) for row in locks) if found]


def _is_own(scope: dict[str, Any]) -> bool:
    return not scope.get("expensive") and str(scope.get("name", "")).lower() not in _QUIET_SCOPES


class _Search:
    def __init__(self, request: Request) -> None:
        self.found: list[Lock] = []
        self._request = request
        self._left = MAX_REQUESTS

    async def children(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return a variable's children; empty after MAX_REQUESTS requests."""
        reference = int(row.get("variablesReference") or 0)
        if not reference or not self._left:
            return []
        self._left -= 1
        wanted = {"variablesReference": reference, "start": 0, "count": 50}
        return (await tried(self._request, "variables", wanted)).get("variables", [])

    async def inside(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return a value's members. If the value is a mutex, record it and return an empty list."""
        rows = await self.children(row)
        data = next((r for r in rows if r.get("name") == "__data"), None)
        if data is None:
            return rows
        owners = [str(r.get("value", "")) for r in await self.children(data) if r.get("name") == "__owner"]
        numbers = [int(found[0]) for found in map(_NUMBER.match, owners) if found]
        self.found += [Lock(_named(row), number) for number in numbers if number]
        return []


def _named(row: dict[str, Any]) -> str:
    text = str(row.get("evaluateName") or row.get("name") or "")
    return text if str(row.get("type", "")).rstrip().endswith("*") else f"&{text}"
