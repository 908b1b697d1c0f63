"""Storms of output: what a program prints faster than a client can take it goes on in fewer, larger events.

Some adapters send an event a line, and editors take each to their screen: a storm of them is what makes a debugger
freeze. Events that were read together, follow one another and differ in nothing but their text say the same as one.
A few stay as they came: only from MIN_RUN on is anything merged, and never across another message.

Within one read only, without a timer: nothing that has been read is held back for what may come, and the order of
messages stays. What makes merging stronger is larger reads: after one that ended in a storm, backend_side.py lets the
pipe fill for a moment. What may be merged is told by a strict parse: an event with any other field (a source, a group,
a reference) is not plain and passes as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError

MIN_RUN = 16
"""Shorter runs pass byte for byte."""
MAX_CHARS = 64 * 1024
"""Of text in one event, unless one that came was longer."""
_MARK = b'"output"'


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    """Of an event that says nothing beside its text: no source, no group, no reference."""

    output: str
    category: str = "console"


class _Output(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["event"]
    event: Literal["output"]
    body: _Body
    seq: int = 0


_decode = msgspec.json.Decoder(_Output).decode


class Merger:
    """Of the messages of one link. `storms`: the last read ended in the middle of a storm."""

    def __init__(self) -> None:
        self.storms = False

    def merged(self, bodies: Iterable[bytes]) -> Iterator[bytes]:
        """The messages of one read. Raises RemoteProtocolError as `bodies` does, after all that came before it."""
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
        # `bodies` is read lazily and may break in the middle of a run: what came before is passed on first, as without
        # merging.
        except RemoteProtocolError:
            yield from _merged_events(run, read)
            raise
        self.storms = len(run) >= MIN_RUN
        yield from _merged_events(run, read)


def _plain(body: bytes) -> _Body | None:
    # The search for the mark is a plain one over bytes: most messages of a session are no output, and are not parsed
    # twice.
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
