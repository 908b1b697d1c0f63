"""Information for clients that may join a session: the body of `askSession`, and `dapAiSession` in initialize."""

from __future__ import annotations

import msgspec


class SessionStop(msgspec.Struct, rename="camel"):
    """Reason why the debuggee stopped, as in DAP's `stopped` event."""

    thread_id: int = 0
    reason: str = ""
    description: str = ""
    text: str = ""


class SessionInfo(msgspec.Struct, rename="camel"):
    """A debug session, described for a person who chooses a session to join."""

    id: str
    parent: str = ""
    """Id of the session whose debuggee is the parent process of this session's debuggee; empty if there is no such
    session."""
    pid: int = 0
    """Process id of the debuggee; 0 if unknown."""
    program: str = ""
    backend: str = ""
    client: str = ""
    """Name that the session's own client announced."""
    state: str = "starting"
    """State of the debuggee: `starting`, `running`, `stopped` or `ended`."""
    stop: SessionStop | None = None
    started: float = 0.0
    """Start time in seconds since 1970."""
