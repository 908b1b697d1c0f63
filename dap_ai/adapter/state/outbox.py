"""What a session wants done, collected in order, and the two seq spaces that every message passes through."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from functools import partial

from dap_ai.adapter.state import ours
from dap_ai.adapter.state.client_info import ClientInfo, reads
from dap_ai.adapter.state.effects import Effect, Log, ToBackend, ToClient, ToGuest
from dap_ai.adapter.state.seqmap import ClientOwner, Owner, OwnOwner, ReverseOwner, SeqMap
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import UNKNOWN_REQUEST, ErrorEntry, RemoteProtocolError

Message = tuple[str, object]
"""An event for the client: its name and body."""


class Outbox:
    """Effects of the event that is being handled; `seqs` knows who waits for what."""

    def __init__(self) -> None:
        self.seqs = SeqMap()
        self.client = ClientInfo()
        """The session's own."""
        self.guest = ""
        """Whose request is being served: a joined client's; empty: the session's own."""
        self._effects: list[Effect] = []

    def do(self, *effects: Effect) -> None:
        """Something must happen."""
        self._effects += effects

    def take(self) -> list[Effect]:
        """All of it; the outbox is empty then."""
        effects, self._effects = self._effects, []
        return effects

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._effects)

    def take_since(self, count: int) -> list[Effect]:
        """Those that came after the first `count`."""
        taken = self._effects[count:]
        del self._effects[count:]
        return taken

    @contextlib.contextmanager
    def serving(self, guest: str) -> Generator[None]:
        """Requests that are answered within are this joined client's."""
        self.guest, before = guest, self.guest
        try:
            yield
        finally:
            self.guest = before

    def reads(self, event: str, guest: str = "") -> bool:
        """Whether the client, or a joined one, goes on reading after this event."""
        return bool(guest) or reads(self.client.id, event)

    def tell(self, messages: Iterable[Message], guest: str = "") -> None:
        """Events of our own for the client, or for a joined one: those that it reads."""
        for name, body in messages:
            if self.reads(name, guest):
                self._put(guest, partial(envelope.event, name=name, body=body))

    def respond(self, message: Envelope, body: object = None) -> None:
        """Answer the request that is being served."""
        self.respond_owner(ClientOwner(message.seq, message.name, guest=self.guest), body)

    def fail(self, message: Envelope, entry: ErrorEntry, **variables: str) -> None:
        """Answer the request that is being served with an entry of the error catalogue."""
        self.fail_owner(ClientOwner(message.seq, message.name, guest=self.guest), entry, **variables)

    def fail_owner(self, owner: ClientOwner, entry: ErrorEntry, **variables: str) -> None:
        """Answer a forwarded request of a client with an entry of the error catalogue."""
        self._put(owner.guest, lambda seq: envelope.failure(seq, owner.client_seq, owner.command, entry, variables))

    def respond_owner(self, owner: ClientOwner, body: object = None) -> None:
        """Answer a forwarded request of a client, in the backend's place."""
        self._put(owner.guest, lambda seq: envelope.response(seq, owner.client_seq, owner.command, body))

    def pass_on(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Give the backend's response to the client that asked for it."""
        command = owner.command if message.name.startswith(ours.NAMES) else None
        made = partial(message.encode, request_seq=owner.client_seq, content=content, command=command)
        self._put(owner.guest, lambda seq: made(seq=seq))

    def to_client(self, message: Envelope, content: bytes | None = None) -> None:
        """Give the client an event or a reverse request of the backend's, with other content if there is any."""
        seq = self.seqs.next_to_client()
        if message.kind == "request":
            self.seqs.reverse[seq] = ReverseOwner(message.seq, message.name)
        self.do(ToClient(message.encode(seq=seq, content=content)))

    def to_backend(self, message: Envelope) -> None:
        """Give the backend the client's answer to a reverse request, or an event of the client's."""
        if message.kind != "response":
            self.do(ToBackend(message.encode(seq=self.seqs.next_to_backend())))
        elif (owner := self.seqs.reverse.pop(message.request_seq, None)) is None:
            self.do(Log(f"skipped: a response of the client to nothing: {message!r}"))
        else:
            seq = self.seqs.next_to_backend()
            self.do(ToBackend(message.encode(seq=seq, request_seq=owner.backend_seq)))

    def refuse_backend(self, message: Envelope) -> None:
        """Answer a reverse request of the backend's that the client is not to see."""
        seq = self.seqs.next_to_backend()
        refusal = envelope.failure(seq, message.seq, message.name, UNKNOWN_REQUEST, {"command": message.name})
        self.do(ToBackend(refusal))

    def _put(self, guest: str, made: Callable[[int], bytes]) -> None:
        """The message of a seq: for the client, or for a joined one that is still there."""
        if not guest:
            self.do(ToClient(made(self.seqs.next_to_client())))
        elif self.seqs.knows_guest(guest):
            self.do(ToGuest(guest, made(self.seqs.next_to_guest(guest))))

    def ask_backend(self, command: str, arguments: object, owner: Owner | None = None) -> int:
        """A request of ours; its seq. `owner`: whose the response is; None: the proxy's own."""
        seq = self.seqs.next_to_backend(owner or OwnOwner(command))
        self.do(ToBackend(envelope.request(seq, command, arguments)))
        return seq


def read_or(message: Envelope, shape: type[envelope.T], default: envelope.T) -> envelope.T:
    """The message's content; `default` if it is not of that shape: the proxy passes on what it cannot read."""
    try:
        return message.read(shape)
    except RemoteProtocolError:
        return default
