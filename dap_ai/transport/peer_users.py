"""Whose the other end of a connection is, as the kernel tells where it does: every user can reach a port.

The standard library alone, but for `users_of`: debugpy's adapter uses this file as well
(backends/debugpy/shim.py), and an agent's Python from 3.8 on (debuggees/runs/running/attached).
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from typing import Iterable, Iterator, Tuple

Address = Tuple[str, int]

GONE = -1
"""In place of a user: the other end was closed before it was looked for, and whose it was nobody knows any more."""

_ROOT = 0
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_READS = 3
"""A table that changes while it is read may lack a row."""


def is_of_another_user(connected: socket.socket) -> bool:
    """Whether the other end of a connection is not known to be our user's; root counts as ours.

    Where the kernel does not tell, the answer is no: a folder of ours, or a token, keeps others out there. Who has
    closed already counts as another.
    """
    return is_another(user_at(connected))


def user_at(connected: socket.socket) -> int | None:
    """The user at the other end of a connection, or GONE; None: the kernel does not tell."""
    if connected.family == getattr(socket, "AF_UNIX", None):
        return _user_of_unix(connected)
    try:
        return user_of(connected.getpeername()[:2], connected.getsockname()[:2])
    except OSError:  # reset by now
        return GONE


def _user_of_unix(connected: socket.socket) -> int | None:
    option: int | None = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    _pid, uid, _gid = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return uid


def user_of(peer: Address, own: Address) -> int | None:
    """The user who has made this TCP connection, by the kernel's table of sockets (Linux), or GONE.

    None: the kernel does not tell, or it comes from another machine.
    """
    if not hasattr(os, "getuid"):
        return None
    for _ in range(_READS):
        told = False
        for uid in _found(_rows(), peer, own):
            if uid is not None:  # at once: the second table costs as much as the first
                return uid
            told = True
        if not told:  # not even the listener: this is no table of our sockets
            return None
    return GONE if _is_local(peer[0]) or peer[0] == own[0] else None


def is_another(uid: int | None) -> bool:
    """Whether this user is known, and neither ours nor root."""
    return uid is not None and uid not in (_ROOT, os.getuid())


def users_of(roots: Iterable[int]) -> set[int]:
    """Who runs these processes and their descendants: root may debug, or record, a program of another user."""
    try:
        import psutil  # noqa: PLC0415  only root needs it
    except ImportError:  # in an agent's Python
        return set()
    found: set[int] = set()
    for root in roots:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(root)
            found |= {each.uids().effective for each in [process, *process.children(recursive=True)]}
    return found


def _rows() -> Iterator[str]:
    for table in _TABLES:
        try:
            with open(table, encoding="ascii") as rows:  # noqa: PTH123  a process that needs no pathlib uses this too
                yield from rows
        except OSError:  # noqa: PERF203  two of them
            continue


def _found(rows: Iterable[str], peer: Address, own: Address) -> Iterator[int | None]:
    """Of the rows of the table the peer's end, as its user; and those at our port, as None."""
    peers, owns = _written(*peer), _written(*own)
    mark = f":{own[1]:04X} "
    for row in rows:
        if mark not in row:  # most are of other connections, and there may be 100,000
            continue
        _, local, remote, _, _, _, _, uid, _, inode, *_ = row.split()
        if local in peers and remote in owns:
            yield int(uid) if inode != "0" else GONE  # a socket that nobody holds any more is told to be root's
        elif f"{local} ".endswith(mark):
            yield None


def _written(host: str, port: int) -> set[str]:
    """An address as the kernel writes it: words of four bytes in the machine's own order.

    One of IPv4 has two forms: the two ends of a connection need not be sockets of one family.
    """
    host = host.partition("%")[0]
    packed = socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    mapped = b"\0" * 10 + b"\xff\xff"
    forms = {packed, packed[12:]} if packed.startswith(mapped) else {packed}
    forms |= {mapped + packed} if len(packed) == 4 else set()
    return {"".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", form)) + f":{port:04X}" for form in forms}


def _is_local(host: str) -> bool:
    return host.startswith(("127.", "::ffff:127.")) or host == "::1"
