"""What a kind of debug adapter is to the proxy: its rules, how it starts, how its debuggee is read and copied.

The backends satisfy it (dap_ai/backends, entry-point group `dap_ai.backends`), the proxy keeps to it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult

Request = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a DAP request to the debug adapter and returns the response's body; raises RequestFailed, NotStopped."""


class AdapterCommand(NamedTuple):
    """How to start a debug adapter that speaks DAP on stdin and stdout."""

    argv: list[str]
    env: dict[str, str]
    """Added to ours."""
    carries_launched: bool = False
    """What it has launched ends with it, also if it is to live on: then the adapter is left alone."""
    key: str = ""
    """What every connection to a port of this adapter's own begins with, and a line end; empty: with DAP at once."""


class AdapterStart(NamedTuple):
    """Launch or attach arguments, completed. With `connect` they go to the adapter that listens there instead."""

    arguments: dict[str, Any]
    connect: tuple[str, int] | None = None
    note: str = ""
    """A sentence for the user about how this is done; empty: as always."""


class StartError(Exception):
    """Launch or attach cannot work; the text says what to do."""


class StopInspector(Protocol):
    """Reads a stopped debuggee and runs none of its code. One per session."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """One visit. Raises RequestFailed, NotStopped."""
        ...


class SnapshotService(Protocol):
    """Makes locked copies of a stopped debuggee, in which anything may run. One per session."""

    async def run(self, request: Request, query: SnapshotQuery, begun: Callable[[str], None]) -> SnapshotResult:
        """The work of one copy; cancelled, it ends it. Raises RequestFailed, NotStopped.

        `begun` is called with a copy's token before anything that may make it is sent.
        """
        ...

    def kill_request(self, token: str, frame_id: int) -> tuple[str, dict[str, Any]]:
        """The request (command and arguments) that ends this copy at once; harmless if there is none."""
        ...


class Access(Protocol):
    """How debuggees of one kind are read and copied behind whichever adapter debugs them.

    The kinds satisfy it (entry-point group `dap_ai.access`), and the recipes of backends ask it. A kind that inherits
    from it writes only what differs.
    """

    def at_start(self) -> Sequence[str]:
        """Python expressions that the debuggee evaluates before a launched program runs, in this order."""
        return ()

    def in_terminal(self) -> Sequence[str]:
        """Expressions for a program in a terminal, so that it stops at errors that the adapter would miss."""
        return ()

    def warm(self) -> None:
        """Does what takes time before the first question; called in a thread."""

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """A reader for one session. `hovers`: this adapter's `hover` is free of side effects."""
        ...

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """The copies of one session, which may read the folders `readable`; None: none are made."""
        del readable
        return None


class BackendRules(Protocol):
    """What is known of an adapter before it has said anything: what it must not be sent, and what it needs.

    An adapter that inherits from it writes what is not as it is here.
    """

    denied: Mapping[str, str] = {}
    """Commands that this adapter must never see, each with the reason."""
    wedged_while_running: frozenset[str] = frozenset()
    """Commands after which this adapter hangs if the thread they name runs."""
    wedged_when_ended: frozenset[str] = frozenset()
    """Commands after which this adapter hangs if the debuggee has ended."""
    vendor_requests: frozenset[str] | None = None
    """Requests outside of DAP that this adapter may be sent; None: any, and the proxy answers if it does not."""
    ends_without_arguments: bool = False
    """Whether a request without the arguments that DAP wants ends this adapter."""
    scopes_shared: bool = False
    """Whether the last `scopes`, whoever sent it, decides what later requests read."""
    runs_code: frozenset[str] = frozenset()
    """Requests for which this adapter calls functions of the debuggee: an answer sends none of them."""
    runs_again: bool = False
    """Whether copies of its debuggee can be run again from the start, so that its past can be looked at."""
    told_of_client: frozenset[str] = frozenset()
    """Capabilities of a client that this adapter is told of in any case: it only says more with them."""

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """A request that the proxy sends by itself once the adapter is `initialized`; its response is dropped.

        The program of a launch begins to run behind it.
        """
        return None

    def announced(self, names: Iterable[str]) -> BackendRules:
        """The rules of the adapter that announces these capabilities: they may tell more than how it is started."""
        ...


class Backend(BackendRules, Protocol):
    """A kind of debug adapter. A subclass overrides what differs from the defaults here."""

    name: str
    """As in `--backend NAME`."""
    runs_beside: frozenset[str]
    """Launch and attach arguments that name what runs beside the debuggee, before it or in the debugger."""

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """A request to send before a launched program starts, so that it looks in a terminal as without a debugger."""
        return None

    def announced(self, names: Iterable[str]) -> Backend:
        """The same of the adapter that announces these capabilities."""
        del names
        return self

    def command(self) -> AdapterCommand:
        """How to start the adapter."""
        ...

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Complete the arguments of `launch` or `attach` (`command`). Raises StartError."""
        del command
        return AdapterStart(arguments)

    def warm(self) -> None:
        """Does what takes time before the first question; called in a thread."""

    def inspector(self) -> StopInspector | None:
        """A reader for one session; None if this kind has none."""
        return None

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """The copies of one session, which may read the folders `readable`; None if this kind makes none."""
        del readable
        return None

    def default_python(self, cwd: str) -> str:
        """The interpreter that a program in `cwd` would be run with: ours, where the adapter chooses it itself."""
        del cwd
        return sys.executable
