"""What the proxy needs to know of a debug adapter: its rules, how to start it, how to read and copy its debuggee.

Backends implement these Protocols (dap_ai/backends, entry-point group `dap_ai.backends`). The proxy uses nothing else
of a backend.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult

Request = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a DAP request to the debug adapter and returns the response's body. Raises RequestFailed or NotStopped."""


class AdapterCommand(NamedTuple):
    """The command that starts a debug adapter, which speaks DAP on stdin and stdout."""

    argv: list[str]
    env: dict[str, str]
    """Variables added to dap_ai's own environment."""
    carries_launched: bool = False
    """Whether the adapter's end also ends the debuggee it launched. dap_ai then keeps the adapter running while the
    debuggee must live on."""
    key: str = ""
    """First line, without line end, to send on every connection to the adapter's own port. If empty, DAP begins at
    once."""


class AdapterStart(NamedTuple):
    """Completed launch or attach arguments.

    If `connect` is set, send them to the adapter that listens at that address.
    """

    arguments: dict[str, Any]
    connect: tuple[str, int] | None = None
    note: str = ""
    """A sentence for the user about an unusual way to start or attach to the program; empty if the way is the usual
    one."""


class StartError(Exception):
    """The launch or attach request cannot work; the message tells the user what to do."""


class StopInspector(Protocol):
    """Reads a stopped debuggee without running any of its code. Each session has one inspector."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """Read the frames and values that `query` names, in one request. Raises RequestFailed or NotStopped."""
        ...


class SnapshotService(Protocol):
    """Makes locked copies of a stopped debuggee, in which any code may run. Each session has one service."""

    async def run(self, request: Request, query: SnapshotQuery, begun: Callable[[str], None]) -> SnapshotResult:
        """Run the query in one copy of the debuggee; cancelling the call ends the copy.

        Calls `begun` with the copy's token before it sends anything that may create the copy. Raises RequestFailed or
        NotStopped.
        """
        ...

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """Return the command and arguments of the request that kills this copy.

        The request is harmless without a copy.
        """
        ...


class Access(Protocol):
    """How to read and copy debuggees of one kind (Python, native, ...), whichever adapter debugs them.

    Each kind of debuggee implements this Protocol (entry-point group `dap_ai.access`), and backends use it. A subclass
    overrides only the methods that differ.
    """

    def at_start(self) -> Sequence[str]:
        """Return Python expressions for the debuggee to evaluate, in this order, before a launched program runs."""
        return ()

    def in_terminal(self) -> Sequence[str]:
        """Return expressions to evaluate in a terminal's program, so that it stops at errors the adapter would miss."""
        return ()

    def warm(self) -> None:
        """Do slow preparation in a thread, before the user's first question."""

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """Return an inspector for one session. `hovers`: the adapter's `hover` evaluations have no side effects."""
        ...

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return one session's snapshot service, or None if copies are impossible.

        Copies may read the folders `readable`.
        """
        del readable
        return None


class BackendRules(Protocol):
    """Limits and needs of a debug adapter, known before the adapter sends anything.

    A subclass overrides only the attributes and methods that differ from these defaults.
    """

    denied: Mapping[str, str] = {}
    """Requests that must never be sent to this adapter, each with the reason."""
    wedged_while_running: frozenset[str] = frozenset()
    """Requests that hang this adapter if the thread they name is running."""
    wedged_when_ended: frozenset[str] = frozenset()
    """Requests that hang this adapter if the debuggee has ended."""
    vendor_requests: frozenset[str] | None = None
    """Requests outside DAP that may be sent to this adapter. None allows any; the proxy answers if the adapter does
    not."""
    ends_without_arguments: bool = False
    """Whether this adapter exits when a request lacks arguments that DAP requires."""
    scopes_shared: bool = False
    """Whether the last `scopes` request of any client decides what later requests of all clients read."""
    runs_code: frozenset[str] = frozenset()
    """Requests that make this adapter call functions of the debuggee. dap_ai never sends them for an answer."""
    runs_again: bool = False
    """Whether copies of the debuggee can be rerun from the start, to show earlier moments of the run."""
    told_of_client: frozenset[str] = frozenset()
    """Client capabilities that dap_ai always announces to this adapter. They only make the adapter report more."""

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """A request that the proxy itself sends once the adapter is `initialized`; the proxy drops the response.

        A launched program begins to run only after this request.
        """
        return None

    def announced(self, names: Iterable[str]) -> BackendRules:
        """Return the rules for an adapter that announces these capabilities.

        They may identify the adapter more closely.
        """
        ...


class Backend(BackendRules, Protocol):
    """A kind of debug adapter. A subclass overrides only the attributes and methods that differ from these defaults."""

    name: str
    """Name of the backend on the command line: `--backend NAME`."""
    runs_beside: frozenset[str]
    """Launch and attach arguments that name other programs, run before the debuggee, beside it, or in the debugger."""

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """A request to send before a launched program starts.

        It makes the terminal look as it would without a debugger.
        """
        return None

    def announced(self, names: Iterable[str]) -> Backend:
        """Return the backend for an adapter that announces these capabilities."""
        del names
        return self

    def command(self) -> AdapterCommand:
        """Return the command that starts the adapter."""
        ...

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Complete the arguments of a `launch` or `attach` request, named by `command`. Raises StartError."""
        del command
        return AdapterStart(arguments)

    def warm(self) -> None:
        """Do slow preparation in a thread, before the user's first question."""

    def inspector(self) -> StopInspector | None:
        """Return an inspector for one session, or None if this kind of adapter has no inspector."""
        return None

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return one session's snapshot service, or None if copies are impossible.

        Copies may read the folders `readable`.
        """
        del readable
        return None

    def default_python(self, cwd: str) -> str:
        """Return the default Python interpreter for `cwd`; dap_ai's own if the adapter chooses the interpreter."""
        del cwd
        return sys.executable
