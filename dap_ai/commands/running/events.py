"""What a run goes by: events of the session, and beside them what its user does (`line`, `consent`, `interrupt`)."""

from __future__ import annotations

import asyncio
from typing import Any

from dap_ai.client import Client

Events = asyncio.Queue[tuple[str, dict[str, Any]]]
"""By name, with their bodies; in order."""
_OF_DEBUGGEE = ("initialized", "process", "stopped", "continued", "output", "exited", "terminated")
_HEARD = frozenset((*_OF_DEBUGGEE, "askOutput", "askApproval", "askEnded", "askCaught"))


def hear(client: Client, events: Events) -> None:
    """Lets the session's events in, by name: one that an adapter calls `consent` or `line`, no user has said."""
    client.on_event(lambda name, body: events.put_nowait((name, body)) if name in _HEARD else None)
