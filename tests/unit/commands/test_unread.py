from __future__ import annotations

import asyncio
import os
import socket
import sys

import pytest

from dap_ai.commands.display.stdout_closed import on_stdout_closed
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")

WAIT_S = 5.0


class Stdout:
    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        return self._fd


async def told(monkeypatch: pytest.MonkeyPatch, fd: int, do, wait_s: float) -> int:
    """How often it was told, after `do`."""
    monkeypatch.setattr("sys.stdout", Stdout(fd))
    calls: list[bool] = []
    with on_stdout_closed(lambda: calls.append(True)):
        await asyncio.sleep(0.01)
        assert not calls
        do()
        until = asyncio.get_running_loop().time() + wait_s
        while not calls and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.005)
    return len(calls)


def test_the_end_of_a_pipes_reader_is_told_once(monkeypatch):
    near, far = os.pipe()
    assert asyncio.run(told(monkeypatch, far, lambda: os.close(near), patient(WAIT_S))) == 1
    os.close(far)


def test_the_end_of_a_sockets_other_end_is_told(monkeypatch):
    near, far = socket.socketpair()
    assert asyncio.run(told(monkeypatch, far.fileno(), near.close, patient(WAIT_S))) == 1
    far.close()


def test_what_comes_in_at_a_socket_is_neither_read_nor_taken_for_its_end(monkeypatch):
    near, far = socket.socketpair()
    assert asyncio.run(told(monkeypatch, far.fileno(), lambda: near.send(b"x"), 0.05)) == 0
    assert far.recv(9) == b"x"
    near.close()
    far.close()


def test_a_file_and_what_has_no_number_are_never_unread(monkeypatch, tmp_path):
    with (tmp_path / "out").open("w") as file:
        assert asyncio.run(told(monkeypatch, file.fileno(), lambda: None, 0.02)) == 0
    assert asyncio.run(told(monkeypatch, 10_000, lambda: None, 0.02)) == 0
