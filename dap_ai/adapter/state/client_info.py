"""The session's own client: what it calls itself and what it can show, once its `initialize` has said so.

Some clients do not survive an event that they do not know: Helix up to 25.01 reads nothing more after one, and
debugpy's own `debugpySockets` comes before all else. Later releases ignore such events, and lose nothing by it.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.dap_messages import InitializeArguments


class ClientInfo(msgspec.Struct):
    """Nothing is known of it before its `initialize`."""

    id: str = ""
    """As `clientID` of it."""
    name: str = ""
    """For a person."""
    initialize: bytes = b""
    """The arguments with which the adapter was initialized; empty: it was not, or has refused."""
    hears_invalidated: bool = False
    ansi_styling: bool = False

    def introduce(self, said: InitializeArguments, arguments: bytes) -> None:
        """The client has said who it is; `arguments`: as they go to the adapter."""
        self.id = said.client_id
        self.name = said.client_name or said.client_id
        self.initialize = arguments
        self.hears_invalidated = said.supports_invalidated_event
        self.ansi_styling = said.supports_ansi_styling


_STRICT = frozenset({"hx"})
"""By the `clientID` of their `initialize`."""
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
