"""Interfaces the proxy needs besides its backend (protocol/contracts/backend.py); commands/wiring.py connects them."""

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
    """A running debug adapter; see dap_ai.backends.spawn.AdapterProcess."""

    @property
    def link(self) -> TransportLink:
        """Its stdin and stdout."""
        ...

    @property
    def last_words(self) -> str:
        """The end of its stderr output."""
        ...

    @property
    def key(self) -> str:
        """The first bytes to send on every connection to its own port; see protocol/contracts/backend.py."""
        ...

    async def end(self, spares: str = "") -> None:
        """End its process tree; idempotent.

        `spares`: how a debuggee that must survive was started ("launch", "attach"); empty: end it too.
        """
        ...


class AgentPort(Protocol):
    """Answers questions; see agent/session_agent.py. One per session, which keeps the session's conversations."""

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answer one question."""
        ...

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """Return what a copy of the program can rerun up to this stop."""
        ...

    async def close(self) -> None:
        """End everything it started, at the end of the session."""
        ...


@runtime_checkable
class LooksAhead(Protocol):
    """An agent that can prepare for a question about the failure the user is looking at."""

    async def look_ahead(self, files: Sequence[str]) -> None:
        """Read in advance what it will need from these files, innermost frame first; stops when cancelled."""
        ...


class Journal(Protocol):
    """Recording of a session; see adapter/recording/journal.py."""

    def record(self, event: Event, effects: Sequence[Effect]) -> None:
        """Record an event and the effects it led to. Never raises."""
        ...

    def close(self) -> None:
        """Finish the recording at the end of the session."""
        ...


class ProxyRecipe(Protocol):
    """The parts of a Proxy; dap_ai.commands.wiring provides them."""

    @property
    def backend(self) -> Backend:
        """The kind of debug adapter."""
        ...

    async def spawn(self, log: Callable[[str], None]) -> BackendProcess:
        """Start the debug adapter. Raises OSError."""
        ...

    def agent(self, own: Mapping[str, Any]) -> AgentPort:
        """Create an agent for one session; `own` are dap_ai's own launch arguments."""
        ...

    def options(self, own: Mapping[str, Any]) -> SessionOptions:
        """Create options for one session. Raises ValueError if `own` is invalid."""
        ...

    def for_anybody(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the launch or attach (`command`) arguments to use for an anonymous client.

        Raises ValueError if they contain something an anonymous client may not set.
        """
        ...

    def journal(self, session: Session) -> Journal | None:
        """Return the recording of this session, or None if it is not recorded."""
        ...

    def log(self, text: str) -> None:
        """Write a line to the log."""
        ...

    def mask(self, text: str) -> Safe:
        """Return the text of an error without secrets."""
        ...
