"""Headers, and what both sides of the endpoint share of HTTP. h11 knows the protocol."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

READ_BYTES = 256 * 1024
Headers = list[tuple[bytes, bytes]]
_OF_ONE_CONNECTION = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)


class BrokenConnection(Exception):  # noqa: N818  what it says of a connection
    """The other side does not speak HTTP as it should, or has gone in the middle of it."""


def passed_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those that are not about one connection alone."""
    found = [(bytes(name), bytes(value)) for name, value in headers]
    named = {
        part.strip().lower() for name, value in found if name.lower() == b"connection" for part in value.split(b",")
    }
    return [(name, value) for name, value in found if name.lower() not in _OF_ONE_CONNECTION | named]


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """A header's value; empty: there is none."""
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def without(headers: Headers, *names: bytes) -> Headers:
    """The headers but for those."""
    return [(name, value) for name, value in headers if name.lower() not in names]


def uncompressed(body: bytes, encoding: str) -> bytes:
    """A body without its compression, as far as it came. Raises ValueError where it is one that is not known."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ValueError(f"is compressed by {encoding}, and cannot be read")
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, 1024**3)
    except zlib.error as error:
        raise ValueError(f"is broken {encoding}: {error}") from error
