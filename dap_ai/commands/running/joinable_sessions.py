"""Finds the debug sessions of the current user's editors, describes them, and selects a session to join."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.adapter.io import sockets
from dap_ai.adapter.io.sockets import SessionEnded, SocketError
from dap_ai.commands.running.run_controls import Controls
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.session_messages import SessionInfo
from dap_ai.system.load_limits import wait_for
from dap_ai.transport.client import ConnectionClosed, DapClient

LOOK_S = 1.0
"""Seconds after which a session that has not described itself counts as unresponsive."""
_PLACE_S = 0.5
_JOIN_S = 10.0

NO_SESSION = (
    "There is no session to join: there is one while an editor debugs through dap-ai "
    "(`dap-ai serve` as its debug adapter)."
)


class NothingStopped(Exception):  # noqa: N818  a state, not a mistake
    """Raised if no program is stopped that could be asked about; the text gives the reason and advice."""


def name_of(session: SessionInfo) -> str:
    """Return a session's display name: `ab12 (shop.py)`."""
    return f"{session.id} ({Path(session.program).name})" if session.program else session.id


class SessionStatus(msgspec.Struct):
    """The status of one session. If the session is unknown, `about` is None and `error` has the reason."""

    id: str
    about: SessionInfo | None = None
    place: str = ""
    """Where the program is stopped: `shop.py:12 in total: return price`.

    Empty if it is not stopped, or the place is unknown.
    """
    error: str = ""


@contextlib.asynccontextmanager
async def joined(
    session_id: str, setting: str, name: str = "dap-ai ask --join"
) -> AsyncGenerator[tuple[DapClient, SessionInfo]]:
    """Join a session in this context; yield a client and the session's description.

    Closing the client leaves the session running. `name`: the client's name, shown in the session. Raises SocketError,
    RequestFailed, ConnectionClosed, TimeoutError.
    """
    client, about = await join(session_id, setting, name)
    try:
        yield client, about
    finally:
        await client.close()


async def join(session_id: str, setting: str, name: str = "dap-ai ask --join") -> tuple[DapClient, SessionInfo]:
    """Join a session; return a client, which the caller closes, and the session's description.

    Raises SocketError, RequestFailed, ConnectionClosed, TimeoutError.
    """
    client = DapClient(await sockets.connect(session_id, setting))
    try:
        hello = client.initialize("dap-ai", clientName=name, columnsStartAt1=True)
        return client, _about(session_id, await wait_for(hello, _JOIN_S))
    except BaseException:
        await client.close()
        raise


async def look_at_all(setting: str) -> list[SessionStatus]:
    """Return the status of every session, oldest first; all sessions are queried at once. Raises SocketError."""
    seen = await asyncio.gather(*(_look(session_id, setting) for session_id in sockets.session_ids(setting)))
    return [session for session in seen if session]


def choose(seen: Sequence[SessionStatus], wanted: str, named: str = "--join") -> SessionInfo:
    """Return the stopped session that `wanted` names, by the start of its id or by its program.

    If `wanted` is empty, return the only stopped session. Naming a session includes its child sessions. `named`: the
    option that names a session, for errors.

    Raises UsageError if no session or several match, NothingStopped if there is nothing to ask about.
    """
    there = [session.about for session in seen if session.about]
    if wanted:
        there = _with_children(_named(there, wanted), there)
        if not there:
            known = ", ".join(name_of(session.about) if session.about else session.id for session in seen) or "none"
            raise click.UsageError(f"{named}: there is no session '{wanted}'; there is: {known}.")
    elif not there:
        raise NothingStopped(NO_SESSION)
    stopped = [about for about in there if about.state == "stopped"]
    if len(stopped) > 1:
        names = ", ".join(name_of(about) for about in stopped)
        raise click.UsageError(f"{named}: several sessions are stopped: {names}. Name one: {named} {stopped[0].id}")
    if not stopped:
        states = ", ".join(f"{name_of(about)} is {about.state}" for about in there)
        raise NothingStopped(f"Nothing is stopped: {states}. Pause it in the editor, then ask again.")
    return stopped[0]


def _named(there: list[SessionInfo], wanted: str) -> list[SessionInfo]:
    """Return the sessions whose id matches `wanted`, or else the sessions whose program matches."""
    by_id = [about for about in there if about.id == wanted] or [one for one in there if one.id.startswith(wanted)]
    return by_id or [about for about in there if _runs(about, wanted)]


def _with_children(some: list[SessionInfo], there: list[SessionInfo]) -> list[SessionInfo]:
    parents = {about.id for about in some}
    return [about for about in there if about in some or about.parent in parents]


def _runs(about: SessionInfo, wanted: str) -> bool:
    return bool(about.program) and wanted in {Path(about.program).name, os.path.relpath(about.program), about.program}


async def _look(session_id: str, setting: str) -> SessionStatus | None:
    """Return the status of one session; None if the session has ended."""
    try:
        return await wait_for(_status_of(session_id, setting), LOOK_S)
    except (SessionEnded, ConnectionClosed):
        return None
    except (TimeoutError, asyncio.TimeoutError):
        return SessionStatus(session_id, error="does not answer")
    except (SocketError, RequestFailed) as error:
        return SessionStatus(session_id, error=str(error))


async def _status_of(session_id: str, setting: str) -> SessionStatus:
    async with joined(session_id, setting) as (client, about):
        place = ""
        if about.stop:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                place = await wait_for(Controls(client, (), ()).place(about.stop.thread_id), _PLACE_S)
        return SessionStatus(session_id, about, place)


def _about(session_id: str, body: dict[str, Any]) -> SessionInfo:
    try:
        return msgspec.convert(body["dapAiSession"], SessionInfo)
    except (KeyError, msgspec.ValidationError) as error:
        raise RequestFailed("initialize", "notSupported", f"session {session_id} is not one of this dap-ai") from error
