"""Debug sessions that the MCP server starts: it runs a program to its first stop and holds it there."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.masked_display import MaskedDisplay
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.mcp.mcp_session import DebugSession
from dap_ai.commands.mcp.session_display import SessionDisplay
from dap_ai.commands.options.command_line import BreakpointOption
from dap_ai.commands.running.controlling_terminal import ControllingTerminal
from dap_ai.commands.running.outcome import RunOptions, why_caught
from dap_ai.commands.running.run_targets import Out, Target
from dap_ai.commands.running.session_loop import SessionLoop
from dap_ai.commands.target_kinds import Make, TargetRequest, backend_for, kind_of
from dap_ai.commands.wiring import backend_of, proxy_of
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import Safe
from dap_ai.transport.client import ConnectionClosed, DapClient

_PAUSE_S = 3.0


class OwnSession(SessionLoop):
    """A debug session that the MCP server started, from start to end."""

    def __init__(
        self,
        target: Target,
        client: DapClient,
        *,
        told: SessionDisplay,
        display: MaskedDisplay,
        wishes: RunOptions,
        made: click.Context,
    ) -> None:
        """Set up the session's state.

        `made` is a context that owns what was created for the session, such as a compiled program, and removes it.
        """
        super().__init__(client, display, target, wishes)
        self._made = made
        self.masker = display.masker
        self.told = told
        self.stopped = self._over = False
        """Whether the program is stopped (`stopped`), and whether it has ended (`_over`)."""

    async def to_first_stop(self, seconds: float) -> None:
        """Run the program until it stops or ends; pause it if it still runs after `seconds`."""
        await self.begin()
        await self.target.started(self._session)
        if not await self._next_stop(seconds):
            self.told.note(self.masker.mask(f"It had not stopped after {seconds:g} s, and was paused where it was."))
            with contextlib.suppress(RequestFailed):
                await self.controls.pause()
            await self._next_stop(_PAUSE_S)

    @property
    def askable(self) -> bool:
        """Whether there is a stop or a reported exception to ask about.

        The exception counts only once the program has ended.
        """
        return self.stopped or (self.caught is not None and self.caught.ended)

    def why_not(self) -> Safe:
        """Explain why the program has not stopped, with the end of its output."""
        if not self._over:
            return "The program still runs, and cannot be paused: it waits outside of code that the debugger sees."
        code = self._end.exit_code
        status, text = self.target.job.status_of(code or 0)
        exceptions = self._wishes.exceptions
        why = why_caught(self.caught, exceptions) if self.caught else self.target.why_no_stop(status, exceptions)
        why = why.replace("--exception ", "exceptions: ")
        return self.masker.mask(f"{text[0].upper()}{text[1:]}. {why}\n{self.told.output()}".strip())

    async def close(self) -> None:
        """End the program and its adapter."""
        try:
            with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
                await self._end.finish(self.display, running=not self.stopped, quit_wanted=True)
        finally:
            self._made.close()
            await self.client.close()

    async def _next_stop(self, seconds: float) -> bool:
        """Return whether the program stops or ends within `seconds` of wall-clock time."""
        ends = time.monotonic() + seconds
        while not (self.stopped or self._over):
            try:
                name, body = await asyncio.wait_for(self._events.get(), max(0.0, ends - time.monotonic()))
            except (TimeoutError, asyncio.TimeoutError):
                return False
            await self.handle(name, body)
        return True

    async def on_event(self, name: str, body: dict[str, Any]) -> bool:
        """Handle one event that the target lets through; return False after the last event."""
        match name:
            case "stopped":
                self.stopped = await self.target.stopped(self._session, body, running=True) is not None
                self.target.job.paused()
            case "terminated" | "closed":
                self._over = True
                return False
            case _:
                return await super().on_event(name, body)
        return True


class StartRequest(NamedTuple):
    """A program to start, with its breakpoints, exception filters and a time limit in seconds."""

    wanted: TargetRequest
    breakpoints: Sequence[BreakpointOption] = ()
    exceptions: Sequence[str] = ()
    """Names of exception filters; empty: the filters from the settings."""
    seconds: float = 20.0


async def start_program(start: StartRequest, name: str) -> tuple[OwnSession, DebugSession]:
    """Start a program in a new debug session, and hold it at its first stop, if it stops.

    Raises UsageError, StartError, RequestFailed, OSError.
    """
    wanted, made = start.wanted, click.Context(click.Command(name))
    kind = kind_of(wanted)
    chosen: dict[str, Any] = {"sockets": "off", "exceptions": tuple(start.exceptions) or None}
    resolved = resolve(chosen)
    if backend := backend_for(resolved, kind):
        resolved = resolve({**chosen, "backend": backend})
    settings = resolved.settings
    masker = Masker(settings.mask)
    told = SessionDisplay(masker)
    display = MaskedDisplay(told, masker)

    def look() -> Make:
        with made.scope(cleanup=False):
            return kind.look(wanted, resolved, display.status)

    make = await asyncio.to_thread(look)
    setup = backend_of(settings).terminal_setup
    target = make(Out(display, ControllingTerminal(ours=False), for_programs=True, verbose=False, terminal_setup=setup))
    wishes = RunOptions("", "compute", start.breakpoints, settings.exceptions)
    client = await proxy_of(resolved, masker=masker).open_in_process()
    own = OwnSession(target, client, told=told, display=display, wishes=wishes, made=made)
    program = wanted.run or wanted.module or next(iter(wanted.words), "")
    session = DebugSession(name, program, client, settings.level)
    try:
        await own.to_first_stop(start.seconds)
    except BaseException:
        await own.close()
        raise
    return own, session
