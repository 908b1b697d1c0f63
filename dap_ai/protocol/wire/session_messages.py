"""Information for clients that may join a session: `askSession`'s body, and `dapAiSession` of initialize."""

from __future__ import annotations

import msgspec


class SessionStop(msgspec.Struct, rename="camel"):
    """Reason of the debuggee's stop, as in DAP's event `stopped`."""

    thread_id: int = 0
    reason: str = ""
    description: str = ""
    text: str = ""


class SessionInfo(msgspec.Struct, rename="camel"):
    """A session, described for a person who chooses one."""

    id: str
    parent: str = ""
    """Id of the session whose debuggee is the parent process of this one's; empty: none."""
    pid: int = 0
    """Process id of the debuggee; 0: unknown."""
    program: str = ""
    backend: str = ""
    client: str = ""
    """Name that the session's own client gives itself."""
    state: str = "starting"
    """`starting`, `running`, `stopped` or `ended`."""
    stop: SessionStop | None = None
    started: float = 0.0
    """Start time in seconds since 1970."""
