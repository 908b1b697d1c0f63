"""HTTP helpers for both sides of the endpoint: headers, compression. h11 implements the protocol."""

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


class BrokenConnection(Exception):  # noqa: N818  named for what is wrong with a connection
    """The other side violated HTTP or closed the connection in the middle of a message."""


def passed_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers without those that apply to a single connection."""
    found = [(bytes(name), bytes(value)) for name, value in headers]
    named = {
        part.strip().lower() for name, value in found if name.lower() == b"connection" for part in value.split(b",")
    }
    return [(name, value) for name, value in found if name.lower() not in _OF_ONE_CONNECTION | named]


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """Return a header's value; empty if missing."""
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def without(headers: Headers, *names: bytes) -> Headers:
    """Return the headers except those with these names, which must be lowercase."""
    return [(name, value) for name, value in headers if name.lower() not in names]


def uncompressed(body: bytes, encoding: str) -> bytes:
    """Decompress a body, which may be cut off. Raises ValueError if the compression is unknown or broken."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ValueError(f"is compressed by {encoding}, and cannot be read")
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, 1024**3)
    except zlib.error as error:
        raise ValueError(f"is broken {encoding}: {error}") from error
