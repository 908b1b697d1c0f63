"""Collects a session's effects in order, and assigns the seqs of its messages."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from functools import partial

from dap_ai.adapter.state import ours
from dap_ai.adapter.state.client_info import ClientInfo, reads
from dap_ai.adapter.state.effects import Close, Effect, Log, ToBackend, ToClient, ToGuest
from dap_ai.adapter.state.seqmap import ClientOwner, Owner, OwnOwner, ReverseOwner, SeqMap
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import UNKNOWN_REQUEST, ErrorEntry, RemoteProtocolError

Message = tuple[str, object]
"""Name and body of an event for the client."""


class Outbox:
    """The effects of the event being processed; `seqs` holds the owners of pending requests."""

    def __init__(self) -> None:
        self.seqs = SeqMap()
        self.client = ClientInfo()
        """The session's own client."""
        self.guest = ""
        """The guest whose request is served now; empty: the session's own client."""
        self._effects: list[Effect] = []

    def do(self, *effects: Effect) -> None:
        """Add effects."""
        self._effects += effects

    def take(self) -> list[Effect]:
        """Return all effects and empty the outbox. Close is last: responses to requests held until then precede it."""
        effects, self._effects = self._effects, []
        if len(effects) > 1 and any(type(effect) is Close for effect in effects):
            effects.sort(key=lambda effect: type(effect) is Close)
        return effects

    @property
    def count(self) -> int:
        """Number of collected effects."""
        return len(self._effects)

    def take_since(self, count: int) -> list[Effect]:
        """Remove and return the effects after the first `count`."""
        taken = self._effects[count:]
        del self._effects[count:]
        return taken

    @contextlib.contextmanager
    def serving(self, guest: str) -> Generator[None]:
        """Send answers to a guest within this context."""
        self.guest, before = guest, self.guest
        try:
            yield
        finally:
            self.guest = before

    def reads(self, event: str, guest: str = "") -> bool:
        """Whether the client, or a guest, survives receiving this event."""
        return bool(guest) or reads(self.client.id, event)

    def tell(self, messages: Iterable[Message], guest: str = "") -> None:
        """Send dap_ai's events to the client or a guest, except those the client would not survive."""
        for name, body in messages:
            if self.reads(name, guest):
                self._put(guest, partial(envelope.event, name=name, body=body))

    def respond(self, message: Envelope, body: object = None) -> None:
        """Answer the current request."""
        self.respond_owner(ClientOwner(message.seq, message.name, guest=self.guest), body)

    def fail(self, message: Envelope, entry: ErrorEntry, **variables: str) -> None:
        """Fail the current request with an entry of the error catalogue."""
        self.fail_owner(ClientOwner(message.seq, message.name, guest=self.guest), entry, **variables)

    def fail_owner(self, owner: ClientOwner, entry: ErrorEntry, **variables: str) -> None:
        """Fail a client's forwarded request with an entry of the error catalogue."""
        self._put(owner.guest, lambda seq: envelope.failure(seq, owner.client_seq, owner.command, entry, variables))

    def respond_owner(self, owner: ClientOwner, body: object = None) -> None:
        """Answer a client's forwarded request in the backend's place."""
        self._put(owner.guest, lambda seq: envelope.response(seq, owner.client_seq, owner.command, body))

    def pass_on(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Pass the backend's response on to the client that asked."""
        command = owner.command if message.name.startswith(ours.NAMES) else None
        made = partial(message.encode, request_seq=owner.client_seq, content=content, command=command)
        self._put(owner.guest, lambda seq: made(seq=seq))

    def to_client(self, message: Envelope, content: bytes | None = None) -> None:
        """Pass an event or reverse request of the backend on to the client, with other content if given."""
        seq = self.seqs.next_to_client()
        if message.kind == "request":
            self.seqs.reverse[seq] = ReverseOwner(message.seq, message.name)
        self.do(ToClient(message.encode(seq=seq, content=content)))

    def to_backend(self, message: Envelope) -> None:
        """Pass the client's event, or its answer to a reverse request, on to the backend."""
        if message.kind != "response":
            self.do(ToBackend(message.encode(seq=self.seqs.next_to_backend())))
        elif (owner := self.seqs.reverse.pop(message.request_seq, None)) is None:
            self.do(Log(f"skipped: a response of the client to nothing: {message!r}"))
        else:
            seq = self.seqs.next_to_backend()
            self.do(ToBackend(message.encode(seq=seq, request_seq=owner.backend_seq)))

    def refuse_backend(self, message: Envelope) -> None:
        """Fail a reverse request of the backend that the client must not see."""
        seq = self.seqs.next_to_backend()
        refusal = envelope.failure(seq, message.seq, message.name, UNKNOWN_REQUEST, {"command": message.name})
        self.do(ToBackend(refusal))

    def _put(self, guest: str, made: Callable[[int], bytes]) -> None:
        """Send the message that `made` builds for a new seq, to the client or to a guest that is still connected."""
        if not guest:
            self.do(ToClient(made(self.seqs.next_to_client())))
        elif self.seqs.knows_guest(guest):
            self.do(ToGuest(guest, made(self.seqs.next_to_guest(guest))))

    def ask_backend(self, command: str, arguments: object, owner: Owner | None = None) -> int:
        """Send a request of dap_ai's and return its seq. `owner`: the response's owner; None: the proxy itself."""
        seq = self.seqs.next_to_backend(owner or OwnOwner(command))
        self.do(ToBackend(envelope.request(seq, command, arguments)))
        return seq


def read_or(message: Envelope, shape: type[envelope.T], default: envelope.T) -> envelope.T:
    """Parse the message's content; return `default` if it does not fit: the proxy passes on what it cannot parse."""
    try:
        return message.read(shape)
    except RemoteProtocolError:
        return default
