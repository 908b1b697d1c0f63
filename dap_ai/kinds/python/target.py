"""A Python program, or a process that runs one, as the target of `dap-ai ask`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.commands.running.starting import Debugged, quietly
from dap_ai.commands.running.target import Job, Session
from dap_ai.kinds.python.attached import program_frame, where_threads_wait
from dap_ai.kinds.python.program import Program
from dap_ai.protocol.wire.errors import RequestFailed

_PAUSE_S = 3.0
_ATTACH_FAILED = "Attach to PID failed"
"""debugpy says so in an output event only, and leaves the request `attach` unanswered."""
_ATTACH_ADVICE = "debugpy could not get into process {pid}: `dap-ai doctor` tells what it needs for that."


class PythonTarget(Debugged):
    """One of `program` and `pid` is set. `terminal_setup`: a request of the backend's for a program in our terminal."""

    initialize: Mapping[str, Any] = {"adapterID": "python", "supportsRunInTerminalRequest": True}

    def __init__(
        self,
        job: Job,
        *,
        program: Program | None = None,
        pid: int | None = None,
        just_my_code: bool = True,
        terminal_setup: tuple[str, dict[str, Any]] | None = None,
    ) -> None:
        self._program = program
        self._pid = pid
        self._just_my_code = just_my_code
        self._terminal_setup = terminal_setup
        self.job = job
        self.ours = program is not None
        self.command_line = program.command_line() if program else ""

    def start_request(self, session: Session, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """By the backend's recipe."""
        del session, capabilities
        if self._program:
            return "launch", self._program.launch_arguments(just_my_code=self._just_my_code)
        return "attach", {"processId": self._pid, "justMyCode": self._just_my_code}

    def start_failure(self, name: str, body: Mapping[str, Any]) -> RequestFailed | None:
        """Debugpy could not get into the process."""
        if name == "output" and _ATTACH_FAILED in body.get("output", ""):
            return RequestFailed("attach", "attachFailed", _ATTACH_ADVICE.format(pid=self._pid))
        return None

    async def initialized(self, session: Session) -> None:
        """The terminal is set up."""
        if self._program and self._terminal_setup:
            await quietly(session, *self._terminal_setup)

    async def started(self, session: Session) -> None:
        """What we attached to stops where it is, unless it is to stop somewhere."""
        if self._pid and not session.wishes.breakpoints and not session.wishes.exceptions:
            await session.controls.pause()
            not_stopped: tuple[str, dict[str, Any]] = ("notStopped", {})
            asyncio.get_running_loop().call_later(_PAUSE_S, session.events.put_nowait, not_stopped)

    async def not_stopped(self, session: Session) -> None:
        """Nothing of what we attached to can be stopped: it is told where it is, and left alone."""
        session.outcome.answered = True
        session.display.ask_ended(await where_threads_wait(session.controls.request))

    async def frame_of(self, session: Session, thread_id: int) -> int | None:
        """In a process that was attached to, below the code by which debugpy got in."""
        return await program_frame(session.controls.request, thread_id) if self._pid else None

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """By how it ended, and by what would have stopped it."""
        return self._program.why_no_stop(status, exceptions) if self._program else ""
