"""Who answers: the Provider protocol, and how providers are found.

An entry point of the group `dap_ai.providers` names a function that takes the settings and the environment and gives a
Provider (it makes the whole answer) or a Model (it only talks: the agent investigates with it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from dap_ai.agent.conversation import Conversation
from dap_ai.agent.stack import Case
from dap_ai.agent.tools.base import Bench
from dap_ai.agent.transcript import Transcript
from dap_ai.agent.watched import Watched
from dap_ai.config import Settings
from dap_ai.protocol.ask import Trouble
from dap_ai.protocol.asking import Answer, Ask
from dap_ai.protocol.debugger import Sink
from dap_ai.protocol.errors import RequestFailed

if TYPE_CHECKING:
    pass

GROUP = "dap_ai.providers"


class Work(Protocol):
    """What the agent lends a provider for one ask."""

    ask: Ask
    bench: Bench | None
    """What tools work with; None: nothing is stopped, and the conversation and the output are all there is."""
    record: Transcript
    debugger: Watched
    sink: Sink
    conversation: Conversation
    settings: Settings
    caught: Case | None
    """Where nothing is stopped: an exception that was caught and reported, without any value."""

    @property
    def case(self) -> Case | None:
        """What was read of the stop; the present one, where the agent lets the program go on."""
        ...

    async def read(self, expressions: list[str]) -> None:
        """Reads further expressions into the case: of the focus, and of the nearest caller that has their names.

        Raises NotStopped, RequestFailed.
        """
        ...

    async def context(self) -> str:
        """The first context as Markdown."""
        ...


@runtime_checkable
class Provider(Protocol):
    """Turns a case into an answer."""

    @property
    def name(self) -> str:
        """As in `usage.provider`."""
        ...

    @property
    def notice(self) -> str:
        """Who answers and what leaves the machine, in one line: the first status of each ask."""
        ...

    def warm(self) -> None:
        """Does what takes time before the first question: called in a thread; the network is not used."""
        ...

    async def close(self) -> None:
        """Lets go of what it keeps between questions."""
        ...

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
