"""The view that one question has of its session: its stop, its reads, and the destination of its answer.

Each event that the agent sends carries a token, and the event's outcome carries the same token.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import (
    ActionRequest,
    AgentOutput,
    AgentRequest,
    ApprovalRequest,
    Event,
    JobBegun,
    JobEnded,
    LookBack,
    ModelRequest,
    StartAsk,
)
from dap_ai.protocol.contracts.backend import SnapshotService, StopInspector
from dap_ai.protocol.contracts.debugger import Action, ActionResult, Consent
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import HistoryItem, StopEvent
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, Step
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import Category, SafeStep
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.protocol.wire.errors import NotStopped, RemoteProtocolError, RequestFailed
from dap_ai.protocol.wire.lent_replies import LentPiece, LentReply
from dap_ai.protocol.wire.safe import Raw, Safe, SafeFields, raw

SWITCHED_OFF = "snapshots are switched off in the settings"


class AskDebugger:
    """The view that one question has of its session. Implements dap_ai.protocol.contracts.debugger.RawDebugger."""

    def __init__(
        self,
        session: Session,
        awaiting: Awaiting,
        inspector: StopInspector | None,
        snapshots: SnapshotService | None,
        start: StartAsk | LookBack,
    ) -> None:
        self._session = session
        self._awaiting = awaiting
        self._inspector = inspector
        self._snapshots = snapshots
        self._ask_id = start.ask.ask_id
        self._history = start.history if isinstance(start, StartAsk) else ()
        self._observes = start.ask.arguments.level == "observe"
        self.stop: StopEvent | None = start.stop

    @property
    def current(self) -> bool:
        """Whether the question's stop has not ended yet."""
        return self.stop is not None and self.stop.epoch == self._session.state.epoch

    @property
    def can_inspect(self) -> bool:
        """Whether the backend has an inspector, which runs no user code."""
        return self._inspector is not None

    async def request(self, command: str, arguments: Mapping[str, Any]) -> Raw[dict[str, Any]]:
        """Send a DAP request to the backend and return the response's body. Raises RequestFailed, NotStopped."""
        return raw(await self._request(command, arguments))

    async def _request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        epoch = self._stop(command).epoch
        body: bytes = await self._awaiting.outcome(
            lambda token: AgentRequest(self._ask_id, token, epoch, command, dict(arguments))
        )
        try:
            return envelope.decode(body, dict[str, Any])
        except RemoteProtocolError as error:
            text = f"what the debug adapter answers to {command} cannot be read: {error}"
            raise RequestFailed(command, "unreadable", text) from error

    async def inspect(self, query: Query) -> Raw[Inspection]:
        """Run one query of the inspector, which runs no user code. Raises RequestFailed, NotStopped."""
        if self._inspector is None:
            raise RequestFailed("evaluate", "notSupported", "this debug adapter has no static inspector")
        paths = self._session.state.paths
        return raw(paths.local(await self._inspector.inspect(self._request, paths.remote(query))))

    @property
    def why_no_snapshot(self) -> str:
        """The reason why this question may not make a snapshot; empty if a snapshot is allowed."""
        if self._observes:
            return "at the level observe no code of the program is run, not even in a copy"
        if not self._session.options.snapshots:
            return SWITCHED_OFF
        return "" if self._snapshots else "this debug adapter makes no snapshots"

    async def snapshot(self, query: SnapshotQuery) -> Raw[SnapshotResult]:
        """Run a query in a sandboxed copy of the program. Cancelling ends the copy.

        Raises RequestFailed, NotStopped.
        """
        return raw(await self.copied(query))

    async def copied(self, query: SnapshotQuery) -> SnapshotResult:
        """Run a query in a copy of the program, and return its result unmasked. Raises RequestFailed, NotStopped."""
        snapshots = self._snapshots
        if snapshots is None or self.why_no_snapshot:
            raise RequestFailed("snapshot", "notSupported", self.why_no_snapshot)
        epoch, tokens, alive = self._stop("snapshot").epoch, list[str](), True

        def begun(token: str) -> None:
            tokens.append(token)
            command, arguments = snapshots.kill_request(token, query.frame_id)
            self._awaiting.tell(JobBegun(self._ask_id, token, epoch, command, arguments))

        try:
            paths = self._session.state.paths
            result = await snapshots.run(self._request, paths.remote(query), begun)
            alive = False
            return paths.local(result)
        finally:
            for token in tokens:
                self._awaiting.tell(JobEnded(token, alive))

    async def approve(self, kind: str, action: Safe, reason: Safe, now: Safe = "") -> Consent:
        """Ask the user to approve an action of the agent. If the user does not answer in time, the action is refused.

        Raises RequestFailed, NotStopped.
        """
        epoch = self._stop("approve").epoch
        consent: Consent = await self._awaiting.outcome(
            lambda token: ApprovalRequest(self._ask_id, token, epoch, kind, action, reason, now)
        )
        return consent

    async def act(self, action: Action, frame_id: int = 0) -> Raw[ActionResult]:
        """Perform an action in the program itself. Raises RequestFailed, NotStopped.

        After a Step or a ContinueTo, `stop` is the program's new stop. It is None if the program runs or has ended.
        """
        stop = self._stop("act")
        done: ActionResult = await self._awaiting.outcome(
            lambda token: ActionRequest(self._ask_id, token, stop.epoch, stop.thread_id, action, frame_id)
        )
        if isinstance(action, Step | ContinueTo):
            self.stop = done.stop
        return raw(done)

    async def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """Request a reply of the model that the client lends, and yield its pieces. The last piece is a LentReply.

        Raises RequestFailed.
        """
        wanted = list(messages), [dict(tool) for tool in tools]
        async with aclosing(self._awaiting.outcomes(lambda token: ModelRequest(self._ask_id, token, *wanted))) as said:
            async for piece in said:
                yield piece
                if isinstance(piece, LentReply):
                    return

    def _stop(self, command: str) -> StopEvent:
        if self.stop is None:
            raise NotStopped(command)
        return self.stop

    def output_tail(self) -> Raw[Sequence[tuple[str, str]]]:
        """Return the program's latest output as (category, text) pairs."""
        return raw(self._session.history.output_tail())

    def caught(self) -> Raw[Caught | None]:
        """Return the last caught exception that the program reported. None if the program is stopped."""
        return raw(self._session.state.paths.local(self._session.caught.last) if self.stop is None else None)

    def history(self) -> Raw[Sequence[HistoryItem]]:
        """Return the user's actions since the conversation's last question."""
        return raw(self._history)


class AskSink:
    """Takes the pieces of one answer. Implements dap_ai.protocol.contracts.debugger.SafeSink."""

    def __init__(self, tell: Callable[[Event], None], ask_id: str) -> None:
        self._tell = tell
        self._ask_id = ask_id

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """Send a piece of the answer, a step or a status, depending on `category`."""
        self._tell(AgentOutput(self._ask_id, category, text, tool))


Outcome = bytes | Consent | ActionResult | LentPiece | LentReply


class Awaiting:
    """The events of a session's agent that wait for an outcome. `tell` sends an event to the session."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self.tell = tell
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._streams: dict[int, asyncio.Queue[Outcome | RequestFailed]] = {}
        self._tokens = 0

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """Send the event `wanted(token)`, wait for its outcome and return it.

        The outcome is a response's body as bytes, a Consent or an ActionResult. Raises RequestFailed, NotStopped.
        """
        self._tokens += 1
        token = self._tokens
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        try:
            self.tell(wanted(token))
            return await future
        finally:
            self._waiting.pop(token, None)

    async def outcomes(self, wanted: Callable[[int], Event]) -> AsyncGenerator[Any]:
        """Send the event `wanted(token)`, and yield its outcomes until the caller stops. Raises RequestFailed."""
        self._tokens += 1
        token = self._tokens
        stream = self._streams[token] = asyncio.Queue()
        try:
            self.tell(wanted(token))
            while not isinstance(outcome := await stream.get(), RequestFailed):
                yield outcome
            raise outcome
        finally:
            del self._streams[token]

    def resolve(self, token: int, outcome: Outcome, error: RequestFailed | None = None) -> None:
        """Deliver an outcome or error to the code that waits for this token."""
        if (stream := self._streams.get(token)) is not None:
            stream.put_nowait(error or outcome)
            return
        future = self._waiting.get(token)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(outcome)
        else:
            future.set_exception(error)
