"""The target of `dap-ai ask --join`: a guest client in an editor's session, which asks and never moves the program.

1. The session's own agent answers, with its provider, its masking, and at most its level.
2. When the guest leaves, the session continues unchanged; only the guest's question is cancelled.
"""

from __future__ import annotations

import asyncio
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from dap_ai.commands.running.joinable_sessions import name_of
from dap_ai.commands.running.outcome import RunOptions
from dap_ai.commands.running.run_targets import Target, TargetSession
from dap_ai.protocol.wire.session_messages import SessionInfo

_OPTIONS = frozenset(
    {"join", "question", "chat", "level", "show_context", "show_masked", "verbose", "brief", "export", "json_lines"}
)
"""Names of the parameters that can be combined with `--join`."""
_STOP_S = 5.0
_HEARD = frozenset({"stopped", "askOutput", "askEnded", "line", "notStopped", "closed", "interrupt", "unread"})

_HELP = """\
a question  about the stopped program; it may refer to earlier answers
evaluate X  also trace X, slice X: a single tool, without a model
continue    leave; so do quit, an empty line and Ctrl-D: the program stays as it is
Ctrl-C cancels the current answer, and clears the line at the prompt."""
_NOT_MOVED = "The editor controls the program: step and continue there, then ask here again."


def check_options(context: click.Context) -> None:
    """Raise UsageError if the user gave an option that does not apply to an existing session."""
    if context.params["program"]:
        raise click.UsageError("--join asks about an existing session: do not name a PROGRAM with it.")
    for option in context.command.params:
        name = option.name or ""
        if name not in {*_OPTIONS, "program"} and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option.opts[-1]} does not apply to an existing session: it cannot be combined with --join."
            )
    if context.params["level"] == "mutate":
        raise click.UsageError("--level: a guest never acts on the program of an editor; use observe or compute.")


def lowered(wishes: RunOptions) -> RunOptions:
    """Return the options with a level at which an answer cannot act on the program."""
    return msgspec.structs.replace(wishes, level="observe" if wishes.level == "observe" else "compute")


class Joined(Target):
    """An editor's running session that this client has joined as a guest."""

    acts = False
    help = _HELP
    unmoved = _NOT_MOVED
    on_cancel = "cancelling; press Ctrl-C again to leave"
    on_silence = "the session does not answer"

    def __init__(self, about: SessionInfo) -> None:
        self._about = about

    async def start(self, session: TargetSession) -> None:
        """Join the session, which then reports its stop if the program is stopped."""
        editor = f" in {self._about.client}" if self._about.client else ""
        session.display.status(f"joined {name_of(self._about)}{editor}")
        await session.controls.request("attach", {})
        await session.controls.request("configurationDone")

    async def started(self, session: TargetSession) -> None:
        """Schedule the event `notStopped`, because the program may have continued since the session was chosen."""
        not_stopped: tuple[str, dict[str, Any]] = ("notStopped", {})
        asyncio.get_running_loop().call_later(_STOP_S, session.events.put_nowait, not_stopped)

    async def not_stopped(self, session: TargetSession) -> None:
        """Tell the user that the program has continued meanwhile."""
        session.display.status("the program is no longer stopped: it has continued meanwhile")

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return None for the program's start, output and end, because the editor handles these events."""
        del session
        return body if name in _HEARD else None

    def moves_on(self) -> bool:
        """Return True, because the editor may continue the program at any time."""
        return True

    async def introduce(self, session: TargetSession, thread_id: int) -> None:
        """Show the place where the program is stopped."""
        session.display.status(await session.controls.place(thread_id))

    async def let_go(self, session: TargetSession) -> bool:
        """Return False, because the guest leaves and the stops belong to the editor."""
        del session
        return False

    def closed(self, session: TargetSession, *, unanswered: bool) -> None:
        """Tell the user that the session has ended; this is an error if an answer is still missing."""
        if unanswered:
            session.outcome.failed = True
            session.display.error("the session ended before it could answer")
        else:
            session.display.status("the session has ended")
