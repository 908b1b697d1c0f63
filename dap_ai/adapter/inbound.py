"""From the bytes of a link to events of the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dap_ai.adapter.effects import Event
from dap_ai.protocol.errors import RemoteProtocolError
from dap_ai.protocol.framing import FrameReader


def reader(
    receive_all: Callable[[Iterable[Event]], None], event: Callable[[bytes], Event], on_lost: Callable[[str], None]
) -> Callable[[bytes], None]:
    """Cuts a stream into messages, each told as an `event`; `on_lost` is told why, if it cannot be followed."""
    frames = FrameReader()

    def on_data(data: bytes) -> None:
        try:
            receive_all(map(event, frames.feed(data)))
        except RemoteProtocolError as error:
            on_lost(f"its stream cannot be followed: {error}")

    return on_data
