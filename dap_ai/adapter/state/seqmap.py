"""Assigns the seqs of both links: each message gets a new seq, and `request_seq` leads a response to its owner.

To the backend: our seq -> the request's owner (client or agent). To the client: our seq -> the backend's reverse
request. The entry of a timed-out request stays until its late response arrives, so that the response is dropped and not
misrouted.

DAP numbers each direction separately, and a response names its request by `request_seq`. The agent, the proxy and
guests send over the same link, so that dap_ai cannot keep the client's numbers: two senders would use the same number.
An offset or range for each sender would not help, since a client may choose any numbers.

Invariants: a seq is never used twice; an owner is registered before its request is sent and removed by its response, so
that each response has at most one receiver; `owners` is ordered by seqs, which only grow.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.protocol.wire.dap_messages import StoppedBody


class SentBreakpoints(NamedTuple):
    """A file's breakpoints in a request to the backend. The first `own` are the client's, the rest the agent's."""

    file: str
    own: int


class ClientOwner(NamedTuple):
    """A client's request that waits for the backend's response."""

    client_seq: int
    command: str
    thread_id: int = 0
    stops_before: dict[int, StoppedBody] | None = None
    """The stops to restore if a resume fails; None for other requests."""
    note: str = ""
    """The expression of an evaluation in the console; empty for other requests."""
    sent: SentBreakpoints | None = None
    """The breakpoints that a `setBreakpoints` request sent, or None."""
    guest: str = ""
    """The guest that sent the request; empty for the session's own client."""
    arguments: bytes = b""
    """The request's unparsed arguments. Empty if the request neither reads nor sets values (value_edits.py)."""


class AgentOwner(NamedTuple):
    """A request of the agent to the backend."""

    ask_id: str
    token: int
    epoch: int
    command: str


class OwnOwner(NamedTuple):
    """A request of the proxy itself, which also handles the response."""

    command: str


class GreetingOwner(NamedTuple):
    """The greeting, which is a request that the backend needs before the program runs."""

    command: str


class SwallowedOwner(NamedTuple):
    """A request whose sender no longer waits, or that the proxy has answered itself. Drops a late response."""

    command: str


class KillOwner(NamedTuple):
    """A request by which the proxy ends a snapshot."""

    token: str


class ResumeOwner(NamedTuple):
    """A request that resumes the program on behalf of the agent."""

    token: int
    command: str
    thread_id: int
    stops_before: dict[int, StoppedBody]
    """The stops to restore if the resume fails."""


class BreakpointsOwner(NamedTuple):
    """A `setBreakpoints` request that the proxy itself has sent."""

    token: int
    sent: SentBreakpoints
    added: int
    """Index of the breakpoint that the agent has just added; -1 if the request adds no breakpoint."""


class ReverseOwner(NamedTuple):
    """A reverse request, which the backend has sent and the client must answer."""

    backend_seq: int
    command: str


Owner = (
    ClientOwner | AgentOwner | OwnOwner | GreetingOwner | SwallowedOwner | KillOwner | ResumeOwner | BreakpointsOwner
)


class SeqMap:
    """The seqs of both links. They start at 1 and only grow."""

    def __init__(self) -> None:
        self._to_client = 0
        self._to_backend = 0
        self.owners: dict[int, Owner] = {}
        self.reverse: dict[int, ReverseOwner] = {}
        self._to_guests: dict[str, int] = {}

    def next_to_client(self) -> int:
        """Return the next seq for a message to the client."""
        self._to_client += 1
        return self._to_client

    def next_to_guest(self, guest: str) -> int:
        """Return the next seq for a message to a guest."""
        self._to_guests[guest] = self._to_guests.get(guest, 0) + 1
        return self._to_guests[guest]

    def meet_guest(self, guest: str) -> None:
        """Register a guest that has sent a message."""
        self._to_guests.setdefault(guest, 0)

    def knows_guest(self, guest: str) -> bool:
        """Whether a guest is still connected."""
        return guest in self._to_guests

    def forget_guest(self, guest: str) -> None:
        """Forget a guest that has left, so that later responses to it are dropped."""
        self._to_guests.pop(guest, None)

    def next_to_backend(self, owner: Owner | None = None) -> int:
        """Return the next seq for a message to the backend. `owner` receives the response to a request."""
        self._to_backend += 1
        if owner is not None:
            self.owners[self._to_backend] = owner
        return self._to_backend

    @property
    def has_sent_to_backend(self) -> bool:
        """Whether any message was sent to the backend. The first message starts the backend."""
        return self._to_backend > 0

    def backend_seq_of(self, client_seq: int) -> int | None:
        """Return the backend seq of the client's pending request, or None. Used for `requestId` in `cancel`."""
        # Newest first: a client that reuses a number means its last request.
        for seq, owner in reversed(self.owners.items()):
            if isinstance(owner, ClientOwner) and owner.client_seq == client_seq and not owner.guest:
                return seq
        return None

    def client_seq_of(self, backend_seq: int) -> int | None:
        """Return the client's seq of a pending request, or None. Used for `requestId` in `progressStart`."""
        owner = self.owners.get(backend_seq)
        return owner.client_seq if isinstance(owner, ClientOwner) and not owner.guest else None

    def only_ours(self, command: str) -> bool:
        """Whether the agent or the proxy waits for a response to this command, and no client does."""
        owners = [each for each in self.owners.values() if isinstance(each, AgentOwner | GreetingOwner | ClientOwner)]
        kinds = {type(owner) for owner in owners if owner.command == command}
        return bool(kinds) and ClientOwner not in kinds

    def drain(self) -> list[Owner]:
        """Remove all pending requests. Return their owners in order."""
        owners = list(self.owners.values())
        self.owners.clear()
        self.reverse.clear()
        return owners
