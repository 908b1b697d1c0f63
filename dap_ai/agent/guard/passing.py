"""What stands before a debugger or a model and changes some of it: all the rest is passed on, written once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from dap_ai.agent.model import Model, Piece, Schema
from dap_ai.protocol.contracts.asking import HistoryItem, Stop
from dap_ai.protocol.contracts.debugger import Action, Consent, Debugger, Done, StoppedSession
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.snapshot import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.caught import Caught
from dap_ai.protocol.wire.lending import LentPiece, LentReply
from dap_ai.protocol.wire.safe import SafeFields


class PassingSession:
    """See protocol.debugger.StoppedSession: another one's members."""

    def __init__(self, session: StoppedSession) -> None:
        self._session = session

    @property
    def stop(self) -> Stop | None:
        """The other's."""
        return self._session.stop

    @property
    def current(self) -> bool:
        """The other's."""
        return self._session.current

    @property
    def can_inspect(self) -> bool:
        """The other's."""
        return self._session.can_inspect

    @property
    def why_no_snapshot(self) -> str:
        """The other's."""
        return self._session.why_no_snapshot

    def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """The other's."""
        return self._session.lent_model(messages, tools)


class PassingDebugger(PassingSession):
    """Another Debugger: see protocol.debugger.Debugger for each member."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__(debugger)
        self._debugger = debugger

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The other's."""
        return await self._debugger.request(command, arguments)

    async def inspect(self, query: Query) -> Inspection:
        """The other's."""
        return await self._debugger.inspect(query)

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """The other's."""
        return await self._debugger.snapshot(query)

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """The other's."""
        return await self._debugger.approve(kind, action, reason, now)

    async def act(self, action: Action, frame_id: int = 0) -> Done:
        """The other's."""
        return await self._debugger.act(action, frame_id)

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """The other's."""
        return self._debugger.output_tail()

    def caught(self) -> Caught | None:
        """The other's."""
        return self._debugger.caught()

    def history(self) -> Sequence[HistoryItem]:
        """The other's."""
        return self._debugger.history()


class PassingModel:
    """Another Model: see agent.model.Model for each member."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def provider(self) -> str:
        """The other's."""
        return self._model.provider

    @property
    def name(self) -> str:
        """The other's."""
        return self._model.name

    @property
    def notice(self) -> str:
        """The other's."""
        return self._model.notice

    def warm(self) -> None:
        """The other's."""
        self._model.warm()

    async def close(self) -> None:
        """The other's."""
        await self._model.close()

    def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """The other's."""
        return self._model.stream(messages, tools)
