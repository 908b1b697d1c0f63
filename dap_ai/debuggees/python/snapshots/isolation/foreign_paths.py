"""Where a path leads, told without a look at any file system that somebody else answers for."""

from __future__ import annotations

from typing import Callable, Dict

_MAX_LINKS = 40
_PLAIN_LINKS_OF_PROC = (b"self", b"thread-self", b"mounts", b"net")
"""The others lead to what a process has open, whatever their text says."""

Links = Callable[[bytes], bytes]
"""What a path's last part links to, and b"" if it is no link; asked only about paths of local file systems."""


def foreign_part(path: bytes, base: bytes, foreign: Dict[bytes, bytes], links: Links) -> bytes:
    """The folder of `foreign` (by path, with its kind) at which a path leaves the local file systems; b"" if it stays.

    `base` is where a relative path begins. What cannot be followed is b"?".
    """
    if b"/" in foreign:
        return b"/"
    at, left, seen = b"", _parts(path if path.startswith(b"/") else base + b"/" + path), 0
    if not path.startswith(b"/") and not base.startswith(b"/"):
        return b"?"
    while left:
        part = left.pop()
        if part == b"..":
            at = at[: max(at.rfind(b"/"), 0)]
            continue
        here = at + b"/" + part
        if here in foreign:
            return here
        link = links(here)
        if not link:
            at = here
            continue
        seen += 1
        if seen > _MAX_LINKS or (here.startswith(b"/proc/") and part not in _PLAIN_LINKS_OF_PROC):
            return b"?"
        left += _parts(link)
        at = b"" if link.startswith(b"/") else at
    return b""


def _parts(path: bytes) -> list[bytes]:
    """Last first."""
    return [part for part in reversed(path.split(b"/")) if part not in (b"", b".")]
