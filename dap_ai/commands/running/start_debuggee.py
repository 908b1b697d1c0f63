"""Launches a program behind our debug adapter, or attaches to a running program, until the program can stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.commands.running.run_targets import Target, TargetSession
from dap_ai.protocol.wire.errors import RequestFailed

_START_S = 60.0
_WATCH_S = 0.5
_INITIALIZE = {
    "clientID": "dap-ai",
    "clientName": "dap-ai ask",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsProgressReporting": False,
}


class Debugged(Target):
    """A target that the debug adapter launches or attaches to; a subclass for each kind of debuggee defines how."""

    initialize: Mapping[str, Any] = {"adapterID": "python"}
    """Arguments of the request `initialize`, in addition to the arguments that all kinds share."""
    stops_at_exceptions = True
    """Whether to set the user's exception filters.

    False if the program has already failed, or has another debugger.
    """
    command_line = ""
    """The command line to show to the user, without dap-ai; empty if the program already runs."""

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """Return the adapter's exception filters that correspond to the user's choice.

        `announced` are all filters that the adapter has.
        """
        del announced
        return exceptions if self.stops_at_exceptions else ()

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the request that starts the target (`launch` or `attach`) and its arguments.

        The default is `attach` without arguments.
        """
        del session, capabilities
        return "attach", {}

    def start_failure(self, name: str, body: Mapping[str, Any]) -> RequestFailed | None:
        """Return the failed start that an event reports; None for other events.

        Needed for adapters that report a failed start in no other way.
        """
        del name, body
        return None

    async def initialized(self, session: TargetSession) -> None:
        """Send requests that must follow the event `initialized`; the default sends no requests."""

    async def start(self, session: TargetSession) -> None:
        """Start the program, and return when it runs. Raises RequestFailed, ConnectionClosed, TimeoutError."""
        session.display.waiting("starting")
        controls = session.controls
        capabilities = await controls.request("initialize", {**_INITIALIZE, **self.initialize})
        controls.capabilities = capabilities
        announced = [one["filter"] for one in capabilities.get("exceptionBreakpointFilters", ())]
        controls.filters = self.filters(session.wishes.exceptions, announced)
        if self.command_line:
            session.display.command(self.command_line)
        command, arguments = self.start_request(session, capabilities)
        request = session.client.request(command, {**arguments, "askEvents": True}, timeout_s=_START_S)
        starting = asyncio.create_task(request)
        try:
            await self._until_initialized(session, starting)
            await self.initialized(session)
            for objection in await controls.set_stops():
                session.display.status(objection)
            await controls.request("configurationDone")
            await starting
        finally:
            starting.cancel()

    async def _until_initialized(self, session: TargetSession, starting: asyncio.Task[dict[str, Any]]) -> None:
        ended_early = RequestFailed("launch", "ended", "the program ended before the debugger was ready")
        answered = False
        while True:
            event = asyncio.create_task(session.events.get())
            waited_for = {event} if answered else {event, starting}
            await asyncio.wait(waited_for, timeout=_WATCH_S, return_when=asyncio.FIRST_COMPLETED)
            if event.done():
                name, body = event.result()
                if name == "initialized":
                    return
                if failure := self.start_failure(name, body):
                    raise failure
                if not await session.handle(name, body):
                    raise ended_early
                continue
            event.cancel()
            if starting.done() and not answered:
                await starting
                answered = True  # lldb-dap 19 answers before that event
            elif answered:
                raise RequestFailed("launch", "notInitialized", "the debug adapter never sent 'initialized'")
            if self.job.start_has_failed():
                # debugpy would wait half a minute for it to connect.
                raise ended_early


async def quietly(session: TargetSession, command: str, arguments: Mapping[str, Any]) -> None:
    """Send a request whose effect is only cosmetic, and ignore a refusal."""
    with contextlib.suppress(RequestFailed):
        await session.controls.request(command, arguments)
