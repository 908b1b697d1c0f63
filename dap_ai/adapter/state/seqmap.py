"""Assigns the seqs of both links: each message gets a new one, and a response finds its owner by `request_seq`.

To the backend: our seq -> the request's owner (client or agent). To the client: our seq -> the backend's reverse
request. The entry of a timed-out request stays until its late response arrives, which is then dropped, not misrouted.

DAP numbers each direction separately, and a response names its request by `request_seq`. The agent, the proxy and
guests send over the same link, so the client's numbers can't stay: two senders would use the same. An offset or range
for each sender would not help, since a client may choose any numbers.

Invariants: a seq is never used twice; an owner is registered before its request is sent and removed by its response, so
that each response has at most one receiver; `owners` is ordered by seqs, which only grow.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.protocol.wire.dap_messages import StoppedBody


class SentBreakpoints(NamedTuple):
    """A file's breakpoints as sent: the client's, `own` in number, then the agent's."""

    file: str
    own: int


class ClientOwner(NamedTuple):
    """A forwarded request of the client."""

    client_seq: int
    command: str
    thread_id: int = 0
    stops_before: dict[int, StoppedBody] | None = None
    """For a resume: the stops to restore if it fails."""
    note: str = ""
    """For an evaluation in the console: the expression."""
    sent: SentBreakpoints | None = None
    """For setBreakpoints: the breakpoints sent."""
    guest: str = ""
    """The guest that sent the request; empty: the session's own client."""
    arguments: bytes = b""
    """The request's arguments, unparsed; empty for a request that neither reads nor sets values (value_edits.py)."""


class AgentOwner(NamedTuple):
    """A request of the agent."""

    ask_id: str
    token: int
    epoch: int
    command: str


class OwnOwner(NamedTuple):
    """A request of the proxy itself, which handles the response."""

    command: str


class GreetingOwner(NamedTuple):
    """The greeting: a request the backend needs before the program runs."""

    command: str


class SwallowedOwner(NamedTuple):
    """A request that is no longer awaited, or was answered in the backend's place; a late response is dropped."""

    command: str


class KillOwner(NamedTuple):
    """A request of the proxy that ends a snapshot."""

    token: str


class ResumeOwner(NamedTuple):
    """A resume on behalf of the agent."""

    token: int
    command: str
    thread_id: int
    stops_before: dict[int, StoppedBody]
    """The stops to restore if it fails."""


class BreakpointsOwner(NamedTuple):
    """A setBreakpoints request of the proxy."""

    token: int
    sent: SentBreakpoints
    added: int
    """Index of the breakpoint that the agent has just set; -1 if sent for another reason."""


class ReverseOwner(NamedTuple):
    """A reverse request of the backend, which the client must answer."""

    backend_seq: int
    command: str


Owner = (
    ClientOwner | AgentOwner | OwnOwner | GreetingOwner | SwallowedOwner | KillOwner | ResumeOwner | BreakpointsOwner
)


class SeqMap:
    """The seqs of both links, starting at 1 and only growing."""

    def __init__(self) -> None:
        self._to_client = 0
        self._to_backend = 0
        self.owners: dict[int, Owner] = {}
        self.reverse: dict[int, ReverseOwner] = {}
        self._to_guests: dict[str, int] = {}

    def next_to_client(self) -> int:
        """Return a new seq for a message to the client."""
        self._to_client += 1
        return self._to_client

    def next_to_guest(self, guest: str) -> int:
        """Return a new seq for a message to a guest."""
        self._to_guests[guest] = self._to_guests.get(guest, 0) + 1
        return self._to_guests[guest]

    def meet_guest(self, guest: str) -> None:
        """Register a guest that has sent a message."""
        self._to_guests.setdefault(guest, 0)

    def knows_guest(self, guest: str) -> bool:
        """Whether a guest is still connected."""
        return guest in self._to_guests

    def forget_guest(self, guest: str) -> None:
        """Forget a guest that has left; later responses to it are dropped."""
        self._to_guests.pop(guest, None)

    def next_to_backend(self, owner: Owner | None = None) -> int:
        """Return a new seq for a message to the backend; with `owner`, a response is expected."""
        self._to_backend += 1
        if owner is not None:
            self.owners[self._to_backend] = owner
        return self._to_backend

    @property
    def has_sent_to_backend(self) -> bool:
        """Whether any message was sent to the backend, which starts with the first one."""
        return self._to_backend > 0

    def backend_seq_of(self, client_seq: int) -> int | None:
        """Return the backend seq of the client's pending request (for `cancel.requestId`), or None."""
        # Newest first: a client that reuses a number means its last request.
        for seq, owner in reversed(self.owners.items()):
            if isinstance(owner, ClientOwner) and owner.client_seq == client_seq and not owner.guest:
                return seq
        return None

    def client_seq_of(self, backend_seq: int) -> int | None:
        """Return the client's seq of its pending request (for `progressStart.requestId`), or None."""
        owner = self.owners.get(backend_seq)
        return owner.client_seq if isinstance(owner, ClientOwner) and not owner.guest else None

    def only_ours(self, command: str) -> bool:
        """Whether the agent or the proxy, but no client, waits for a response to this command."""
        owners = [each for each in self.owners.values() if isinstance(each, AgentOwner | GreetingOwner | ClientOwner)]
        kinds = {type(owner) for owner in owners if owner.command == command}
        return bool(kinds) and ClientOwner not in kinds

    def drain(self) -> list[Owner]:
        """Return the owners of all pending requests, in order, and remove them."""
        owners = list(self.owners.values())
        self.owners.clear()
        self.reverse.clear()
        return owners
