"""The session as one ask sees it: its stop, its reads, and where its answer goes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Protocol

from dap_ai.adapter.io.ports import Snapshots, Walker
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import (
    ActionWanted,
    AgentOutput,
    AgentRequest,
    ApprovalWanted,
    Event,
    JobBegun,
    JobEnded,
    ModelWanted,
    StartAsk,
)
from dap_ai.protocol import envelope
from dap_ai.protocol.acting import Action, Consent, ContinueTo, Done, Step
from dap_ai.protocol.ask import Category, ToolStep
from dap_ai.protocol.asking import HistoryItem, Stop
from dap_ai.protocol.caught import Caught
from dap_ai.protocol.errors import NotStopped, RemoteProtocolError, RequestFailed
from dap_ai.protocol.inspection import Inspection, Query
from dap_ai.protocol.lending import LentPiece, LentReply
from dap_ai.protocol.snapshot import SnapshotQuery, SnapshotResult


class Pump(Protocol):
    """What of the running session is needed here."""

    session: Session
    walker: Walker | None
    snapshots: Snapshots | None

    def receive(self, event: Event) -> None:
        """Tell the session."""
        ...

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """What comes of an event of the agent: a response's body as bytes, Consent or Done. `wanted` makes the event.

        Raises RequestFailed, NotStopped.
        """
        ...

    def outcomes(self, wanted: Callable[[int], Event]) -> AsyncGenerator[Any]:
        """All that comes of it, as it comes; it has no end of its own. Raises RequestFailed."""
        ...


class AskDebugger:
    """The session as one ask sees it; satisfies dap_ai.protocol.debugger.Debugger."""

    def __init__(self, pump: Pump, start: StartAsk) -> None:
        self._pump = pump
        self._ask_id = start.ask.ask_id
        self._history = start.history
        self._observes = start.ask.arguments.level == "observe"
        self.stop: Stop | None = start.stop

    @property
    def current(self) -> bool:
        """Whether the ask's stop still holds."""
        return self.stop is not None and self.stop.epoch == self._pump.session.state.epoch

    @property
    def can_inspect(self) -> bool:
        """Whether the backend has a static walker."""
        return self._pump.walker is not None

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A DAP request's response body. Raises RequestFailed, NotStopped."""
        epoch = self._stop(command).epoch
        body: bytes = await self._pump.outcome(
            lambda token: AgentRequest(self._ask_id, token, epoch, command, dict(arguments))
        )
        try:
            return envelope.decode(body, dict[str, Any])
        except RemoteProtocolError as error:
            text = f"what the debug adapter answers to {command} cannot be read: {error}"
            raise RequestFailed(command, "unreadable", text) from error

    async def inspect(self, query: Query) -> Inspection:
        """One visit of the walker. Raises RequestFailed, NotStopped."""
        if self._pump.walker is None:
            raise RequestFailed("evaluate", "notSupported", "this debug adapter has no static walker")
        return await self._pump.walker.inspect(self.request, query)

    @property
    def why_no_snapshot(self) -> str:
        """Why this ask may make no snapshot; empty: it may."""
        if self._observes:
            return "at the level observe nothing of the program is run, not even in a copy"
        if not self._pump.session.options.snapshots:
            return "snapshots are switched off in the settings"
        return "" if self._pump.snapshots else "this debug adapter makes no snapshots"

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """The work of one locked copy of the debuggee; cancelled, it ends it. Raises RequestFailed, NotStopped."""
        snapshots = self._pump.snapshots
        if snapshots is None or self.why_no_snapshot:
            raise RequestFailed("snapshot", "notSupported", self.why_no_snapshot)
        epoch, tokens, alive = self._stop("snapshot").epoch, list[str](), True

        def begun(token: str) -> None:
            tokens.append(token)
            command, arguments = snapshots.kill_request(token, query.frame_id)
            self._pump.receive(JobBegun(self._ask_id, token, epoch, command, arguments))

        try:
            result = await snapshots.run(self.request, query, begun)
            alive = False
            return result
        finally:
            for token in tokens:
                self._pump.receive(JobEnded(token, alive))

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """What the user says to an action of the agent; no answer in time is a no. Raises RequestFailed, NotStopped."""
        epoch = self._stop("approve").epoch
        consent: Consent = await self._pump.outcome(
            lambda token: ApprovalWanted(self._ask_id, token, epoch, kind, action, reason, now)
        )
        return consent

    async def act(self, action: Action) -> Done:
        """Does it, in the program itself. Raises RequestFailed, NotStopped.

        After a Step or a ContinueTo, `stop` is where the program stands now: None if it runs or has ended.
        """
        stop = self._stop("act")
        done: Done = await self._pump.outcome(
            lambda token: ActionWanted(self._ask_id, token, stop.epoch, stop.thread_id, action)
        )
        if isinstance(action, Step | ContinueTo):
            self.stop = done.stop
        return done

    async def lent_model(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """One reply of the model that the client lends, ended by a LentReply. Raises RequestFailed."""
        wanted = [dict(message) for message in messages], [dict(tool) for tool in tools]
        async with aclosing(self._pump.outcomes(lambda token: ModelWanted(self._ask_id, token, *wanted))) as said:
            async for piece in said:
                yield piece
                if isinstance(piece, LentReply):
                    return

    def _stop(self, command: str) -> Stop:
        if self.stop is None:
            raise NotStopped(command)
        return self.stop

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """(category, text) of the last output."""
        return self._pump.session.history.output_tail()

    def caught(self) -> Caught | None:
        """The exception that was caught and reported while nothing stopped."""
        return self._pump.session.caught.last if self.stop is None else None

    def history(self) -> Sequence[HistoryItem]:
        """What the user did since the conversation's last question."""
        return self._history


class AskSink:
    """Satisfies dap_ai.protocol.debugger.Sink."""

    def __init__(self, pump: Pump, ask_id: str) -> None:
        self._pump = pump
        self._ask_id = ask_id

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Append to the answer, or report a step or a status."""
        self._pump.receive(AgentOutput(self._ask_id, category, text, tool))
