"""Asks the kernel which user owns the other end of a connection, since any user can connect to a local port.

Imports the standard library only, except in `users_of`. debugpy's adapter uses this file as well
(backends/debugpy/shim.py), and so does an agent's Python from 3.8 on (debuggees/runs/running/attached).
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from typing import Iterable, Iterator, Tuple

Address = Tuple[str, int]

GONE = -1
"""Returned in place of a user id if the other end was already closed and its user is unknown."""

_ROOT = 0
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_READS = 3
"""Maximum number of reads of the kernel's table. If the table changes during a read, a row may be missing."""


def is_of_another_user(connected: socket.socket) -> bool:
    """Whether the other end of a connection is already closed, or belongs to a user other than us and root.

    False if the kernel does not report the user. There, a private folder or a token keeps other users out.
    """
    return is_another(user_at(connected))


def user_at(connected: socket.socket) -> int | None:
    """Return the id of the user at the other end. GONE if that end is closed; None if the kernel does not report it."""
    if connected.family == getattr(socket, "AF_UNIX", None):
        return _user_of_unix(connected)
    try:
        return user_of(connected.getpeername()[:2], connected.getsockname()[:2])
    except OSError:  # the connection was reset
        return GONE


def _user_of_unix(connected: socket.socket) -> int | None:
    option: int | None = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    _pid, uid, _gid = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return uid


def user_of(peer: Address, own: Address) -> int | None:
    """Return the id of the user who made this TCP connection, from Linux's socket table. GONE if the peer has left.

    None if the kernel does not report the user, or the connection is from another machine.
    """
    if not hasattr(os, "getuid"):
        return None
    for _ in range(_READS):
        told = False
        for uid in _found(_rows(), peer, own):
            if uid is not None:  # at once: the second table costs as much as the first
                return uid
            told = True
        if not told:  # not even the listener: this table does not list our sockets
            return None
    return GONE if _is_local(peer[0]) or peer[0] == own[0] else None


def is_another(uid: int | None) -> bool:
    """Whether this user id is known and belongs to neither us nor root."""
    return uid is not None and uid not in (_ROOT, os.getuid())


def users_of(roots: Iterable[int]) -> set[int]:
    """Return the users who run these processes and their descendants; empty without psutil.

    Used if we are root, because root may debug or record a program of another user.
    """
    try:
        import psutil  # noqa: PLC0415  only root needs it
    except ImportError:  # as in an agent's Python
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
            with open(table, encoding="ascii") as rows:  # noqa: PTH123  also runs in processes without pathlib
                yield from rows
        except OSError:  # noqa: PERF203  only two tables
            continue


def _found(rows: Iterable[str], peer: Address, own: Address) -> Iterator[int | None]:
    """Yield the user id from the row of the peer's end, and None for each other row with our port."""
    peers, owns = _written(*peer), _written(*own)
    mark = f":{own[1]:04X} "
    for row in rows:
        if mark not in row:  # most rows are other connections, and there may be 100,000
            continue
        _, local, remote, _, _, _, _, uid, _, inode, *_ = row.split()
        if local in peers and remote in owns:
            yield int(uid) if inode != "0" else GONE  # the kernel lists a socket without an owner as root's
        elif f"{local} ".endswith(mark):
            yield None


def _written(host: str, port: int) -> set[str]:
    """Return the notations of an address in the kernel's table: hexadecimal 4-byte words in the machine's byte order.

    An IPv4 address has two notations, because the two ends of a connection may be sockets of different families.
    """
    host = host.partition("%")[0]
    packed = socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    mapped = b"\0" * 10 + b"\xff\xff"
    forms = {packed, packed[12:]} if packed.startswith(mapped) else {packed}
    forms |= {mapped + packed} if len(packed) == 4 else set()
    return {"".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", form)) + f":{port:04X}" for form in forms}


def _is_local(host: str) -> bool:
    return host.startswith(("127.", "::ffff:127.")) or host == "::1"
