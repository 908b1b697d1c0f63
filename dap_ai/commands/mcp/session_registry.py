"""Finds the debug session that a tool call names: a session that this server started, or an editor's session.

1. The server never ends, moves or changes an editor's session: it joins as a guest, and leaves when its client ends.
2. Every session that the server started ends with it, in whatever state.
"""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack

import click

from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.adapter.io.sockets import SocketError
from dap_ai.commands.mcp.mcp_session import DebugSession
from dap_ai.commands.mcp.own_session import OwnSession, StartRequest, start_program
from dap_ai.commands.running.joinable_sessions import (
    NO_SESSION,
    NothingStopped,
    SessionStatus,
    choose,
    joined,
    look_at_all,
    name_of,
)
from dap_ai.protocol.wire.ask_messages import Level
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.load_limits import wait_for
from dap_ai.transport.client import ConnectionClosed

MOST_OWN = 3
"""Maximum number of programs held at once; starting another program ends the oldest."""
_GUEST = "dap-ai mcp"
_ATTACH_S = 5.0
_NOTHING = (
    "No session is stopped: `ask` with `program` runs one to its crash. The user's editors have sessions that can be "
    "joined while they debug through dap-ai."
)


class SessionRegistry:
    """The debug sessions of one client of the server. `sockets` is the setting of that name."""

    def __init__(self, sockets: str, level: Level) -> None:
        self._sockets = sockets
        self._level: Level = level
        self._own: dict[str, tuple[OwnSession, DebugSession]] = {}
        self._guests: dict[str, tuple[AsyncExitStack, DebugSession]] = {}
        self._count = 0
        self._latest: DebugSession | None = None
        """The session that was started or asked about last; calls for details use it by default."""

    async def start(self, start: StartRequest) -> tuple[OwnSession, DebugSession]:
        """Start a program in a new session and make that the latest session.

        If too many sessions are held, end the oldest.
        """
        self._count += 1
        own, session = await start_program(start, f"s{self._count}")
        self._own[session.name] = own, session
        self._latest = session
        if len(self._own) > MOST_OWN:
            await self.end(next(iter(self._own)))
        return own, session

    async def end(self, name: str) -> str:
        """End a session that this server started and return its title; an empty name is the newest session.

        Raises UsageError.
        """
        if not self._own:
            raise click.UsageError("There is no session of this server to stop; those of the user are not for it.")
        name = name or next(reversed(self._own))
        if name not in self._own:
            raise click.UsageError(f"{name} was not started here: it can stop {', '.join(self._own)}.")
        own, session = self._own.pop(name)
        with contextlib.suppress(SessionFailed):
            await own.close()
        return session.title

    def own(self, session: DebugSession) -> OwnSession | None:
        """Return the OwnSession that belongs to a session; None if an editor started the session."""
        known = self._own.get(session.name)
        return known[0] if known else None

    def listed(self) -> list[DebugSession]:
        """Return the sessions that this server started, oldest first."""
        return [session for _, session in self._own.values()]

    async def user_sessions(self) -> list[SessionStatus]:
        """Return the status of all sessions of the user's editors. Raises SocketError."""
        return await look_at_all(self._sockets)

    async def detailed(self, name: str) -> DebugSession:
        """Return a session by name, for a call about details. Raises as `meant`.

        An empty name is the session that was started or asked about last, if it is still stopped.
        """
        if not name and self._latest and self._latest.stop:
            return self._latest
        return await self.meant(name)

    async def meant(self, name: str) -> DebugSession:
        """Return a session by name; join an editor's session if necessary.

        An empty name is the newest session started here, or else the only stopped session of an editor. Raises
        UsageError, SocketError, RequestFailed, ConnectionClosed, TimeoutError.
        """
        self._latest = await self._meant(name)
        return self._latest

    async def _meant(self, name: str) -> DebugSession:
        for gone in [own for own, (_, session) in self._own.items() if session.closed]:
            await self.end(gone)
        if name in self._own:
            return self._own[name][1]
        if self._own and not name:
            return await self._own_unless_users()
        try:
            about = choose(await self.user_sessions(), name, "session")
        except NothingStopped as nothing:
            raise click.UsageError(_NOTHING if str(nothing) == NO_SESSION else str(nothing)) from nothing
        known = self._guests.get(about.id)
        if known and not known[1].closed:
            return known[1]
        return await self._join(about.id, about.program)

    async def _own_unless_users(self) -> DebugSession:
        """Return the newest session that this server started.

        Raises UsageError if an editor's session is stopped too, because the caller may mean that session.
        """
        newest = self._own[next(reversed(self._own))][1]
        with contextlib.suppress(SocketError):
            users = [seen.about for seen in await self.user_sessions() if seen.about and seen.about.state == "stopped"]
            if users:
                names = ", ".join(map(name_of, users))
                raise click.UsageError(
                    f"Which session? {newest.title} was started here, and the user has stopped {names}. "
                    f"Name one as `session`."
                )
        return newest

    async def close(self) -> None:
        """End the sessions that this server started, and leave the editors' sessions."""
        ends = [self._end_quietly(own) for own, _ in self._own.values()]
        leaves = [stack.aclose() for stack, _ in self._guests.values()]
        self._own, self._guests = {}, {}
        await asyncio.gather(*ends, *leaves, return_exceptions=True)

    async def _end_quietly(self, own: OwnSession) -> None:
        with contextlib.suppress(SessionFailed, ConnectionClosed, RequestFailed):
            await own.close()

    async def _join(self, session_id: str, program: str) -> DebugSession:
        stack = AsyncExitStack()
        try:
            client, _ = await stack.enter_async_context(joined(session_id, self._sockets, _GUEST))
            session = DebugSession(session_id, program, client, self._level, runs_on=True)
            await client.request("attach", {}, timeout_s=_ATTACH_S)
            await client.request("configurationDone", timeout_s=_ATTACH_S)
            await wait_for(session.is_stopped.wait(), _ATTACH_S)
        except BaseException:
            await stack.aclose()
            raise
        self._guests[session_id] = stack, session
        return session
