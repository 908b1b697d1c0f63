"""Clients that do not survive an event that they do not know, by the `clientID` of their `initialize`.

Helix up to 25.01 reads nothing more after one, and debugpy's own `debugpySockets` comes before all else. Later releases
ignore such events, so that nothing is lost on them.
"""

from __future__ import annotations

_STRICT = frozenset({"hx"})
DEFINED_EVENTS = frozenset(
    {
        "breakpoint",
        "capabilities",
        "continued",
        "exited",
        "initialized",
        "invalidated",
        "loadedSource",
        "memory",
        "module",
        "output",
        "process",
        "progressEnd",
        "progressStart",
        "progressUpdate",
        "stopped",
        "terminated",
        "thread",
    }
)
"""The events that DAP 1.71 defines."""


def reads(client_id: str, event: str) -> bool:
    """Whether this client goes on reading after this event."""
    return client_id not in _STRICT or event in DEFINED_EVENTS
