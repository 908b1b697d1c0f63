"""Both seq spaces are ours: every message is restamped, and a response finds its asker by `request_seq` alone.

To the backend: our seq -> who asked (client or agent). To the client: our seq -> the backend's reverse request.
An entry of a timed-out agent request stays until its late response has come, so that it is swallowed, not misrouted.

DAP numbers each direction by itself, and a response names its request by `request_seq`. The agent, the proxy and joined
clients send over the same link, so the client's numbers can't stay: two askers would use the same. Nor would an offset
or a range for each asker do, since a client may choose any numbers.

Invariants: a seq is never used twice; an owner is there before its request goes out, and its response takes it away, so
that each response has one receiver at most; `owners` is in the order of the seqs, which only grow.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.protocol.wire.dap_messages import StoppedBody


class SentBreakpoints(NamedTuple):
    """A file's breakpoints as they were sent: `own` of the client's, then those of the agent."""

    file: str
    own: int


class ClientOwner(NamedTuple):
    """A forwarded request of the client."""

    client_seq: int
    command: str
    thread_id: int = 0
    stops_before: dict[int, StoppedBody] | None = None
    """For a resume: what to restore if it fails."""
    note: str = ""
    """For an evaluation in the console: its expression."""
    sent: SentBreakpoints | None = None
    """For setBreakpoints."""
    guest: str = ""
    """The joined client that asked; empty: the session's own."""
    arguments: bytes = b""
    """The request's own, unparsed; empty for a request that neither reads nor sets values (value_edits.py)."""


class AgentOwner(NamedTuple):
    """A request of the agent."""

    ask_id: str
    token: int
    epoch: int
    command: str


class OwnOwner(NamedTuple):
    """A request of the proxy itself, to which it does something once it is answered."""

    command: str


class GreetingOwner(NamedTuple):
    """What the backend wanted said before the program runs."""

    command: str


class SwallowedOwner(NamedTuple):
    """A request whose asker waits no more, or was answered in the backend's place: a late response is dropped."""

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
    """What to restore if it fails."""


class BreakpointsOwner(NamedTuple):
    """A setBreakpoints of the proxy."""

    token: int
    sent: SentBreakpoints
    added: int
    """The place of the one that the agent has just set; -1: it was sent for another reason."""


class ReverseOwner(NamedTuple):
    """A request of the backend that the client is to answer."""

    backend_seq: int
    command: str


Owner = (
    ClientOwner | AgentOwner | OwnOwner | GreetingOwner | SwallowedOwner | KillOwner | ResumeOwner | BreakpointsOwner
)


class SeqMap:
    """Seqs of both links; ours start at 1 and only grow."""

    def __init__(self) -> None:
        self._to_client = 0
        self._to_backend = 0
        self.owners: dict[int, Owner] = {}
        self.reverse: dict[int, ReverseOwner] = {}
        self._to_guests: dict[str, int] = {}

    def next_to_client(self) -> int:
        """A fresh seq for a message to the client."""
        self._to_client += 1
        return self._to_client

    def next_to_guest(self, guest: str) -> int:
        """A fresh seq for a message to a joined client."""
        self._to_guests[guest] = self._to_guests.get(guest, 0) + 1
        return self._to_guests[guest]

    def meet_guest(self, guest: str) -> None:
        """A joined client has spoken."""
        self._to_guests.setdefault(guest, 0)

    def knows_guest(self, guest: str) -> bool:
        """Whether a joined client is there still."""
        return guest in self._to_guests

    def forget_guest(self, guest: str) -> None:
        """It is gone: what the backend still answers it is swallowed."""
        self._to_guests.pop(guest, None)

    def next_to_backend(self, owner: Owner | None = None) -> int:
        """A fresh seq for a message to the backend; with `owner`, a response to it is awaited."""
        self._to_backend += 1
        if owner is not None:
            self.owners[self._to_backend] = owner
        return self._to_backend

    @property
    def has_sent_to_backend(self) -> bool:
        """Whether there was any message for the backend: it is started with the first one."""
        return self._to_backend > 0

    def backend_seq_of(self, client_seq: int) -> int | None:
        """The backend's name for a pending request of the client (`cancel.requestId`)."""
        # The newest first: a client that uses a number again means its last request.
        for seq, owner in reversed(self.owners.items()):
            if isinstance(owner, ClientOwner) and owner.client_seq == client_seq and not owner.guest:
                return seq
        return None

    def client_seq_of(self, backend_seq: int) -> int | None:
        """The client's name for its pending request (`progressStart.requestId`)."""
        owner = self.owners.get(backend_seq)
        return owner.client_seq if isinstance(owner, ClientOwner) and not owner.guest else None

    def only_ours(self, command: str) -> bool:
        """Whether the agent or the proxy waits for a response to this command, and no client does."""
        owners = [each for each in self.owners.values() if isinstance(each, AgentOwner | GreetingOwner | ClientOwner)]
        kinds = {type(owner) for owner in owners if owner.command == command}
        return bool(kinds) and ClientOwner not in kinds

    def drain(self) -> list[Owner]:
        """Everybody who still waits for the backend, in order; they will wait no more."""
        owners = list(self.owners.values())
        self.owners.clear()
        self.reverse.clear()
        return owners
