"""The client of a session: turns the bytes of its link into events. Stops reading while the backend does not read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dap_ai.adapter.state.effects import ClientClosed, Event, FromClient, TokenGiven
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import Exact, FrameReader
from dap_ai.transport.byte_links import ByteLink, part


class ClientSide:
    """The client of a session. Calls `on_full` when the client stops or resumes reading.

    `accepts` returns whether a token is correct.
    """

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
        """Start to receive messages of the client."""
        self._link.start(self._on_data, lambda: self._receive(ClientClosed()), self._on_full)

    def write(self, data: bytes) -> None:
        """Send bytes to the client."""
        self._link.write(data)

    def hold(self, *, held: bool) -> None:
        """Buffer all further writes to the client if `held`; else send the buffered bytes in one write."""
        self._link.hold(held=held)

    def pause(self, *, paused: bool) -> None:
        """Stop or resume reading the client, depending on whether the backend reads."""
        self._paused = paused
        self._read_or_pause()

    def part(self) -> None:
        """Close the client's link at the session's end, once the client has read the remaining bytes."""
        part(self._link)

    def _on_data(self, data: bytes) -> None:
        self._read(data)
        self._read_or_pause()

    def _on_token(self, token: bytes) -> None:
        if not self._accepts(token):
            raise RemoteProtocolError("it sent a wrong token")
        self._receive(TokenGiven())

    def _on_lost(self, why: str) -> None:
        """Close the connection before the session ends, because the other end may not be a DAP client."""
        self._log(f"the client is disconnected: {why}")
        part(self._link)
        self._receive(ClientClosed())

    def _on_full(self, full: bool) -> None:
        """Report that the client has stopped or resumed reading. Read once more, for a possible `disconnect`."""
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
    """Return a function that splits a client's bytes into messages and passes their events to `receive_all`.

    `on_token` gets a token that precedes the first message. If the bytes cannot be parsed, `on_lost` gets the reason,
    and all later bytes are ignored.
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
