"""The session's own client: its name and capabilities, from its `initialize` request.

Some clients do not survive an unknown event: Helix up to 25.01 stops reading after such an event, and debugpy sends its
own `debugpySockets` before anything else. Later releases of Helix ignore unknown events and do not need them.
"""

from __future__ import annotations

import msgspec

from dap_ai.protocol.wire.dap_messages import InitializeArguments


class ClientInfo(msgspec.Struct):
    """The session's own client. Nothing is known of it before its `initialize` request."""

    id: str = ""
    """`clientID` in the client's `initialize` request."""
    name: str = ""
    """The client's name for display."""
    initialize: bytes = b""
    """The arguments with which the adapter was initialized; empty before that, or if the adapter refused."""
    hears_invalidated: bool = False
    ansi_styling: bool = False

    def introduce(self, said: InitializeArguments, arguments: bytes) -> None:
        """Record the client's `initialize` request. `arguments` are the arguments sent to the adapter."""
        self.id = said.client_id
        self.name = said.client_name or said.client_id
        self.initialize = arguments
        self.hears_invalidated = said.supports_invalidated_event
        self.ansi_styling = said.supports_ansi_styling


_STRICT = frozenset({"hx"})
"""`clientID`s of clients that do not survive an unknown event."""
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
    """Whether this client can receive this event without failing."""
    return client_id not in _STRICT or event in DEFINED_EVENTS
