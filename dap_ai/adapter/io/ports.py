"""Interfaces that the proxy needs, besides its backend's (protocol/contracts/backend.py).

commands/wiring.py provides the implementations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.backend import Backend
from dap_ai.protocol.contracts.debugger import RawDebugger, SafeSink
from dap_ai.protocol.contracts.question import AcceptedAsk, NotAnswered, SafeAnswer
from dap_ai.protocol.contracts.repeatable_run import NoPast, Recalled
from dap_ai.protocol.wire.safe import Safe
from dap_ai.transport.byte_links import TransportLink


class BackendProcess(Protocol):
    """A running debug adapter, implemented by dap_ai.backends.spawn.AdapterProcess."""

    @property
    def link(self) -> TransportLink:
        """The link to the adapter's stdin and stdout."""
        ...

    @property
    def last_words(self) -> str:
        """The end of the adapter's stderr output."""
        ...

    @property
    def key(self) -> str:
        """The line to send first on every connection to the adapter's own port (protocol/contracts/backend.py)."""
        ...

    async def end(self, spares: str = "") -> None:
        """End the adapter's process tree. Further calls do nothing.

        `spares` names the request that started a program which must survive ("launch", "attach"). If `spares` is empty,
        the program ends too.
        """
        ...


class AgentPort(Protocol):
    """Answers one session's questions and keeps its conversations. Implemented in agent/session_agent.py."""

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answer one question, and stream the answer to `sink`."""
        ...

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """Return what a copy of the program can rerun up to the current stop."""
        ...

    async def close(self) -> None:
        """End everything that the agent has started, at the end of the session."""
        ...


@runtime_checkable
class LooksAhead(Protocol):
    """An agent that prepares for a question about the failure that the user looks at."""

    async def look_ahead(self, files: Sequence[str]) -> None:
        """Read in advance what a question about these files needs. Stops when cancelled.

        The file of the innermost frame is first.
        """
        ...


class Journal(Protocol):
    """The recording of a session (adapter/recording/journal.py)."""

    def record(self, event: Event, effects: Sequence[Effect]) -> None:
        """Record an event and the effects that resulted from it. Never raises."""
        ...

    def close(self) -> None:
        """Finish the recording at the end of the session."""
        ...


class ProxyRecipe(Protocol):
    """Creates the parts of a Proxy. Implemented in dap_ai.commands.wiring."""

    @property
    def backend(self) -> Backend:
        """The kind of debug adapter."""
        ...

    async def spawn(self, log: Callable[[str], None]) -> BackendProcess:
        """Start the debug adapter. Raises OSError."""
        ...

    def agent(self, own: Mapping[str, Any]) -> AgentPort:
        """Create the agent of one session. `own` are the launch arguments for dap_ai."""
        ...

    def options(self, own: Mapping[str, Any]) -> SessionOptions:
        """Create the options of one session. Raises ValueError if `own` contains an invalid option."""
        ...

    def for_anybody(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the launch or attach arguments with which an anonymous client's request is carried out.

        Raises ValueError if the arguments contain something that an anonymous client may not set.
        """
        ...

    def journal(self, session: Session) -> Journal | None:
        """Return the recording of this session, or None if the session is not recorded."""
        ...

    def log(self, text: str) -> None:
        """Write a line to the log."""
        ...

    def mask(self, text: str) -> Safe:
        """Return the text of an error without secrets."""
        ...
