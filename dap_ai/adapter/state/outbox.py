"""Collects a session's effects in order, and assigns the seqs of outgoing messages."""

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
"""The name and the body of an event for the client."""


class Outbox:
    """Collects the effects of the current event. `seqs` maps pending requests to their senders."""

    def __init__(self) -> None:
        self.seqs = SeqMap()
        self.client = ClientInfo()
        """The session's own client."""
        self.guest = ""
        """The guest whose request is being served; empty for the session's own client."""
        self._effects: list[Effect] = []

    def do(self, *effects: Effect) -> None:
        """Add effects to those of the current event."""
        self._effects += effects

    def take(self) -> list[Effect]:
        """Return all collected effects and empty the outbox.

        Close is the last effect, so that responses to held requests reach the client first.
        """
        effects, self._effects = self._effects, []
        effects.sort(key=lambda effect: type(effect) is Close)
        return effects

    @property
    def count(self) -> int:
        """Number of effects collected until now."""
        return len(self._effects)

    def take_since(self, count: int) -> list[Effect]:
        """Remove and return all effects but the first `count`."""
        taken = self._effects[count:]
        del self._effects[count:]
        return taken

    @contextlib.contextmanager
    def serving(self, guest: str) -> Generator[None]:
        """Context manager in which answers go to this guest."""
        self.guest, before = guest, self.guest
        try:
            yield
        finally:
            self.guest = before

    def reads(self, event: str, guest: str = "") -> bool:
        """Whether the client or a guest can receive this event without failing."""
        return bool(guest) or reads(self.client.id, event)

    def tell(self, messages: Iterable[Message], guest: str = "") -> None:
        """Send dap_ai's events to the client or a guest. Skips events that the client would not survive."""
        for name, body in messages:
            if self.reads(name, guest):
                self._put(guest, partial(envelope.event, name=name, body=body))

    def respond(self, message: Envelope, body: object = None) -> None:
        """Send a successful response to the request being served."""
        self.respond_owner(ClientOwner(message.seq, message.name, guest=self.guest), body)

    def fail(self, message: Envelope, entry: ErrorEntry, **variables: str) -> None:
        """Fail the request being served with an entry of the error catalogue."""
        self.fail_owner(ClientOwner(message.seq, message.name, guest=self.guest), entry, **variables)

    def fail_owner(self, owner: ClientOwner, entry: ErrorEntry, **variables: str) -> None:
        """Fail a client's pending request with an entry of the error catalogue."""
        self._put(owner.guest, lambda seq: envelope.failure(seq, owner.client_seq, owner.command, entry, variables))

    def respond_owner(self, owner: ClientOwner, body: object = None) -> None:
        """Answer a client's pending request in the backend's place."""
        self._put(owner.guest, lambda seq: envelope.response(seq, owner.client_seq, owner.command, body))

    def pass_on(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Pass the backend's response to the client that sent the request."""
        command = owner.command if message.name.startswith(ours.NAMES) else None
        made = partial(message.encode, request_seq=owner.client_seq, content=content, command=command)
        self._put(owner.guest, lambda seq: made(seq=seq))

    def to_client(self, message: Envelope, content: bytes | None = None) -> None:
        """Pass an event or reverse request of the backend to the client. `content`, if given, replaces the original."""
        seq = self.seqs.next_to_client()
        if message.kind == "request":
            self.seqs.reverse[seq] = ReverseOwner(message.seq, message.name)
        self.do(ToClient(message.encode(seq=seq, content=content)))

    def to_backend(self, message: Envelope) -> None:
        """Pass the client's event to the backend, or its answer to a reverse request."""
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
        """Build a message with a new seq by `made`, and send it to the client or to a connected guest."""
        if not guest:
            self.do(ToClient(made(self.seqs.next_to_client())))
        elif self.seqs.knows_guest(guest):
            self.do(ToGuest(guest, made(self.seqs.next_to_guest(guest))))

    def ask_backend(self, command: str, arguments: object, owner: Owner | None = None) -> int:
        """Send a request of dap_ai and return its seq. `owner` handles the response; by default, the proxy does."""
        seq = self.seqs.next_to_backend(owner or OwnOwner(command))
        self.do(ToBackend(envelope.request(seq, command, arguments)))
        return seq


def read_or(message: Envelope, shape: type[envelope.T], default: envelope.T) -> envelope.T:
    """Parse a message's content. Return `default` if parsing fails, because the proxy also forwards unknown content."""
    try:
        return message.read(shape)
    except RemoteProtocolError:
        return default
