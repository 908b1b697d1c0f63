"""Who answers: the Provider protocol, and how providers are found.

An entry point of the group `dap_ai.providers` names a function that takes the settings and the environment and gives a
Provider (it makes the whole answer) or a Model (it only talks: the agent investigates with it).
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
    """Turns a case into an answer. Its name is that in `usage.provider`."""

    async def answer(self, work: Work) -> Answer:
        """The answer; its paragraphs go to the sink as they are ready."""
        ...


@runtime_checkable
class Retiring(Protocol):
    """A provider that sends something away."""

    def retire(self) -> None:
        """Sends nothing more: another one was chosen."""
        ...


class ProviderError(RequestFailed):
    """Nobody can answer with these settings; the text says what to set."""

    def __init__(self, text: str, trouble: Trouble = "request") -> None:
        super().__init__("ask", "noProvider", text)
        self.trouble: Trouble = trouble
