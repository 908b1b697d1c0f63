"""The Provider protocol, which every source of answers implements.

An entry point of the group `dap_ai.providers` names a function that takes the settings and the environment. It returns
a Provider, which writes the whole answer, or a Model, which only generates text.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from dap_ai.agent.model_port import ModelAnswerer
from dap_ai.agent.providers.ask_work import Work
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.ask_messages import Trouble
from dap_ai.protocol.wire.errors import RequestFailed

GROUP = "dap_ai.providers"


@runtime_checkable
class Provider(ModelAnswerer, Protocol):
    """Writes the answer to a question. `usage.provider` is the provider's `name`."""

    async def answer(self, work: Work) -> Answer:
        """Returns the answer to a question. Sends its paragraphs to the sink when they are ready."""
        ...


@runtime_checkable
class Retiring(Protocol):
    """A provider that sends data to a model and that can be told to stop sending."""

    def retire(self) -> None:
        """Stops sending data to the model, because the user has chosen another provider."""
        ...


class ProviderError(RequestFailed):
    """Raised when no provider can answer with these settings. The text says which setting to change."""

    def __init__(self, text: str, trouble: Trouble = "request") -> None:
        super().__init__("ask", "noProvider", text)
        self.trouble: Trouble = trouble
