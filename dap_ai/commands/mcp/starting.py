"""A program that the server starts: run to its first stop, held there, and ended with its session."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import click
import msgspec

from dap_ai.agent.masking.mask import Masker
from dap_ai.client import Client, ConnectionClosed
from dap_ai.commands.kinds import Make, Wanted, backend_for, kind_of
from dap_ai.commands.mcp.session import DebugSession
from dap_ai.commands.mcp.told import Told
from dap_ai.commands.running.controls import Controls, Events, hear
from dap_ai.commands.running.ending import End
from dap_ai.commands.running.outcome import Outcome, Wishes, why_caught
from dap_ai.commands.running.target import Out, Session, Target
from dap_ai.commands.running.terminal import Terminal
from dap_ai.commands.shown.masking import MaskedDisplay
from dap_ai.commands.shown.table import resolve
from dap_ai.commands.wanted.arguments import Breakpoint
from dap_ai.commands.wiring import backend_of, proxy_of
from dap_ai.protocol.wire.ask import AskCaught
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import Safe

_PAUSE_S = 3.0


class Own:
    """A session of the server's own, from its start to its end."""

    def __init__(
        self,
        target: Target,
        client: Client,
        *,
        told: Told,
        display: MaskedDisplay,
        wishes: Wishes,
        made: click.Context,
    ) -> None:
        """`made`: what was made for it, as a program that was compiled, and goes with it."""
        self._made = made
        self.masker = display.masker
        self.told = told
        self._target = target
        self._client = client
        self._display = display
        self._events: Events = asyncio.Queue()
        self._outcome = Outcome()
        controls = Controls(client, wishes.breakpoints, wishes.exceptions)
        self._controls = controls
        self._wishes = wishes
        self._end = End(client, controls, target, wishes, self._outcome)
        self._session = Session(client, controls, self._display, self._events, wishes, self._outcome, self._handle)
        self._stopped = self._over = False
        self._caught: AskCaught | None = None
        """What it caught and reported, while nothing had stopped it."""

    async def to_first_stop(self, seconds: float) -> None:
        """Returns when the program has stopped or ended; pauses one that runs longer than that.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        hear(self._client, self._events)
        self._client.on_close(lambda: self._events.put_nowait(("closed", {})))
        self._client.reverse["runInTerminal"] = self._target.job.run_in_terminal
        self._target.prepare(self._session)
        await self._target.start(self._session)
        await self._target.started(self._session)
        if not await self._next_stop(seconds):
            self.told.note(self.masker.mask(f"It had not stopped after {seconds:g} s, and was paused where it was."))
            with contextlib.suppress(RequestFailed):
                await self._controls.pause()
            await self._next_stop(_PAUSE_S)

    @property
    def stopped(self) -> bool:
        """It is held at a stop."""
        return self._stopped

    @property
    def askable(self) -> bool:
        """It is, or has reported an exception that can be told about."""
        return self._stopped or (self._caught is not None and self._caught.ended)

    def why_not(self) -> Safe:
        """Why a program that has not stopped has not, with the end of what it wrote."""
        if not self._over:
            return "The program still runs, and cannot be paused: it waits outside of code that the debugger sees."
        code = self._end.exit_code
        status, text = self._target.job.status_of(code or 0)
        exceptions = self._wishes.exceptions
        why = why_caught(self._caught, exceptions) if self._caught else self._target.why_no_stop(status, exceptions)
        why = why.replace("--exception ", "exceptions: ")
        return self.masker.mask(f"{text[0].upper()}{text[1:]}. {why}\n{self.told.output()}".strip())

    async def close(self) -> None:
        """Ends the program and its adapter."""
        try:
            with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
                await self._end.finish(self._display, running=not self._stopped, quit_wanted=True)
        finally:
            self._made.close()
            await self._client.close()

    async def _next_stop(self, seconds: float) -> bool:
        """Whether it has stopped or ended within that time, by the clock: the caller waits, however busy we are."""
        ends = time.monotonic() + seconds
        while not (self._stopped or self._over):
            try:
                name, body = await asyncio.wait_for(self._events.get(), max(0.0, ends - time.monotonic()))
            except (TimeoutError, asyncio.TimeoutError):
                return False
            await self._handle(name, body)
        return True

    async def _handle(self, name: str, body: dict[str, Any]) -> bool:
        heard = await self._target.heard(self._session, name, body)
        return heard is None or await self._on_event(name, heard)

    async def _on_event(self, name: str, body: dict[str, Any]) -> bool:
        match name:
            case "process" if self._target.ours:
                self._target.job.started(body.get("systemProcessId") or 0)
            case "stopped":
                self._stopped = await self._target.stopped(self._session, body, running=True) is not None
                self._target.job.paused()
            case "output" if body.get("category") == "important":
                self.told.note(self.masker.mask(body["output"].strip()))
            case "askCaught":
                self._caught = msgspec.convert(body, AskCaught)
            case "exited":
                self._end.exit_code = body["exitCode"]
            case "terminated" | "closed":
                self._over = True
                return False
            case _:
                pass
        return True


class Start(NamedTuple):
    """What is to be run, and until when."""

    wanted: Wanted
    breakpoints: Sequence[Breakpoint] = ()
    exceptions: Sequence[str] = ()
    """Empty: those of the settings."""
    seconds: float = 20.0


async def started(start: Start, name: str) -> tuple[Own, DebugSession]:
    """A program, held at its first stop if it has one. Raises UsageError, StartError, RequestFailed, OSError."""
    wanted, made = start.wanted, click.Context(click.Command(name))
    kind = kind_of(wanted)
    chosen: dict[str, Any] = {"sockets": "off", "exceptions": tuple(start.exceptions) or None}
    resolved = resolve(chosen)
    if backend := backend_for(resolved, kind):
        resolved = resolve({**chosen, "backend": backend})
    settings = resolved.settings
    masker = Masker(settings.mask)
    told = Told(masker)
    display = MaskedDisplay(told, masker)

    def look() -> Make:
        with made.scope(cleanup=False):
            return kind.look(wanted, resolved, display.status)

    make = await asyncio.to_thread(look)
    setup = backend_of(settings).terminal_setup
    target = make(Out(display, Terminal(ours=False), for_programs=True, verbose=False, terminal_setup=setup))
    wishes = Wishes("", "compute", start.breakpoints, settings.exceptions)
    client = await proxy_of(resolved, masker=masker).open_in_process()
    own = Own(target, client, told=told, display=display, wishes=wishes, made=made)
    program = wanted.run or wanted.module or next(iter(wanted.words), "")
    session = DebugSession(name, program, client, settings.level)
    try:
        await own.to_first_stop(start.seconds)
    except BaseException:
        await own.close()
        raise
    return own, session
