"""What the proxy is given to work with beside its backend (protocol/contracts/backend.py); wiring.py joins them."""

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
    """A running adapter: see dap_ai.backends.spawn.AdapterProcess."""

    @property
    def link(self) -> TransportLink:
        """Its stdin and stdout."""
        ...

    @property
    def last_words(self) -> str:
        """The end of what it wrote to stderr."""
        ...

    @property
    def key(self) -> str:
        """The first bytes of every connection to its own port; see protocol/contracts/backend.py."""
        ...

    async def end(self, spares: str = "") -> None:
        """End its process tree, or with `spares` all but the debuggee, which was started so; again changes nothing."""
        ...


class AgentPort(Protocol):
    """Answers questions, see agent/session_agent.py. One per session, with the session's conversations."""

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answer one question."""
        ...

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """What can be run again in a copy, up to this stop."""
        ...

    async def close(self) -> None:
        """End what it has started, at the end of the session."""
        ...


@runtime_checkable
class LooksAhead(Protocol):
    """An agent that can get ready for the question about a failure that the user is looking at."""

    async def look_ahead(self, files: Sequence[str]) -> None:
        """Read what it will need of these files, of the innermost frame first; cancelled, it goes no further."""
        ...


class Journal(Protocol):
    """Where a session is recorded; see journal.py."""

    def record(self, event: Event, effects: Sequence[Effect]) -> None:
        """What the session was told, and what it wanted done. Never raises."""
        ...

    def close(self) -> None:
        """The session is over."""
        ...


class ProxyRecipe(Protocol):
    """What a Proxy is made of; dap_ai.commands.wiring provides it."""

    @property
    def backend(self) -> Backend:
        """The kind of debug adapter."""
        ...

    async def spawn(self, log: Callable[[str], None]) -> BackendProcess:
        """Start the debug adapter. Raises OSError."""
        ...

    def agent(self, own: Mapping[str, Any]) -> AgentPort:
        """A fresh agent for one session, whose launch arguments for us are `own`."""
        ...

    def options(self, own: Mapping[str, Any]) -> SessionOptions:
        """Fresh options for one session. Raises ValueError if `own` does not fit."""
        ...

    def for_anybody(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of an anonymous client's launch or attach (`command`). Raises ValueError: they say too much."""
        ...

    def journal(self, session: Session) -> Journal | None:
        """Where this session is recorded; None: nowhere."""
        ...

    def log(self, text: str) -> None:
        """Something for the log."""
        ...

    def mask(self, text: str) -> Safe:
        """The text of an error without secrets."""
        ...
