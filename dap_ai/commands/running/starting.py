"""The start of a run: launch or attach, up to the moment from which the program can stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from dap_ai.client import Client
from dap_ai.commands.running.controls import Controls
from dap_ai.commands.running.job import Job
from dap_ai.commands.running.native_job import NativeJob
from dap_ai.commands.running.outcome import Wishes
from dap_ai.commands.shown.display import Display
from dap_ai.commands.wanted.native_program import NativeProgram, exception_filters
from dap_ai.protocol.errors import RequestFailed

Events = asyncio.Queue[tuple[str, dict[str, Any]]]
"""What a run goes by: events of the session, and beside them what its user does (`line`, `consent`, `interrupt`)."""
_OF_DEBUGGEE = ("initialized", "process", "stopped", "continued", "output", "exited", "terminated")
_HEARD = frozenset((*_OF_DEBUGGEE, "askOutput", "askApproval", "askEnded", "askCaught"))

_START_S = 60.0
_WATCH_S = 0.5

_ATTACH_FAILED = "Attach to PID failed"
"""debugpy says so in an output event only, and leaves the request `attach` unanswered."""
_ATTACH_ADVICE = "debugpy could not get into process {pid}: `dap-ai doctor` tells what it needs for that."


def hear(client: Client, events: Events) -> None:
    """Lets the session's events in, by name: one that an adapter calls `consent` or `line`, no user has said."""
    client.on_event(lambda name, body: events.put_nowait((name, body)) if name in _HEARD else None)


class Start:
    """`handle` takes the events that come meanwhile; False from it: there is nothing to start any more."""

    def __init__(
        self,
        client: Client,
        controls: Controls,
        job: Job | NativeJob,
        events: Events,
        handle: Callable[..., Awaitable[bool]],
    ) -> None:
        self._client = client
        self._controls = controls
        self._job = job
        self._events = events
        self._handle = handle

    async def run(
        self, display: Display, wishes: Wishes, terminal_setup: tuple[str, dict[str, Any]] | None = None
    ) -> None:
        """Returns when the program runs. Raises RequestFailed, ConnectionClosed, TimeoutError."""
        display.waiting("starting")
        capabilities = await self._controls.request(
            "initialize", _INITIALIZE | _OF_NATIVE if wishes.native else _INITIALIZE
        )
        if wishes.native:
            announced = [one["filter"] for one in capabilities.get("exceptionBreakpointFilters", ())]
            self._controls.filters = exception_filters(wishes.exceptions, announced)
        if wishes.program:
            display.command(wishes.program.command_line())
        command, arguments = _start_request(wishes, capabilities)
        starting = asyncio.create_task(
            self._client.request(command, {**arguments, "askEvents": True}, timeout_s=_START_S)
        )
        try:
            await self._until_initialized(starting, wishes)
            if wishes.program and terminal_setup:
                with contextlib.suppress(RequestFailed):  # it is cosmetic
                    await self._controls.request(*terminal_setup)
            for objection in await self._controls.set_stops():
                display.status(objection)
            await self._controls.request("configurationDone")
            await starting
        finally:
            starting.cancel()

    async def _until_initialized(self, starting: asyncio.Task[dict[str, Any]], wishes: Wishes) -> None:
        ended_early = RequestFailed("launch", "ended", "the program ended before the debugger was ready")
        answered = False
        while True:
            event = asyncio.create_task(self._events.get())
            waited_for = {event} if answered else {event, starting}
            await asyncio.wait(waited_for, timeout=_WATCH_S, return_when=asyncio.FIRST_COMPLETED)
            if event.done():
                name, body = event.result()
                if name == "initialized":
                    return
                if name == "output" and _ATTACH_FAILED in body.get("output", ""):
                    raise RequestFailed("attach", "attachFailed", _ATTACH_ADVICE.format(pid=wishes.pid))
                if not await self._handle(name, body):
                    raise ended_early
                continue
            event.cancel()
            if starting.done() and not answered:
                await starting
                answered = True  # lldb-dap 19 answers before that event
            elif answered:
                raise RequestFailed("launch", "notInitialized", "the debug adapter never sent 'initialized'")
            if self._job.start_has_failed():
                # debugpy would wait half a minute for it to connect.
                raise ended_early


def _start_request(wishes: Wishes, capabilities: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if isinstance(wishes.program, NativeProgram):
        return "launch", wishes.program.launch_arguments(wishes.native or "lldb", capabilities)
    if wishes.program:
        return "launch", wishes.program.launch_arguments(just_my_code=wishes.just_my_code)
    if wishes.core:
        program = {"program": wishes.core.program} if wishes.core.program else {}
        return "attach", {"coreFile": wishes.core.file, **program}
    if wishes.native:
        return "attach", {"pid": wishes.pid, "stopOnEntry": not wishes.breakpoints}
    return "attach", {"processId": wishes.pid, "justMyCode": wishes.just_my_code}


_OF_NATIVE = {
    "adapterID": "native",
    "supportsRunInTerminalRequest": False,
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsMemoryReferences": True,
}
_INITIALIZE = {
    "clientID": "dap-ai",
    "clientName": "dap-ai ask",
    "adapterID": "python",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsRunInTerminalRequest": True,
    "supportsProgressReporting": False,
}
