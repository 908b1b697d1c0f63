"""What the proxy needs from a kind of debug adapter: its rules, how to start it, how to read and copy its debuggee.

Backends implement it (dap_ai/backends, entry-point group `dap_ai.backends`); the proxy uses nothing else of them.
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
    """Whether the debuggee ends with the adapter that launched it. If it must live on, dap_ai does not end the
    adapter."""
    key: str = ""
    """First line of every connection to the adapter's own port, without its line end; empty: DAP begins at once."""


class AdapterStart(NamedTuple):
    """Completed launch or attach arguments. With `connect`, they go to the adapter listening at that address."""

    arguments: dict[str, Any]
    connect: tuple[str, int] | None = None
    note: str = ""
    """A sentence that tells the user how the program is started or attached to; empty if nothing is unusual."""


class StartError(Exception):
    """Launch or attach cannot work; the message tells the user what to do."""


class StopInspector(Protocol):
    """Reads a stopped debuggee without running any of its code. One per session."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """Read what `query` asks for in one request. Raises RequestFailed or NotStopped."""
        ...


class SnapshotService(Protocol):
    """Makes locked copies of a stopped debuggee, in which any code may run. One per session."""

    async def run(self, request: Request, query: SnapshotQuery, begun: Callable[[str], None]) -> SnapshotResult:
        """Run the query in one copy; cancelling the call ends the copy. Raises RequestFailed or NotStopped.

        Calls `begun` with the copy's token before it sends anything that may create the copy.
        """
        ...

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """Return the command and arguments of the request that kills this copy; harmless if the copy does not exist."""
        ...


class Access(Protocol):
    """How to read and copy debuggees of one kind, whichever adapter debugs them.

    Kinds of debuggee implement it (entry-point group `dap_ai.access`), and backends use it. A subclass overrides only
    what differs.
    """

    def at_start(self) -> Sequence[str]:
        """Return Python expressions for the debuggee to evaluate, in this order, before a launched program runs."""
        return ()

    def in_terminal(self) -> Sequence[str]:
        """Return expressions that make a program in a terminal stop at errors the adapter would miss."""
        return ()

    def warm(self) -> None:
        """Do slow preparation before the first question. Runs in a thread."""

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """Return a reader for one session. `hovers`: the adapter's `hover` evaluations have no side effects."""
        ...

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return one session's snapshot service; its copies may read the folders `readable`. None: no copies."""
        del readable
        return None


class BackendRules(Protocol):
    """An adapter's limits and needs, known before it sends anything.

    A subclass overrides what differs from these defaults.
    """

    denied: Mapping[str, str] = {}
    """Commands that must never be sent to this adapter, each with the reason."""
    wedged_while_running: frozenset[str] = frozenset()
    """Commands after which this adapter hangs if the thread they name is running."""
    wedged_when_ended: frozenset[str] = frozenset()
    """Commands after which this adapter hangs if the debuggee has ended."""
    vendor_requests: frozenset[str] | None = None
    """Requests outside DAP that this adapter may be sent; None: any, and the proxy answers if the adapter does not."""
    ends_without_arguments: bool = False
    """Whether a request without the arguments that DAP requires ends this adapter."""
    scopes_shared: bool = False
    """Whether the last `scopes` request, whoever sent it, decides what later requests read."""
    runs_code: frozenset[str] = frozenset()
    """Requests for which this adapter calls functions of the debuggee: an answer never sends them."""
    runs_again: bool = False
    """Whether copies of the debuggee can be rerun from the start, to look at the past."""
    told_of_client: frozenset[str] = frozenset()
    """Client capabilities that are always announced to this adapter: they only make it report more."""

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """A request that the proxy itself sends once the adapter is `initialized`; its response is dropped.

        A launched program begins to run after it.
        """
        return None

    def announced(self, names: Iterable[str]) -> BackendRules:
        """Return the rules that apply to an adapter with these capabilities, which may identify it more closely."""
        ...


class Backend(BackendRules, Protocol):
    """A kind of debug adapter. A subclass overrides what differs from these defaults."""

    name: str
    """Name used in `--backend NAME`."""
    runs_beside: frozenset[str]
    """Launch and attach arguments that name programs run beside or before the debuggee, or in the debugger."""

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """A request to send before a launched program starts, so that its terminal looks as without a debugger."""
        return None

    def announced(self, names: Iterable[str]) -> Backend:
        """Return the backend for an adapter that announces these capabilities."""
        del names
        return self

    def command(self) -> AdapterCommand:
        """Return the command that starts the adapter."""
        ...

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Complete the arguments of `command` (`launch` or `attach`). Raises StartError."""
        del command
        return AdapterStart(arguments)

    def warm(self) -> None:
        """Do slow preparation before the first question. Runs in a thread."""

    def inspector(self) -> StopInspector | None:
        """Return a reader for one session, or None if this kind has none."""
        return None

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return one session's snapshot service; its copies may read the folders `readable`. None: there is none."""
        del readable
        return None

    def default_python(self, cwd: str) -> str:
        """Return the interpreter that would run a program in `cwd`; dap_ai's own if the adapter chooses it itself."""
        del cwd
        return sys.executable
