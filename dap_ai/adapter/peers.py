"""Whose the other end of a connection is, as the kernel tells where it does: every user can reach a port."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

Address = tuple[str, int]

_ROOT = 0


def is_of_another_user(connected: socket.socket) -> bool:
    """Whether the other end of a Unix socket is known to be another user's than ours; root counts as ours.

    Where the kernel does not tell, the folder alone keeps others out.
    """
    option: int | None = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return False
    _pid, uid, _gid = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return _is_another(uid)


def is_connected_by_another_user(peer: Address, own: Address) -> bool:
    """Whether a TCP connection from `peer` is known to be made by another user than ours; root counts as ours.

    Known by the kernel's table of sockets, on Linux. Where there is none, or the peer is on another machine, the answer
    is no: there a token decides.
    """
    if not hasattr(os, "getuid"):
        return False
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with Path(table).open(encoding="ascii") as rows:
                uid = owner(rows, peer, own)
        except OSError:
            continue
        if uid is not None:
            return _is_another(uid)
    return False


def _is_another(uid: int) -> bool:
    return uid not in (_ROOT, os.getuid())


def owner(rows: Iterable[str], local: Address, remote: Address) -> int | None:
    """The user id of the socket with these two ends, from the rows of `/proc/net/tcp`; None: there is no such row."""
    ends = [_written(local), _written(remote)]
    for row in rows:
        fields = row.split()
        if fields[1:3] == ends:
            return int(fields[7])
    return None


def _written(address: Address) -> str:
    """An address as the kernel writes it: words of four bytes in the machine's own order."""
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    packed = socket.inet_pton(family, host)
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
