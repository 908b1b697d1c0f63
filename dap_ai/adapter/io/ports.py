"""What the proxy needs of its siblings, as protocols: backends and agent satisfy them, wiring.py joins them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.adapter.state.gate import BackendRules
from dap_ai.adapter.state.options import Options
from dap_ai.protocol.asking import Answer, Ask
from dap_ai.protocol.debugger import Debugger, Sink
from dap_ai.protocol.inspection import Inspection, Query
from dap_ai.protocol.snapshot import SnapshotQuery, SnapshotResult
from dap_ai.streams import TransportLink

Request = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


class Walker(Protocol):
    """See dap_ai.backends.Walker."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """One visit."""
        ...


class Snapshots(Protocol):
    """See dap_ai.backends.Snapshots."""

    async def run(self, request: Request, query: SnapshotQuery, begun: Callable[[str], None]) -> SnapshotResult:
        """The work of one copy."""
        ...

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """What ends a copy at once."""
        ...


class Start(Protocol):
    """See dap_ai.backends.Start."""

    @property
    def arguments(self) -> dict[str, Any]:
        """Of launch or attach, completed."""
        ...

    @property
    def connect(self) -> tuple[str, int] | None:
        """The adapter to talk to instead of the one started here."""
        ...


class Process(Protocol):
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
        """What every connection to a port of its own begins with; see dap_ai.backends.Command."""
        ...

    async def end(self, spares: str = "") -> None:
        """End its process tree, or with `spares` all but the debuggee, which was started so; again changes nothing."""
        ...


class Backend(BackendRules, Protocol):
    """See dap_ai.backends.Backend."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def runs_beside(self) -> frozenset[str]:
        """Launch and attach arguments that name what runs beside the debuggee, before it or in the debugger."""
        ...

    def default_python(self, cwd: str) -> str:
        """The interpreter that a program in `cwd` would be run with."""
        ...

    async def prepare(self, command: str, arguments: dict[str, Any]) -> Start:
        """Complete the arguments of launch or attach."""
        ...

    def walker(self) -> Walker | None:
        """A reader for one session."""
        ...

    def snapshots(self, readable: tuple[str, ...] = ()) -> Snapshots | None:
        """The copies of one session."""
        ...


class Agent(Protocol):
    """What answers: see dap_ai.agent.answering.Agent. One per session: it holds the session's conversations."""

    async def answer(self, ask: Ask, debugger: Debugger, sink: Sink) -> Answer:
        """Answer one question. Raises NotStopped if nothing could be read."""
        ...

    async def close(self) -> None:
        """End what it has started, at the end of the session."""
        ...


class Journal(Protocol):
    """Where a session is recorded; see journal.py."""

    def record(self, event: Event, effects: Sequence[Effect]) -> None:
        """What the session was told, and what it wanted done. Never raises."""
        ...

    def close(self) -> None:
        """The session is over."""
        ...


class Recipe(Protocol):
    """What a Proxy is made of; dap_ai.commands.wiring provides it."""

    @property
    def backend(self) -> Backend:
        """The kind of debug adapter."""
        ...

    async def spawn(self, log: Callable[[str], None]) -> Process:
        """Start the debug adapter. Raises OSError."""
        ...

    def agent(self, own: Mapping[str, Any]) -> Agent:
        """A fresh agent for one session, whose launch arguments for us are `own`."""
        ...

    def options(self, own: Mapping[str, Any]) -> Options:
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
