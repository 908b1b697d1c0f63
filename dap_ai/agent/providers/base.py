"""The Provider protocol, and how providers are found."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, Protocol

from dap_ai.agent.stack import Case
from dap_ai.protocol.asking import Answer, Ask
from dap_ai.protocol.debugger import Debugger, Sink

GROUP = "dap_ai.providers"


class Work(Protocol):
    """What the agent lends a provider for one ask."""

    ask: Ask
    case: Case
    debugger: Debugger
    sink: Sink

    async def read(self, expressions: list[str]) -> None:
        """Reads further expressions of the focus frame into the case. Raises NotStopped, RequestFailed."""
        ...

    async def context(self) -> str:
        """The first context as Markdown."""
        ...


class Provider(Protocol):
    """Turns a case into an answer."""

    name: str
    notice: str
    """What leaves the machine, in one line: the first status of each ask."""

    async def answer(self, work: Work) -> Answer:
        """The answer; its paragraphs go to the sink as they are ready."""
        ...


class UnknownProvider(LookupError):  # noqa: N818  names what is unknown
    """No provider of this name is installed; the message names those that are."""


def load(name: str) -> Provider:
    """The provider of this name. Raises UnknownProvider."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        raise UnknownProvider(f"there is no provider '{name}'; installed: {', '.join(sorted(found)) or 'none'}")
    provider: Any = found[name].load()
    return provider
