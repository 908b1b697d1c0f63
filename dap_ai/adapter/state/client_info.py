"""The session's own client: its name and capabilities, from its `initialize`.

Some clients do not survive an event they do not know: Helix up to 25.01 stops reading after one, and debugpy sends its
own `debugpySockets` before anything else. Later releases ignore such events and do not need them.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.dap_messages import InitializeArguments


class ClientInfo(msgspec.Struct):
    """The session's own client; empty before its `initialize`."""

    id: str = ""
    """`clientID` of its `initialize`."""
    name: str = ""
    """The client's name for display."""
    initialize: bytes = b""
    """The arguments sent to the adapter's `initialize`; empty if it was not initialized, or refused."""
    hears_invalidated: bool = False
    ansi_styling: bool = False

    def introduce(self, said: InitializeArguments, arguments: bytes) -> None:
        """Record the client's `initialize`; `arguments` are those sent to the adapter."""
        self.id = said.client_id
        self.name = said.client_name or said.client_id
        self.initialize = arguments
        self.hears_invalidated = said.supports_invalidated_event
        self.ansi_styling = said.supports_ansi_styling


_STRICT = frozenset({"hx"})
"""`clientID`s of clients that do not survive unknown events."""
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
    """Whether this client survives receiving this event."""
    return client_id not in _STRICT or event in DEFINED_EVENTS
