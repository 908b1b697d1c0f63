"""The client of a session: from the bytes of its link to events; it is not read while the backend does not read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dap_ai.adapter.state.effects import ClientClosed, Event, FromClient, TokenGiven
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import Exact, FrameReader
from dap_ai.transport.byte_links import ByteLink, part


class ClientSide:
    """`on_full` is told when the client stops and starts reading. `accepts`: whether a token is the right one."""

    def __init__(
        self,
        link: ByteLink,
        receive: Callable[[Event], None],
        receive_all: Callable[[Iterable[Event]], None],
        on_full: Callable[[bool], None],
        *,
        accepts: Callable[[bytes], bool],
        log: Callable[[str], None],
    ) -> None:
        self._link = link
        self._receive = receive
        self._tell_full = on_full
        self._accepts = accepts
        self._log = log
        self._read = reader(receive_all, FromClient, self._on_lost, self._on_token)
        self._full = self._paused = False

    def start(self) -> None:
        """What the client says is heard from now on."""
        self._link.start(self._on_data, lambda: self._receive(ClientClosed()), self._on_full)

    def write(self, data: bytes) -> None:
        """Send."""
        self._link.write(data)

    def hold(self, *, held: bool) -> None:
        """See streams.ByteLink."""
        self._link.hold(held=held)

    def pause(self, *, paused: bool) -> None:
        """The backend does not read: neither is the client read."""
        self._paused = paused
        self._read_or_pause()

    def part(self) -> None:
        """The session has ended: the client reads what is left, and is let go."""
        part(self._link)

    def _on_data(self, data: bytes) -> None:
        self._read(data)
        self._read_or_pause()

    def _on_token(self, token: bytes) -> None:
        if not self._accepts(token):
            raise RemoteProtocolError("it sent a wrong token")
        self._receive(TokenGiven())

    def _on_lost(self, why: str) -> None:
        """It may be no client at all: the connection ends now, before the session does."""
        self._log(f"the client is disconnected: {why}")
        part(self._link)
        self._receive(ClientClosed())

    def _on_full(self, full: bool) -> None:
        """A client that does not read is read once more: it may say `disconnect`."""
        self._full = full
        self._tell_full(full)
        if not full:
            self._read_or_pause()

    def _read_or_pause(self) -> None:
        self._link.pause(paused=self._full or self._paused)


def reader(
    receive_all: Callable[[Iterable[Event]], None],
    event: Callable[[bytes], Event],
    on_lost: Callable[[str], None],
    on_token: Callable[[bytes], None] | None = None,
) -> Callable[[bytes], None]:
    """Cuts a client's stream into messages, each told as an `event`; `on_token`: see framing.Exact.

    `on_lost` is told why, if the stream cannot be followed: what comes after that is not looked at, whatever it is.
    """
    frames: FrameReader | None = FrameReader(Exact(on_token))

    def on_data(data: bytes) -> None:
        nonlocal frames
        if frames is None:
            return
        try:
            receive_all(map(event, frames.feed(data)))
        except RemoteProtocolError as error:
            frames = None
            on_lost(f"its stream cannot be parsed: {error}")

    return on_data
