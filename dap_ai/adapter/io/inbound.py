"""From the bytes of a link to events of the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dap_ai.adapter.state.effects import Event
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import Exact, FrameReader


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
