"""Base classes of debugger and model wrappers: they delegate every member that a subclass does not change."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from dap_ai.agent.model_port import Model
from dap_ai.protocol.contracts.debugger import StoppedSession
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.lent_replies import LentPiece, LentReply
from dap_ai.protocol.wire.safe import SafeFields


class PassingSession:
    """Debugger wrapper that delegates to another session. Subclasses override what they change."""

    def __init__(self, session: StoppedSession) -> None:
        self._session = session

    @property
    def stop(self) -> StopEvent | None:
        """The wrapped session's stop."""
        return self._session.stop

    @property
    def current(self) -> bool:
        """Whether the wrapped session's stop is still current."""
        return self._session.current

    @property
    def can_inspect(self) -> bool:
        """Whether the wrapped session can inspect."""
        return self._session.can_inspect

    @property
    def why_no_snapshot(self) -> str:
        """The wrapped session's reason why it can make no snapshot."""
        return self._session.why_no_snapshot

    def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """Streams a reply from the model that the wrapped session's client lends."""
        return self._session.lent_model(messages, tools)


class PassingModel:
    """Model wrapper that delegates everything but `stream` to another model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def provider(self) -> str:
        """The wrapped model's provider name."""
        return self._model.provider

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def notice(self) -> str:
        """The wrapped model's notice of what leaves the machine."""
        return self._model.notice

    def warm(self) -> None:
        """Prepares the wrapped model."""
        self._model.warm()

    async def close(self) -> None:
        """Closes the wrapped model."""
        await self._model.close()
