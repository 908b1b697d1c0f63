"""Recorded sessions: made with an adapter alone, then played through a proxy from both ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from dap_ai.transport.byte_links import ByteLink
from dap_ai.transport.client import DapClient
from tests.patience import at_worst
from tests.playing_adapter import answering

Recording = list[tuple[str, bytes]]
"""Who speaks ("client" or "adapter") and the body of the message, in order."""
WAIT_S = at_worst(30.0)


class _Tap:
    """A link to an adapter that keeps what passes, the client's half rewritten by `dialect`."""

    def __init__(self, link: ByteLink, kept: Recording, dialect: Callable[[bytes], bytes]) -> None:
        self._link, self._kept, self._dialect = link, kept, dialect
        self._frames = FrameReader()

    def start(self, on_data: Callable[[bytes], None], on_end: Any, on_full: Any) -> None:
        def note(data: bytes) -> None:
            self._kept.extend(("adapter", body) for body in self._frames.feed(data))
            on_data(data)

        self._link.start(note, on_end, on_full)

    def write(self, data: bytes) -> None:
        for body in FrameReader().feed(data):
            said = self._dialect(body)
            self._kept.append(("client", said))
            self._link.write(encode_frame(said))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)


async def record(
    command: AdapterCommand,
    conversation: Callable[[DapClient], Awaitable[None]],
    dialect: Callable[[bytes], bytes] = bytes,
) -> Recording:
    """A conversation with an adapter, nothing between."""
    kept: Recording = []
    process = await AdapterProcess.start(command, lambda _text: None)
    client = DapClient(_Tap(process.link, kept, dialect), process.end)  # type: ignore[arg-type]
    try:
        await conversation(client)
    finally:
        await client.close()
    return kept


def save(recording: Recording, file: Path) -> Path:
    """As playing_adapter.py reads it."""
    file.write_text(json.dumps([(side, body.decode("latin-1")) for side, body in recording]), encoding="utf-8")
    return file


def load(file: Path) -> Recording:
    """What `save` has written."""
    return [(side, text.encode("latin-1")) for side, text in json.loads(file.read_text(encoding="utf-8"))]


class Player:
    """The client's half of a recording on one link. `heard` is what came, in order."""

    def __init__(self, link: ByteLink) -> None:
        self.heard: list[bytes] = []
        self._link = link
        self._frames = FrameReader()
        self._came: asyncio.Queue[bytes | None] = asyncio.Queue()
        link.start(self._on_data, lambda: self._came.put_nowait(None), lambda _full: None)

    async def play(self, recording: Recording) -> None:
        """Says each message when what came before it in the recording has come."""
        seqs: dict[int, int] = {}
        for side, body in recording:
            if side == "client":
                self._link.write(encode_frame(answering(body, seqs)))
                continue
            arrived = await asyncio.wait_for(self._came.get(), WAIT_S)
            assert arrived is not None, f"the stream ended before {body[:200]!r}"
            self.heard.append(arrived)
            seqs[json.loads(body)["seq"]] = json.loads(arrived)["seq"]

    def _on_data(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            self._came.put_nowait(body)


def parts(body: bytes) -> list[tuple[str, bytes]]:
    """A message's keys in order, each with the exact bytes of its value; the numbers of messages left out."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return [(name, bytes(value)) for name, value in fields.items() if name not in ("seq", "request_seq")]
