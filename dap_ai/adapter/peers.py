"""Who has connected over loopback. A port has no owner as a file has: every user of the machine can reach it."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

Address = tuple[str, int]

_ROOT = 0


def is_of_another_user(peer: Address, own: Address) -> bool:
    """Whether a connection from `peer` is known to be made by another user than ours; root counts as ours.

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
            return uid not in (_ROOT, os.getuid())
    return False


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
