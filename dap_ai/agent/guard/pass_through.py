"""What stands before a debugger or a model and changes some of it: all the rest is passed on, written once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from dap_ai.agent.model_port import Model
from dap_ai.protocol.contracts.debugger import StoppedSession
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.lent_replies import LentPiece, LentReply
from dap_ai.protocol.wire.safe import SafeFields


class PassingSession:
    """See protocol.debugger.StoppedSession: another one's members."""

    def __init__(self, session: StoppedSession) -> None:
        self._session = session

    @property
    def stop(self) -> StopEvent | None:
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


class PassingModel:
    """Delegates every member but `stream` to another Model; see agent.model.Model."""

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
