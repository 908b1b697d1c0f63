"""Who answers where the settings name somebody who cannot: the offline analyst, after saying why."""

from __future__ import annotations

from dap_ai.agent.model import ModelError
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.offline import without_model
from dap_ai.agent.providers.work import Work
from dap_ai.protocol.contracts.asking import Answer
from dap_ai.protocol.wire.ask import Usage


class Nobody:
    """See providers.base.Provider."""

    name = "offline"
    notice = "offline: no language model, nothing leaves this machine"

    def __init__(self, error: ProviderError) -> None:
        self._error = error

    def warm(self) -> None:
        """Nothing: there is nobody."""

    async def close(self) -> None:
        """Nothing is kept open."""

    async def answer(self, work: Work) -> Answer:
        """Why nobody can answer, and the offline analyst's answer."""
        return await without_model(work, ModelError(self._error.trouble, self._error.user_text), Usage())
