"""What a session tells of itself to those who may join it: `askSession`'s body, and `dapAiSession` of initialize."""

from __future__ import annotations

import msgspec


class SessionStop(msgspec.Struct, rename="camel"):
    """Why the debuggee is stopped, as in DAP's event `stopped`."""

    thread_id: int = 0
    reason: str = ""
    description: str = ""
    text: str = ""


class SessionInfo(msgspec.Struct, rename="camel"):
    """A session, for a person who looks for one."""

    id: str
    parent: str = ""
    """Id of the session of whose debuggee this one's is a child process; empty: none."""
    pid: int = 0
    """Of the debuggee; 0: not known."""
    program: str = ""
    backend: str = ""
    client: str = ""
    """Who drives it, as it calls itself."""
    state: str = "starting"
    """starting, running, stopped or ended."""
    stop: SessionStop | None = None
    started: float = 0.0
    """Seconds since 1970."""
