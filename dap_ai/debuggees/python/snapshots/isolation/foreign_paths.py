"""Finds where a path leaves the local file systems, without asking a remote file system."""

from __future__ import annotations

from typing import Callable, Dict

_MAX_LINKS = 40
_PLAIN_LINKS_OF_PROC = (b"self", b"thread-self", b"mounts", b"net")
"""Ordinary links in /proc; other links there lead to open files of a process, whatever their text."""

Links = Callable[[bytes], bytes]
"""A function that returns the target of a path's last part, or b"" if it is not a link; called for local paths only."""


def foreign_part(path: bytes, base: bytes, foreign: Dict[bytes, bytes], links: Links) -> bytes:
    """Returns the mount folder in `foreign` at which a path leaves the local file systems; b"" if it stays local.

    `foreign`: file system types by mount folder. `base`: the folder that a relative path starts from. Returns b"?" if
    the path cannot be followed.
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
    """Returns the path's parts, in reverse order."""
    return [part for part in reversed(path.split(b"/")) if part not in (b"", b".")]
