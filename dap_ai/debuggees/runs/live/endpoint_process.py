"""Process that forwards and records an agent's model queries until the agent ends, even if its starter exits.

endpoint_messages.py defines the messages to and from the starter.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import psutil

from dap_ai.debuggees.runs.live.endpoint_messages import (
    AgentEnd,
    AgentProcess,
    Begin,
    EndpointInput,
    EndpointOutput,
    Ready,
)
from dap_ai.debuggees.runs.live.gate.gate import AgentGate
from dap_ai.debuggees.runs.live.gate.gated_query import GateService
from dap_ai.debuggees.runs.live.replay.replay_service import ReplayService
from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.live.wire.endpoint_server import Endpoint
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary
from dap_ai.debuggees.runs.live.wire.routes import named
from dap_ai.debuggees.runs.live.workspace.workspace_follower import Following
from dap_ai.debuggees.runs.store import WORKSPACE, Recording
from dap_ai.system.thread_pool import run
from dap_ai.transport import peer_users

_SAYING = threading.Lock()
SWITCH_S = 0.0005
"""Thread switch interval in seconds: how long forwarded bytes may wait for the recording thread (5 ms by default)."""
_LOOK_S = 0.5
"""Seconds between checks for the agent's process after its starter was killed."""


class EndpointProcess:
    """Serves, records and pauses an agent. `following` has already saved the workspace's initial state."""

    def __init__(self, begin: Begin, recording: Recording, following: Following | None, ready: Ready) -> None:
        self._begin, self._recording, self._following = begin, recording, following
        upstreams = named(dict(begin.upstreams))
        self._recorder = EndpointRecorder(recording, upstreams)
        if following is not None:
            following.begin(self._recorder.event)
        elif ready.trouble:
            self._recorder.event({"note": f"the workspace is not followed: {ready.trouble}", "at": time.time()})
        first, keeping = recording.queries + 1, self._keep if following else None
        self._agent: AgentProcess | None = None
        self._endpoint = Endpoint(
            begin.token, upstreams, self._recorder, first=first, keeping=keeping, others=self._users
        )
        if begin.replay is not None:
            folder = Path(begin.folder)
            self._endpoint.replay = ReplayService(begin.replay, folder, self._recorder.event, self._pid, self._settled)
        self._gate = self._opened(begin)

    def _opened(self, begin: Begin) -> AgentGate | None:
        if begin.gate is None:
            return None
        workspace = begin.workspace or ""
        gate = AgentGate(
            lambda heard: _say(EndpointOutput(heard=heard)),
            self._recorder, path=begin.folder, workspace=workspace, stop_all=begin.gate.stop_all,
        )  # fmt: skip
        gate.announces |= set(begin.gate.announces)
        if begin.gate.table is not None:
            gate.table(begin.gate.table)
        if (following := self._following) is not None:
            gate.story.is_as_it_was = lambda: not following.changes
        self._endpoint.gate = GateService(gate, self._endpoint.numbers, self._endpoint.keeping)
        self._endpoint.alive_s = begin.gate.alive_s
        return gate

    async def run(self) -> None:
        """Serve until the agent has ended."""
        stdin = asyncio.StreamReader(limit=2**28)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
        listener = socket.socket(fileno=self._begin.fd)
        listener.setblocking(False)
        server = await self._endpoint.serve(listener)
        ended = await self._until_ended(stdin)
        server.close()
        await self._endpoint.end()
        if self._following is not None:
            await asyncio.to_thread(self._following.close)
        self._recorder.event({"end": ended and ended.exit_code, "at": time.time()})
        await asyncio.to_thread(self._recorder.close)
        _say(EndpointOutput(told=self._summary()))
        self._recording.close()

    def _keep(self, query: int) -> asyncio.Future[Sequence[str] | None]:
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[Sequence[str] | None] = loop.create_future()

        def done(files: Sequence[str] | None) -> None:
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(lambda: kept.done() or kept.set_result(files))

        if self._following is not None:
            self._following.asked(query, done)
        return kept

    def _users(self) -> set[int]:
        """Return the user ids of the agent and its children, because an agent started by root may switch users."""
        return peer_users.users_of([self._agent.pid]) if self._agent else set()

    def _pid(self) -> int | None:
        return self._agent.pid if self._agent else None

    def _settled(self) -> tuple[Path, Path, str] | None:
        """Return (workspace, repository, newest commit); None if the workspace is not recorded."""
        if self._following is None or self._begin.workspace is None:
            return None
        return Path(self._begin.workspace), Path(self._begin.folder) / WORKSPACE, self._following.head

    def _to_the_gate(self, said: EndpointInput) -> None:
        if self._gate is None:
            return
        if said.table is not None:
            self._gate.table(said.table)
        if said.order is not None:
            self._gate.order(said.order)
        if said.pause:
            self._gate.pause()

    def _summary(self) -> RecordingSummary:
        told, following = self._recorder.totals, self._following
        told.notes += [f"not all could be recorded: {self._recorder.lost}"] if self._recorder.lost else []
        if following is not None:
            told.changes = following.changes
            trouble = f"the workspace could not be kept at each change: {following.trouble}"
            told.notes += [trouble] if following.trouble else []
        return told

    async def _until_ended(self, stdin: asyncio.StreamReader) -> AgentEnd | None:
        """Wait until the agent ends; return the starter's message about the exit, or None if the starter was killed."""
        while line := await stdin.readline():
            said = msgspec.json.decode(line, type=EndpointInput)
            self._agent = said.agent or self._agent
            if said.end is not None:
                return said.end
            self._to_the_gate(said)
        if self._gate is not None:
            self._gate.open()
        while self._agent is not None and _runs(self._agent):  # noqa: ASYNC110  not a child process: no event to wait for
            await asyncio.sleep(_LOOK_S)
        return None


def _runs(agent: AgentProcess) -> bool:
    """Return whether the agent's process still runs and is not a zombie; its creation time identifies the process."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(agent.pid)
        return abs(process.create_time() - agent.created) < 1 and process.status() != psutil.STATUS_ZOMBIE
    return False


def _say(word: EndpointOutput) -> None:
    """Send a line to the process that started this one; ignore a broken pipe. Thread-safe."""
    with _SAYING, contextlib.suppress(OSError):
        sys.stdout.buffer.write(msgspec.json.encode(word) + b"\n")
        sys.stdout.buffer.flush()


def serve(line: bytes, recording: Recording, following: Following | None, ready: Ready) -> None:
    """Serve until the agent has ended. `line` is the encoded Begin; `ready` is the reply that was already sent."""
    sys.setswitchinterval(SWITCH_S)
    begin = msgspec.json.decode(line, type=Begin)
    run(EndpointProcess(begin, recording, following, ready).run())
