"""A recorded stream with some of its bytes changed, as a broken peer or link might send it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import FrameReader

_LENGTH = re.compile(rb"Content-Length: \d+")
_LENGTHS = [b"0", b"1", b"7", b"100000", b"999999999999", b"-5", b"ten", b"", b"12 34"]
_JUNK = [
    b"\n",
    b"\r\n\r\n",
    b"{",
    b"}",
    b'"',
    b"null",
    b"\x00" * 9,
    b"\xff\xfe",
    b"Content-Length: ",
    b"[" * 3000,
    b"boo\n",
]
_WORDS = [
    b'"type"',
    b'"request"',
    b'"response"',
    b'"event"',
    b'"seq"',
    b'"request_seq"',
    b'"command"',
    b"true",
    b"body",
]


def mutate(stream: bytes, rnd: random.Random) -> bytes:
    """One to three changes of any kind."""
    for _ in range(rnd.randint(1, 3)):
        stream = rnd.choice(_KINDS)(stream, rnd)
    return stream


def flip(stream: bytes, rnd: random.Random) -> bytes:
    """One bit."""
    at = rnd.randrange(len(stream))
    return stream[:at] + bytes([stream[at] ^ 1 << rnd.randrange(8)]) + stream[at + 1 :]


def cut(stream: bytes, rnd: random.Random) -> bytes:
    """Some bytes are missing."""
    at = rnd.randrange(len(stream))
    return stream[:at] + stream[at + rnd.choice([1, 2, 10, 200, 5000]) :] or b"x"


def repeat(stream: bytes, rnd: random.Random) -> bytes:
    """Some bytes come twice."""
    at, size = rnd.randrange(len(stream)), rnd.choice([1, 20, 150, 1000])
    return stream[: at + size] + stream[at:]


def insert(stream: bytes, rnd: random.Random) -> bytes:
    """Bytes of nobody's."""
    at = rnd.randrange(len(stream))
    return stream[:at] + rnd.choice(_JUNK) + stream[at:]


def relength(stream: bytes, rnd: random.Random) -> bytes:
    """A header tells another length."""
    found = rnd.choice(list(_LENGTH.finditer(stream)) or [None])
    if found is None:
        return stream
    return stream[: found.start()] + b"Content-Length: " + rnd.choice(_LENGTHS) + stream[found.end() :]


def reword(stream: bytes, rnd: random.Random) -> bytes:
    """One word of the protocol stands where another did: lengths stay right if it is as long."""
    one, other = rnd.choice(_WORDS), rnd.choice(_WORDS)
    at = stream.find(one, rnd.randrange(len(stream)))
    return stream if at < 0 else stream[:at] + other + stream[at + len(one) :]


def renumber(stream: bytes, rnd: random.Random) -> bytes:
    """A digit becomes another."""
    places = [found.start() for found in re.finditer(rb"\d", stream)]
    if not places:
        return stream
    at = rnd.choice(places)
    return stream[:at] + b"%d" % rnd.randrange(10) + stream[at + 1 :]


_KINDS: list[Callable[[bytes, random.Random], bytes]] = [flip, cut, repeat, insert, relength, reword, renumber]


def can_be_followed(stream: bytes) -> bool:
    """Whether a reader comes to the end of it."""
    try:
        list(FrameReader().feed(stream))
    except RemoteProtocolError:
        return False
    return True
