"""Merges the output events of a burst into fewer, larger events.

Some adapters send one event per line, and editors draw each event, so that a burst of output freezes a debugger.
Consecutive events of one read that differ only in their text carry the same information as one event. Runs shorter than
MIN_RUN pass unchanged, and events are never merged across another message.

Merging happens within one read, without a timer: no message is delayed, and the order of messages stays. Larger reads
merge more: after a read that ended in a burst, backend_side.py lets the pipe fill for a moment. A strict parse decides
which events may be merged: an event with any other field (a source, a group, a reference) passes unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

MIN_RUN = 16
"""Minimum number of consecutive events that are merged. Shorter runs pass byte for byte."""
MAX_CHARS = 64 * 1024
"""Maximum characters of text in one merged event. A longer original event is kept whole."""
_MARK = b'"output"'


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    """Body of an `output` event that has only text: no source, no group, no reference."""

    output: str
    category: str = "console"


class _Output(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["event"]
    event: Literal["output"]
    body: _Body
    seq: int = 0


_decode = msgspec.json.Decoder(_Output).decode


class Merger:
    """Merges the messages of one link. `storms` is whether the last read ended within a burst of output."""

    def __init__(self) -> None:
        self.storms = False

    def merged(self, bodies: Iterable[bytes]) -> Iterator[bytes]:
        """Merge the messages of one read, and yield the results in order.

        If `bodies` raises RemoteProtocolError, yields all messages before the error and then raises it.
        """
        run: list[bytes] = []
        read: list[_Body] = []
        try:
            for body in bodies:
                plain = _plain(body)
                if run and (plain is None or plain.category != read[0].category):
                    yield from _merged_events(run, read)
                    run, read = [], []
                if plain is None:
                    yield body
                else:
                    run.append(body)
                    read.append(plain)
        # `bodies` is lazy and may fail in the middle of a run: the messages before the error are passed on first, as
        # without merging.
        except RemoteProtocolError:
            yield from _merged_events(run, read)
            raise
        self.storms = len(run) >= MIN_RUN
        yield from _merged_events(run, read)


def _plain(body: bytes) -> _Body | None:
    # Search for the mark first: most messages of a session are not output events and need not be parsed twice.
    if _MARK not in body:
        return None
    try:
        return _decode(body).body
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def _merged_events(run: list[bytes], read: list[_Body]) -> Iterator[bytes]:
    if len(run) < MIN_RUN:
        yield from run
        return
    texts: list[str] = []
    chars = 0
    for each in read:
        if texts and chars + len(each.output) > MAX_CHARS:
            yield _event(read[0].category, texts)
            texts, chars = [], 0
        texts.append(each.output)
        chars += len(each.output)
    yield _event(read[0].category, texts)


def _event(category: str, texts: list[str]) -> bytes:
    return envelope.event(0, "output", {"category": category, "output": "".join(texts)})
