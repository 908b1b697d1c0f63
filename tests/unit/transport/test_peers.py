"""Who connects over loopback, as the kernel's table of sockets tells."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dap_ai.transport import peer_users

LITTLE = sys.byteorder == "little"
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
ROW = (
    "   1: 0100007F:C350 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1001        0 12345 1 0 20 4 30 10 -1"
)
ROW6 = (
    "   0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1267 01 00000000:00000000 "
    "00:00000000 00000000  1002        0 12345 1 0 20 4 30 10 -1"
)


ORPHAN = ROW.replace("1001        0 12345", "   0        0 0")
TIMED_OUT = (
    "   1: 0100007F:C350 0100007F:1267 06 00000000:00000000 03:000017A6 00000000     0        0 0 3 0000000000000000"
)
LISTENER = (
    "   2: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 777 1 0 100 0 0 10 0"
)
OTHER_END = ROW.replace("0100007F:C350 0100007F:1267", "0100007F:1267 0100007F:C350")
MAPPED = ROW6.replace("00000000000000000000000001000000", "0000000000000000FFFF00000100007F")
needs_little = pytest.mark.skipif(not LITTLE, reason="the rows are of a little-endian machine")
needs_table = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the kernel's table of sockets is Linux's")


@needs_little
@pytest.mark.parametrize(
    ("rows", "host", "uid"),
    [
        ([HEAD, ROW], "127.0.0.1", 1001),
        ([HEAD, LISTENER, OTHER_END, ROW], "127.0.0.1", 1001),
        ([HEAD, ROW6], "::1", 1002),
        ([HEAD, OTHER_END, MAPPED], "127.0.0.1", 1002),
        ([HEAD, OTHER_END, ROW], "::ffff:127.0.0.1", 1001),
        ([HEAD, LISTENER, OTHER_END, ORPHAN], "127.0.0.1", peer_users.GONE),
        ([HEAD, LISTENER, OTHER_END, TIMED_OUT], "127.0.0.1", peer_users.GONE),
        ([HEAD, LISTENER, OTHER_END], "127.0.0.1", peer_users.GONE),
        ([HEAD, LISTENER], "127.0.0.1", peer_users.GONE),
        ([HEAD, LISTENER], "203.0.113.7", None),
        ([HEAD], "127.0.0.1", None),
        ([], "127.0.0.1", None),
    ],
    ids=["IPv4", "among others", "IPv6", "IPv6 to IPv4", "IPv4 to IPv6", "closed", "closed and forgotten", "no row",
         "reset", "another machine", "a table of other sockets", "no table"],
)  # fmt: skip
def test_who_has_connected_stands_in_the_table(
    rows: list[str], host: str, uid: int | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(peer_users, "_rows", lambda: iter(rows))
    own = host if ":" in host or host.startswith("127.") else "198.51.100.1"
    assert peer_users.user_of((host, 50000), (own, 4711)) == uid


@needs_table
def test_a_row_that_one_reading_of_the_table_lacks_is_found_by_the_next(monkeypatch: pytest.MonkeyPatch):
    readings = [[LISTENER], [LISTENER, ROW]]
    monkeypatch.setattr(peer_users, "_rows", lambda: iter(readings.pop(0)))
    assert peer_users.user_of(("127.0.0.1", 50000), ("127.0.0.1", 4711)) == 1001


@pytest.fixture(params=["127.0.0.1", "::1"])
def connection(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(family))
        try:
            listener.bind((request.param, 0))
        except OSError:
            pytest.skip(f"no {request.param} here")
        listener.listen()
        client = stack.enter_context(socket.socket(family))
        client.connect(listener.getsockname()[:2])
        yield stack.enter_context(listener.accept()[0])


def test_a_connection_of_our_own_is_let_in(connection: socket.socket):
    assert not peer_users.is_of_another_user(connection)


@needs_table
def test_a_connection_of_another_user_is_known(connection: socket.socket, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peer_users, "_ROOT", -1)
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert peer_users.is_of_another_user(connection)


def test_a_peer_that_no_table_has_is_left_to_the_token():
    assert not peer_users.is_another(peer_users.user_of(("127.0.0.1", 1), ("127.0.0.1", 2)))
