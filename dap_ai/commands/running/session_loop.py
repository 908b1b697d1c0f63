"""The base class of all runs of a debug session: its event loop, and the handling of most events."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from dap_ai.commands.display.display import Display
from dap_ai.commands.running.outcome import AskOutcome, RunOptions
from dap_ai.commands.running.program_end import ProgramEnd
from dap_ai.commands.running.run_controls import Controls, Events, hear
from dap_ai.commands.running.run_targets import Target, TargetSession
from dap_ai.protocol.wire.ask_messages import AskCaught
from dap_ai.transport.client import DapClient


class SessionLoop:
    """Handles the events of one session in order; each subclass handles stops and answers itself."""

    def __init__(self, client: DapClient, display: Display, target: Target, wishes: RunOptions) -> None:
        self.client = client
        self.display = display
        self.target = target
        self.outcome = AskOutcome()
        self.controls = Controls(client, wishes.breakpoints, wishes.exceptions)
        self.caught: AskCaught | None = None
        """The exception that the program caught and reported without a stop; None if it reported no exception."""
        self._wishes = wishes
        self._events: Events = asyncio.Queue()
        self._end = ProgramEnd(client, self.controls, target, wishes, self.outcome)
        self._session = TargetSession(client, self.controls, display, self._events, wishes, self.outcome, self.handle)
        self._warnings: set[str] = set()

    async def begin(self) -> None:
        """Start the target, and return when the program can stop.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        hear(self.client, self._events)
        self.client.on_close(lambda: self._events.put_nowait(("closed", {})))
        self.client.reverse["runInTerminal"] = self.target.job.run_in_terminal
        self.target.prepare(self._session)
        await self.target.start(self._session)

    async def handle(self, name: str, body: dict[str, Any]) -> bool:
        """Handle one event of the session; return False after the last event."""
        heard = await self.target.heard(self._session, name, body)
        return heard is None or await self.on_event(name, heard)

    async def on_event(self, name: str, body: dict[str, Any]) -> bool:
        """Handle one event that the target lets through; return False after the last event."""
        match name:
            case "process" if self.target.ours:
                self.target.job.started(body.get("systemProcessId") or 0)
            case "output" if body.get("category") == "important" and body["output"] not in self._warnings:
                # An important message, such as a failing condition: show it once, however often it is repeated.
                self._warnings.add(body["output"])
                self.display.status(body["output"].strip())
            case "askCaught":
                self.caught = msgspec.convert(body, AskCaught)
            case "exited":
                self._end.exit_code = body["exitCode"]
            case _:
                pass
        return True
