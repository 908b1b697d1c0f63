"""What a session wants done, collected in order, and the two seq spaces that every message passes through."""

from __future__ import annotations

from collections.abc import Iterable

from dap_ai.adapter.effects import Effect, ToBackend, ToClient
from dap_ai.adapter.seqmap import ClientOwner, OwnOwner, SeqMap
from dap_ai.protocol import envelope
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import ErrorEntry, RemoteProtocolError

Message = tuple[str, object]
"""An event for the client: its name and body."""


class Outbox:
    """Effects of the event that is being handled; `seqs` knows who waits for what."""

    def __init__(self) -> None:
        self.seqs = SeqMap()
        self._effects: list[Effect] = []

    def do(self, *effects: Effect) -> None:
        """Something must happen."""
        self._effects += effects

    def take(self) -> list[Effect]:
        """All of it; the outbox is empty then."""
        effects, self._effects = self._effects, []
        return effects

    def tell(self, messages: Iterable[Message]) -> None:
        """Events of our own for the client."""
        for name, body in messages:
            self.do(ToClient(envelope.event(self.seqs.next_to_client(), name, body)))

    def respond(self, message: Envelope, body: object = None) -> None:
        """Answer the client's request."""
        seq = self.seqs.next_to_client()
        self.do(ToClient(envelope.response(seq, message.seq, message.name, body)))

    def fail(self, message: Envelope, entry: ErrorEntry, **variables: str) -> None:
        """Answer the client's request with an entry of the error catalogue."""
        self.fail_owner(ClientOwner(message.seq, message.name), entry, **variables)

    def fail_owner(self, owner: ClientOwner, entry: ErrorEntry, **variables: str) -> None:
        """Answer a forwarded request of the client with an entry of the error catalogue."""
        seq = self.seqs.next_to_client()
        self.do(ToClient(envelope.failure(seq, owner.client_seq, owner.command, entry, variables)))

    def ask_backend(self, command: str, arguments: object) -> None:
        """A request of the proxy's own."""
        seq = self.seqs.next_to_backend(OwnOwner(command))
        self.do(ToBackend(envelope.request(seq, command, arguments)))


def read_or(message: Envelope, shape: type[envelope.T], default: envelope.T) -> envelope.T:
    """The message's content; `default` if it is not of that shape: the proxy passes on what it cannot read."""
    try:
        return message.read(shape)
    except RemoteProtocolError:
        return default
