"""Describes a session (program, client, state) to users with several sessions, and to clients that join it."""

from __future__ import annotations

from pathlib import PurePath

from dap_ai.adapter.state.client_info import ClientInfo
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.outbox import read_or
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.wire.dap_messages import ProcessBody, StartArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.session_messages import SessionInfo, SessionStop


class About:
    """A session's description: its program, client and state."""

    def __init__(self, client: ClientInfo, state: DebuggeeState, options: SessionOptions) -> None:
        self._client = client
        self._state = state
        self._options = options
        self._program = ""
        self.process_id = 0
        """The process id of the debugged program; 0 if unknown."""

    def on_start(self, message: Envelope) -> None:
        """Record the program named in the client's `launch` or `attach`."""
        start = read_or(message, StartArguments, StartArguments())
        self._program = start.program or start.module or start.name
        self.process_id = start.process_id

    def on_event(self, message: Envelope) -> None:
        """Record the program named in the adapter's `process` event."""
        if message.name == "process":
            process = read_or(message, ProcessBody, ProcessBody())
            self._program = self._program or process.name
            self.process_id = process.system_process_id or self.process_id

    @property
    def name(self) -> str:
        """The name of the program's file; an empty string if unknown."""
        return PurePath(self._program).name

    @property
    def label(self) -> str:
        """The program's name and process id, for display."""
        program = self.name or "the program"
        return f"{program} (process {self.process_id})" if self.process_id else program

    def info(self) -> SessionInfo:
        """Return the session's description for other clients."""
        stop = self._state.last_stop()
        state = "stopped" if stop else self._state.phase.value
        return SessionInfo(
            id=self._options.session_id,
            parent=self._options.parent_id,
            pid=self.process_id,
            program=self._program,
            backend=self._options.backend,
            client=self._client.name,
            state="starting" if state == Phase.CREATED.value else state,
            stop=SessionStop(stop.thread_id, stop.reason, stop.description, stop.text) if stop else None,
            started=self._options.started,
        )
