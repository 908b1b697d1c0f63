"""The command `dap-ai sessions`: list the debug sessions that can be joined."""

from __future__ import annotations

import asyncio
import time
from typing import NewType

import click
import msgspec

from dap_ai.adapter.io.sockets import SocketError
from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.command_output import say, say_json
from dap_ai.commands.display.settings_table import print_table, resolve
from dap_ai.commands.running.joinable_sessions import NO_SESSION, SessionStatus, look_at_all
from dap_ai.protocol.wire.safe import put
from dap_ai.protocol.wire.visible import visible

_HELP = """List the debug sessions of your editors that can be asked about from here, and their state.

\b
Examples:
  dap-ai sessions
  dap-ai ask --join                    the only one that is stopped
  dap-ai ask --join ab12 -q "why is total negative?"
"""
_SafeSeen = NewType("_SafeSeen", SessionStatus)
_HEAD = ("session", "program", "debugger", "editor", "age", "state")


@click.command(help=_HELP)
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def command(*, as_json: bool) -> None:
    """Prints every session of this user."""
    settings = resolve({}).settings
    try:
        found = asyncio.run(look_at_all(settings.sockets))
    except SocketError as error:
        raise click.ClickException(f"no session can be joined: {error}.") from error
    masker = Masker(settings.mask)
    sessions = [_masked(session, masker) for session in found]
    if as_json:
        rows = [_fields(session) for session in sessions]
        say_json(rows)
    elif sessions:
        print_table(_HEAD, [_row(session) for session in sessions])
    else:
        say(NO_SESSION, err=True)


def _masked(session: SessionStatus, masker: Masker) -> _SafeSeen:
    """Mask the secrets in a session's source line, exception text and error."""
    put(session, place=masker.mask(session.place), error=masker.mask(session.error))
    if session.about and (stop := session.about.stop):
        put(stop, description=masker.mask(stop.description), text=masker.mask(stop.text))
    return _SafeSeen(session)


def _fields(session: _SafeSeen) -> dict[str, object]:
    told = msgspec.to_builtins(session.about) if session.about else {"id": session.id}
    return {**told, "place": session.place, "error": session.error}


def _row(session: _SafeSeen) -> tuple[str, ...]:
    about = session.about
    if about is None:
        return session.id, "", "", "", "", session.error
    program = f"{about.program} (child of {about.parent})" if about.parent else about.program
    return (
        about.id,
        _printable(program),
        about.backend,
        _printable(about.client),
        age(time.time() - about.started),
        _state(session),
    )


def _state(session: _SafeSeen) -> str:
    """Describe a session's state as text: `stopped: exception at shop.py:12 in total: return price`."""
    about = session.about
    if about is None or about.stop is None:
        return about.state if about else ""
    why = about.stop.description or about.stop.reason
    return _printable(f"{about.state}: {why}" + (f" at {session.place}" if session.place else ""))


def age(seconds: float) -> str:
    """Format a duration in its largest unit: `12 s`, `3 min`, `2 h`, `4 d`."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(int(seconds), 0)} s"


def _printable(text: str) -> str:
    return " ".join(visible(text).split())
