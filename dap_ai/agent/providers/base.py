"""The Provider protocol.

An entry point of the group `dap_ai.providers` names a function that takes the settings and the environment and returns
a Provider (writes the whole answer) or a Model (only generates text: the agent investigates with it).
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
    """Turns a case into an answer. Its `name` is the one in `usage.provider`."""

    async def answer(self, work: Work) -> Answer:
        """Returns the answer, sending its paragraphs to the sink as they are ready."""
        ...


@runtime_checkable
class Retiring(Protocol):
    """A provider that sends data to a model and can be told to stop."""

    def retire(self) -> None:
        """Stops sending, because another provider was chosen."""
        ...


class ProviderError(RequestFailed):
    """Raised when no provider can answer with these settings; the text says what to set."""

    def __init__(self, text: str, trouble: Trouble = "request") -> None:
        super().__init__("ask", "noProvider", text)
        self.trouble: Trouble = trouble
