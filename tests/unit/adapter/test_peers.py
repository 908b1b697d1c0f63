"""Who connects over loopback, as the kernel's table of sockets tells."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dap_ai.adapter import peers

LITTLE = sys.byteorder == "little"
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
ROW = (
    "   1: 0100007F:C350 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1001        0 12345 1 0 20 4 30 10 -1"
)
ROW6 = (
    "   0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1267 01 00000000:00000000 "
    "00:00000000 00000000  1002        0 12345 1 0 20 4 30 10 -1"
)


@pytest.mark.skipif(not LITTLE, reason="the rows are of a little-endian machine")
@pytest.mark.parametrize(("row", "host", "uid"), [(ROW, "127.0.0.1", 1001), (ROW6, "::1", 1002)])
def test_the_owner_of_a_connection_stands_in_its_row(row: str, host: str, uid: int):
    assert peers.owner([HEAD, row], (host, 50000), (host, 4711)) == uid


@pytest.mark.skipif(not LITTLE, reason="the rows are of a little-endian machine")
def test_the_row_of_the_other_end_is_not_taken_for_it():
    assert peers.owner([HEAD, ROW], ("127.0.0.1", 4711), ("127.0.0.1", 50000)) is None


@pytest.fixture(params=["127.0.0.1", "::1"])
def connection(request: pytest.FixtureRequest) -> Iterator[tuple[peers.Address, peers.Address]]:
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
        own = stack.enter_context(listener.accept()[0])
        yield own.getpeername()[:2], own.getsockname()[:2]


def test_a_connection_of_our_own_is_let_in(connection: tuple[peers.Address, peers.Address]):
    assert not peers.is_connected_by_another_user(*connection)


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the kernel's table of sockets is Linux's")
def test_a_connection_of_another_user_is_known(
    connection: tuple[peers.Address, peers.Address], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(peers, "_ROOT", -1)
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert peers.is_connected_by_another_user(*connection)


def test_a_peer_that_no_table_has_is_left_to_the_token():
    assert not peers.is_connected_by_another_user(("127.0.0.1", 1), ("127.0.0.1", 2))
